import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlProblem } from '../../src/database/errors.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { sql, statementOf } from '../../src/database/sql.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'

let own: TestDatabase
const opened: Database[] = []
// How long a busy machine takes for what is not the point is nobody's failure.
const open = (connectionsMax: number, statementTimeoutMs = 5_000, connectTimeoutMs = 60_000) => {
  const database = openDatabase(own.url, { connectionsMax, statementTimeoutMs, connectTimeoutMs })
  opened.push(database)
  return database
}

beforeAll(async () => {
  own = await newDatabase()
})
afterAll(async () => {
  for (const database of opened) await database.close()
  await own.drop()
})

const echo = sql`select $1::int as given, pg_backend_pid() as connection`
const answeredAt = sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
const slow = sql`select pg_sleep(0.3)`
const refused = sql`select 1 / $1::int`
const cut = sql`select pg_terminate_backend(pg_backend_pid())`

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('Statements that share connections', () => {
  it('each get their own answer, in whatever order they are sent', async () => {
    const database = open(4)

    const answers = await Promise.all(numbers(500).map((i) => database.row<{ given: number }>(echo, [i])))

    expect(answers.map((answer) => answer?.given)).toEqual(numbers(500))
  })

  it('get their values as they were given, in arrays too', async () => {
    const given = ['', ' ', 'NULL', 'a,b', '{}', '"', '\\', '\\"', "'", 'ü\n\t', null]

    const row = await open(2).row(
      sql`select $1::text[] as texts, $2::bigint[] as counts, $3::boolean[] as flags, $4::bytea[] as files, $5::text[] as none`,
      [given, [1n, 2, null], [true, false], [Buffer.from([0, 255])], []],
    )

    expect(row).toMatchObject({ texts: given, counts: ['1', '2', null], flags: [true, false], none: [] })
    expect((row as { files: Buffer[] }).files[0]).toEqual(Buffer.from([0, 255]))
  })

  it('keep to the connections there may be', async () => {
    const database = open(4)

    const answers = await Promise.all(numbers(100).map((i) => database.row<{ connection: number }>(echo, [i])))

    expect(new Set(answers.map((answer) => answer?.connection)).size).toBeLessThanOrEqual(3)
  })

  it('are sent when a connection is full, while whoever asks goes on with other things', async () => {
    const database = open(2)
    const busy = new Int32Array(new SharedArrayBuffer(4))
    const answeredMeanwhile = async () => {
      // As often as it takes until it counts as quick again, whatever it took here before.
      for (const _ of numbers(50)) await database.row(answeredAt)
      const answers = numbers(4).map(() => database.row<{ ms: number }>(answeredAt))
      Atomics.wait(busy, 0, 0, 100)
      const until = Date.now()
      return (await Promise.all(answers)).every((answer) => answer!.ms < until)
    }

    await expect.poll(answeredMeanwhile).toBe(true)
  })

  it('fail alone', async () => {
    const database = open(2)

    const outcomes = await Promise.allSettled(
      numbers(40).map((i) => (i % 4 === 0 ? database.row(refused, [0]) : database.row(echo, [i]))),
    )

    expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(numbers(40).map((i) => i % 4 === 0))
  })

  it('do not wait for a slow one while another connection is free', async () => {
    const database = open(4)
    await Promise.all(numbers(50).map((i) => database.row(echo, [i])))
    const order: string[] = []

    await Promise.all([
      database.rows(slow).then(() => order.push('slow')),
      ...numbers(20).map((i) => database.row(echo, [i]).then(() => order.push('quick'))),
    ])

    expect(order.at(-1)).toBe('slow')
  })

  it('let a write through however many quick reads there are', async () => {
    const database = open(2)
    await database.rows(sql`create table written (at int)`)
    let reading = true
    const readers = numbers(30).map(async (i) => {
      while (reading) await database.row(echo, [i])
    })

    for (const i of numbers(20)) await database.rows(sql`insert into written values ($1)`, [i])

    reading = false
    await Promise.all(readers)
    expect(await database.row(sql`select count(*)::int as written from written`)).toEqual({ written: 20 })
  })

  it('are told to come back when all connections stay busy', async () => {
    const database = open(2, 10_000, 2_000)
    const sleeping = database.rows(sql`select pg_sleep(2.5)`)

    const refused = await database.row(echo, [1]).catch((error: unknown) => sqlProblem(error, {}))
    expect(refused).toMatchObject({ status: 503 })

    await sleeping
    expect(await database.row(echo, [1])).toMatchObject({ given: 1 })
  })

  it('go on over a new connection when theirs was cut', async () => {
    const database = open(2)

    const lost = await database.rows(cut).catch((error: unknown) => sqlProblem(error, {}))

    expect(lost).toMatchObject({ status: 503 })
    expect(await database.row(echo, [2])).toMatchObject({ given: 2 })
  })

  it('do not suffer from one of the same text that could not be prepared', async () => {
    const database = open(2)
    const later = statementOf('select made::int as made from made_later')
    const tries = numbers(3).map(() => database.row(later).catch((error: { code: string }) => error.code))
    expect(await Promise.all(tries)).toEqual(['42P01', '42P01', '42P01'])

    await database.rows(sql`create table made_later as select 7 as made`)

    expect(await database.row(later)).toEqual({ made: 7 })
  })

  it('are refused after the end, and not left waiting', async () => {
    const database = openDatabase(own.url, { connectionsMax: 2 })
    await database.close()

    const problem = await database.row(echo, [1]).catch((error: unknown) => sqlProblem(error, {}))

    expect(problem).toMatchObject({ status: 503 })
  })
})

describe('Whoever wants a database to themselves', () => {
  it('has it one after the other, while everybody else waits', async () => {
    const database = open(4)
    const events: string[] = []
    const alone = (name: string) =>
      database.alone(async () => {
        events.push(`${name} comes`)
        await database.row(echo, [1])
        // Who has it already is not kept from it.
        await database.alone(() => database.row(echo, [1]))
        events.push(`${name} goes`)
      })

    const all = ['first', 'second', 'third'].map(alone)
    const other = database.row(echo, [2]).then(() => events.push('another is answered'))
    await Promise.all([...all, other])

    const turns = ['first', 'second', 'third'].flatMap((name) => [`${name} comes`, `${name} goes`])
    expect(events.filter((event) => !event.startsWith('another'))).toEqual(turns)
    expect(events[0]).toBe('first comes')
    for (const [i, event] of events.entries()) if (event.startsWith('another')) expect(events[i - 1]).toMatch(/goes$/)
  })
})

describe('A server that takes connections and says nothing', () => {
  it('is given up after the time a connection may take', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => void sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const database = openDatabase(`postgres://127.0.0.1:${port}/none`, { connectTimeoutMs: 300 })

    const problem = await database.row(echo, [1]).catch((error: unknown) => sqlProblem(error, {}))

    expect(problem).toMatchObject({ status: 503 })
    for (const socket of sockets) socket.destroy()
    silent.close()
    await database.close()
  })
})
