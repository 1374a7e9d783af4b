import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startOwnServer } from '../support/own-server.ts'
import { type Guard, guards } from './guards.ts'
import type { Report } from './reporter.ts'
import { printTable } from './table.ts'
import { copyTree, mutated, runTests, tryWithout } from './trial.ts'
import { judge, type Verdict } from './verdict.ts'

/**
 * Takes every guard away, one at a time, in a copy of the source, and runs the tests that must notice. Without a guard
 * one of them has to fail, and is named; with all of them they have to pass, which is tried first.
 */
const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1' },
    /** Only guards whose name or file matches this pattern. */
    only: { type: 'string' },
    /** So many, spread over the list. */
    sample: { type: 'string' },
    /** The first and the last to be tried, by their numbers in the list: to go on where a run ended. */
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: String(guards.length) },
    /** Leaves out the run with all guards in place. */
    'no-baseline': { type: 'boolean', default: false },
    /** Only the run with all guards in place. */
    'baseline-only': { type: 'boolean', default: false },
    /** Puts the results into docs/mutants.md. */
    write: { type: 'boolean', default: false },
  },
})

function chosen(): readonly Guard[] {
  const named = guards
    .slice(Number(options.from) - 1, Number(options.to))
    .filter(({ guards: name, file }) => new RegExp(options.only ?? '').test(`${name} ${file}`))
  const most = options.sample === undefined ? named.length : Math.min(Number(options.sample), named.length)
  return Array.from({ length: most }, (_, i) => named[Math.floor((i * named.length) / most)]!)
}

/** What stands in the way of believing the tests of these guards: they fail with all in place, or there are none. */
function flawsOf(wanted: readonly Guard[], { failures, passed }: Report): string[] {
  const failed = failures.map(({ name, file, message }) => `${file}: ${name}: ${message}`)
  const without = wanted.filter(
    ({ tests, titled = '' }) =>
      !tests.some((file) => passed[file]?.some((name) => new RegExp(titled).test(name.replaceAll(' > ', ' ')))),
  )
  return [...failed, ...without.map(({ guards: name }) => `no test passes that could notice: ${name}`)]
}

async function main(): Promise<void> {
  const began = performance.now()
  const wanted = chosen().map((guard) => ({ guard, source: mutated(guard) }))
  const server = await startOwnServer({ name: 'mutants-data', connectionsMax: 250 })
  const trees = Array.from({ length: Math.max(1, Number(options.jobs)) }, copyTree)
  const results = new Map<string, Verdict>()
  const say = (text: string) => process.stdout.write(`${text}\n`)

  try {
    if (!options['no-baseline']) {
      const files = [...new Set(wanted.flatMap(({ guard }) => guard.tests))]
      const { report, output } = await runTests(trees[0]!, server.url, files)
      const all = wanted.map(({ guard }) => guard)
      const flaws = report ? flawsOf(all, report) : [output]
      if (flaws.length > 0) throw new Error(`With all guards in place:\n${flaws.join('\n')}`)
      say(`with all guards in place ${files.length} test files pass, in ${secondsSince(began)} s`)
    }
    const queue = options['baseline-only'] ? [] : [...wanted]
    const work = async (tree: string) => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        const { guard, source } = one
        const start = performance.now()
        const verdict = judge(await tryWithout(guard, source, tree, server.url))
        results.set(guard.guards, verdict)
        const word = verdict.isNoticed ? 'noticed' : 'MISSED '
        const place = `${guards.indexOf(guard) + 1} of ${guards.length}`
        say(`${word}  ${place}  ${guard.guards}: ${verdict.text}  ${secondsSince(start)} s`)
      }
    }
    await Promise.all(trees.map(work))
  } finally {
    for (const tree of trees) rmSync(tree, { recursive: true, force: true })
    await server.stop()
    if (options.write) printTable(guards, new Map([...results].map(([name, verdict]) => [name, told(verdict)])))
  }
  const missed = [...results.values()].filter(({ isNoticed }) => !isNoticed).length
  say(`\n${results.size - missed} noticed, ${missed} missed, in ${secondsSince(began)} s`)
  process.exitCode = missed > 0 ? 1 : 0
}

const told = ({ isNoticed, text }: Verdict) => (isNoticed ? text : `**missed**: ${text}`)

const secondsSince = (start: number) => ((performance.now() - start) / 1000).toFixed(0)

await main()
