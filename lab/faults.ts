import { databaseDays } from './faults/database.ts'
import { networkDays } from './faults/network.ts'
import { overload } from './faults/overload.ts'
import { processDays } from './faults/processes.ts'
import { live } from './faults/scene.ts'
import { provide } from './harness/packages.ts'
import { type Lab, type Part, type Result, reasonOf, verdictOf } from './harness/result.ts'

/** The bad days of a first look; the others take their time. */
const REDUCED = ['terminate', 'network']

export const faults: Part = async (lab) => {
  provide(['postgresql', 'libfaketime'], lab.say)
  const only = process.env['LAB_ONLY']?.split(',')
  const days = [...processDays, ...databaseDays, ...networkDays].filter(
    ({ name }) => only?.includes(name) ?? (!lab.isReduced || REDUCED.includes(name)),
  )
  const results: Result[] = []
  for (const day of days) results.push(await tried(lab, day.what(lab), () => live(lab, day)))
  if (only?.includes('overload') ?? !lab.isReduced) results.push(await tried(lab, 'overload', () => overload(lab)))
  return results
}

/** One that cannot be carried out must not take the others along. */
async function tried(lab: Lab, what: string, work: () => Promise<Result>): Promise<Result> {
  let result: Result
  try {
    result = await work()
  } catch (error) {
    result = { part: 'faults', what, outcome: reasonOf(error), clients: '', isMet: false, seconds: 0 }
  }
  lab.say(`faults: ${verdictOf(result)}: ${result.outcome}; ${result.clients}`)
  return result
}
