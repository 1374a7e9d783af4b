import { Ground } from './harness/ground.ts'
import { provide } from './harness/packages.ts'
import { type Part, timed } from './harness/result.ts'
import { failedOf, runTests } from './harness/tests.ts'

/** Services on databases of their own behind haproxy, which sends every call to its cell. */
export const cells: Part = async (lab) => {
  provide(['haproxy'], lab.say)
  lab.say('cells: test/scenarios/cells behind haproxy')
  const ground = new Ground('cells')
  try {
    const { value: report, seconds } = await timed(() => runTests(ground, ['test/scenarios/cells'], {}))
    const { numPassedTests: passed, numTotalTests: total } = report
    const failed = failedOf(report)
    return [
      {
        part: 'cells',
        what: 'three cells behind haproxy with the configuration and the map that are printed; two with a directory',
        outcome: `${passed} of ${total} tests pass`,
        clients: failed.length === 0 ? 'one service' : failed.slice(0, 5).join('; '),
        isMet: passed === total && total > 0,
        seconds,
      },
    ]
  } finally {
    await ground.close()
  }
}
