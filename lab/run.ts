import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { backup } from './backup.ts'
import { cells } from './cells.ts'
import { failover } from './failover.ts'
import { faults } from './faults.ts'
import { type Part, printTable, type Result, reasonOf } from './harness/result.ts'
import { pooler } from './pooler.ts'
import { soak } from './soak.ts'
import { upgrade } from './upgrade.ts'

const parts: Readonly<Record<string, Part>> = { failover, pooler, faults, upgrade, backup, cells, soak }

const help = `npm run lab -- <part…|all> [--reduced]

  ${Object.keys(parts).join(', ')}, or all of them

  --reduced   a little of everything, for a first look: minutes instead of hours
  --help

Installs what is missing on Debian, keeps everything on loopback and below the temporary folder, and prints a table of what
was lost and what clients saw. Ends with 1 when something was not as promised.
`

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { reduced: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
const wanted = positionals.includes('all') ? Object.keys(parts) : positionals
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name))

const say = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`)

if (options.help || wanted.length === 0 || unknown.length > 0) {
  process.stdout.write(help)
  process.exitCode = options.help ? 0 : 2
} else {
  const run = async (name: string): Promise<Result[]> => {
    try {
      return await parts[name]!({ isReduced: options.reduced, say })
    } catch (error) {
      const outcome = reasonOf(error)
      return [{ part: name, what: 'could not be carried out', outcome, clients: '', isMet: false, seconds: 0 }]
    }
  }
  const inTurn = async (names: readonly string[]) => {
    const results: Result[] = []
    for (const name of names) results.push(...(await run(name)))
    return results
  }
  // A cluster mostly waits for its elections, so where time is short the others go on beside it.
  const beside = options.reduced ? ['failover'] : []
  const results = (
    await Promise.all([
      inTurn(wanted.filter((name) => beside.includes(name))),
      inTurn(wanted.filter((name) => !beside.includes(name))),
    ])
  ).flat()
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GB, Node ${process.versions.node}, load ${loadavg()[0]!.toFixed(1)} at the end`
  process.stdout.write(
    `\n${new Date().toISOString().slice(0, 10)}, ${options.reduced ? 'reduced' : 'whole'}; ${machine}\n\n${printTable(results)}`,
  )
  process.exitCode = results.every(({ isMet }) => isMet) ? 0 : 1
}
