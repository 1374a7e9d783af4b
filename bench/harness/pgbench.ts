import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectionSettings } from '../../src/database/address.ts'
import { harnessFile, nextMessage, startChild } from './child.ts'

/** What the writes of a row are measured against. */
export interface TransactionLimit {
  /** How it is done, for the table. */
  readonly tool: string
  /** Runs for so many seconds and gives the transactions a second. */
  run(statements: readonly string[], seconds: number, clients: number): Promise<number>
  stop(): Promise<void>
}

/** `pgbench` where it is installed, otherwise a loop over `pg` that does the same. */
export async function openTransactionLimit(databaseUrl: string): Promise<TransactionLimit> {
  const found = spawnSync('pgbench', ['--version'], { encoding: 'utf8' })
  return found.status === 0 ? withPgbench(databaseUrl, found.stdout) : withLoop(databaseUrl)
}

function withPgbench(databaseUrl: string, version: string): TransactionLimit {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-pgbench-'))
  const script = join(folder, 'transaction.sql')
  // Its time is in whole seconds, so a round is a count, taken from the last rate; the first one runs for a second.
  const lastRates = new Map<string, number>()
  return {
    tool: `pgbench ${/\d+(\.\d+)*/.exec(version)?.[0] ?? ''}, prepared`,
    async run(statements, seconds, clients) {
      const lines = inTransaction(statements).map((statement) => `${oneLine(statement)};`)
      writeFileSync(script, ['\\set id random(1, 9000000000000000)', ...lines, ''].join('\n'))
      const lastRate = lastRates.get(lines.join())
      const bound = lastRate === undefined ? ['-T', 1] : ['-t', Math.ceil((lastRate * seconds) / clients)]
      const options = ['-n', '-M', 'prepared', '-c', clients, '-j', 1, ...bound]
      const { stdout } = await promisify(execFile)(
        'pgbench',
        [...options.map(String), '-f', script, ...connectionArguments(databaseUrl)],
        { env: { ...process.env, PGOPTIONS: '-c lock_timeout=30000' } },
      )
      const failed = Number(/number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0)
      const rate = Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1])
      if (!(rate > 0) || failed > 0) throw new Error(`pgbench failed: ${stdout}`)
      lastRates.set(lines.join(), rate)
      return rate
    },
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function withLoop(databaseUrl: string): Promise<TransactionLimit> {
  const child = startChild(harnessFile('bare-loop.ts'), { DATABASE_URL: databaseUrl })
  await nextMessage(child)
  return {
    tool: 'a bare pg loop (pgbench is not installed)',
    async run(statements, seconds, clients) {
      const result = nextMessage<{ rate?: number; failure?: string }>(child)
      child.process.send({ statements: inTransaction(statements), seconds, clients })
      const { rate, failure } = await result
      if (rate === undefined) throw new Error(`The bare loop failed: ${failure}`)
      return rate
    },
    stop: () => child.stop(),
  }
}

const inTransaction = (statements: readonly string[]) =>
  statements.length === 1 ? statements : ['begin', ...statements, 'commit']

const oneLine = (statement: string) => statement.trim().replace(/\s*\n\s*/g, ' ')

function connectionArguments(databaseUrl: string): string[] {
  const { connectionString, host, port, user, database } = connectionSettings(databaseUrl)
  if (connectionString !== undefined) return [connectionString]
  return ['-h', host!, '-p', String(port), '-U', String(user), String(database)]
}
