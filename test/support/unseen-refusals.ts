import { readdirSync, readFileSync } from 'node:fs'
import { references } from '../../src/reference/rooms.ts'

/** Refusals that no test brings about by a call, and why not. */
const untried: readonly (readonly [pair: string, why: string])[] = [
  ['moveClock CLOCK_STEPS_EXCEEDED', 'a hundred thousand things would have to fall due'],
  ['saveSnapshot SNAPSHOT_LIMIT_EXCEEDED', 'it takes a hundred databases'],
  ['loadSnapshot COPIES_NOT_ALLOWED', 'there is nothing to load where none may be made'],
]

/**
 * Says which refusals of an operation's own the reference names and no test saw, after a run of the tests with
 * REFUSALS_SEEN: npx tsx test/support/unseen-refusals.ts FOLDER. Ends with 1 when there are any.
 */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Name the folder that REFUSALS_SEEN named.')
const seen = new Set(readdirSync(folder).flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').split('\n')))
const named = references.flatMap(({ issues }) =>
  issues.flatMap(({ issue, by }) => by.map((operation) => `${operation} ${issue}`)),
)
const unseen = named.filter((pair) => !seen.has(pair) && !untried.some(([known]) => known === pair))
const late = untried.filter(([pair]) => seen.has(pair) || !named.includes(pair)).map(([pair]) => pair)
for (const pair of unseen) process.stdout.write(`the reference names ${pair}, and no test saw it\n`)
for (const pair of late) process.stdout.write(`${pair} is listed as untried, and was seen or is named nowhere\n`)
process.stdout.write(
  `${named.length - unseen.length} of ${named.length} refusals of single operations were seen, or are listed with a reason\n`,
)
process.exitCode = unseen.length + late.length > 0 ? 1 : 0
