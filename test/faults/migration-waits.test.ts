import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { connectionSettings } from '../../src/database/address.ts'
import { MIGRATION_LOCK, migrate } from '../../src/database/migrate.ts'
import { newDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/process.ts'

const ours = fileURLToPath(new URL('../../migrations', import.meta.url))
/** The newest file that makes an index beside writers, with what it makes. */
const making = /create index concurrently (\w+) on (\w+) /
const [file, [, index, table]] = readdirSync(ours)
  .toSorted()
  .flatMap((name) => {
    const found = making.exec(readFileSync(join(ours, name), 'utf8'))
    return found ? [[name, found] as const] : []
  })
  .at(-1)!

const temporary = temporaryFolder()
afterAll(() => temporary.remove())

/** A database that lacks the file, and somebody with a name who is connected to it. */
async function before() {
  const database = await newDatabase()
  const other = new pg.Client({ ...connectionSettings(database.url), application_name: 'nightly report' })
  await other.connect()
  await other.query('delete from migrations where name = $1', [file])
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  const end = async () => {
    await other.end()
    await database.drop()
  }
  return { database, other, pid: rows[0]!.pid, end }
}

function migrating(url: string) {
  const [out, err]: string[][] = [[], []]
  const output = { out: (text: string) => void out!.push(text), err: (text: string) => void err!.push(text) }
  return { err: err!, code: runCommand(['migrate'], { DATABASE_URL: url }, output), out: out! }
}

describe.concurrent('quittance migrate', () => {
  it('says which index waits since when for whom, and goes on when that has ended', async () => {
    const { database, other, pid, end } = await before()
    await other.query(`begin; lock table ${table} in row exclusive mode`)

    const { err, out, code } = migrating(database.url)
    await expect.poll(() => err.join('')).not.toBe('')
    expect(err.join('')).toMatch(
      new RegExp(
        `^quittance: The index ${index} waits since [-\\dT:]+Z for a transaction of process ${pid} ` +
          `\\(nightly report, role \\w+\\) that began at [-\\dT:]+Z, and goes on when that has ended\\.\n$`,
      ),
    )
    await other.query('commit')

    expect(await code).toBe(0)
    expect([out.join(''), err.length]).toEqual([`Applied ${file}.\n`, 1])
    await end()
  })

  it('says who else migrates', async () => {
    const { database, other, pid, end } = await before()
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])

    const { err, code } = migrating(database.url)
    await expect
      .poll(() => err.join(''))
      .toMatch(
        new RegExp(`^quittance: Migrating waits for process ${pid} \\(nightly report, role \\w+\\), which migrates`),
      )
    await other.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])

    expect(await code).toBe(0)
    await end()
  })

  it('says for whom it steps aside again and again', async () => {
    const { database, other, pid, end } = await before()
    writeFileSync(join(temporary.path, '9999_alter.sql'), 'alter table migrations add column later text')
    for (const name of readdirSync(ours)) writeFileSync(join(temporary.path, name), readFileSync(join(ours, name)))
    await other.query('begin; lock table migrations in access share mode')
    const told: string[] = []

    const applied = migrate(database.url, {
      folder: temporary.path,
      lockTimeoutMs: 300,
      onWait: (sentence) => told.push(sentence),
    })
    await expect.poll(() => told.join()).toContain(`A migration waits since`)
    expect(told[0]).toContain(`for a transaction of process ${pid} (nightly report`)
    await other.query('commit')

    expect(await applied).toEqual([file, '9999_alter.sql'])
    await end()
  })
})
