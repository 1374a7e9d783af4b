import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { findApp, grantConsent, revokeConsent } from '../../src/accounts/store.ts'
import { connectionSettings } from '../../src/database/address.ts'
import type { Connection, Database } from '../../src/database/open.ts'
import { makeLedger } from '../../src/ledger/ledger.ts'
import { cancelMove, moveAccounts } from '../../src/moves/move.ts'
import { readTables } from '../../src/moves/tables.ts'
import { findTies } from '../../src/moves/ties.ts'
import { pagePath } from '../../src/payer/page/open-page.ts'
import { run } from '../support/command.ts'
import { newDatabase } from '../support/database.ts'
import { liveUnlimited, newLiveWorld } from '../support/live.ts'
import { Receiver } from '../support/receiver.ts'
import { INVOICES, type Listed, over } from '../support/shop.ts'
import { times } from '../support/size.ts'
import { newWorld, usd, type World } from '../support/world.ts'

const settings = {
  ...liveUnlimited,
  // Ids that nobody can tell: those of the other database must not be made here a second time.
  SEED: '1',
}

/** As long as writers may be made to wait in a test. */
const STOP_MS = 700

class Death extends Error {}

/** When a caller dies: after so many steps, with a statement, or right after the commit that had it. */
interface Fate {
  steps?: number
  readonly at?: RegExp
  readonly committed?: RegExp
  /** Called with every statement. */
  meets?(text: string): Promise<void>
}

/** A way to the database on which the caller dies: before a statement or a commit, or after it without learning of it. */
function mortal(db: Database, fate: Fate): Database {
  fate.steps ??= Infinity
  // Who is dead takes no further step.
  const die = (): never => {
    fate.steps = 0
    throw new Death()
  }
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (--fate.steps! < 0) throw new Death()
    const result = await work()
    if (--fate.steps! < 0) throw new Death()
    return result
  }
  const rows =
    (connection: Connection, told?: string[]): Connection['rows'] =>
    (statement, values) =>
      step(async () => {
        const text = `${statement.text} ${JSON.stringify(values ?? [])}`
        await fate.meets?.(text)
        const result = await connection.rows(statement, values)
        told?.push(text)
        if (fate.at?.test(text)) die()
        return result as never
      })
  return {
    ...db,
    rows: rows(db),
    transaction: (work) =>
      step(async () => {
        const told: string[] = []
        const result = await db.transaction((connection) => work({ rows: rows(connection, told) }))
        if (told.some((text) => fate.committed?.test(text))) die()
        return result
      }),
  }
}

const drains = /account_moves set state = \$2.*DRAINING/
/** Every turn that a move takes once all is copied, and what the source believes when the caller died there. */
const turns: readonly (readonly [Fate, state: string])[] = [
  [{ at: drains }, 'DRAINING'],
  [{ at: /insert into account_arrival_rows/ }, 'DRAINING'],
  [{ at: /state = 'MOVED'/ }, 'DRAINING'],
  [{ committed: /state = 'MOVED'/ }, 'MOVED'],
  [{ at: /set state = 'HERE'/ }, 'MOVED'],
  [{ committed: /set state = 'HERE'/ }, 'MOVED'],
  [{ at: /'invoice', id, account_id from invoices/ }, 'MOVED'],
  [{ committed: /delete from "invoices"/ }, 'MOVED'],
  [{ committed: /drop trigger/ }, 'MOVED'],
  [{ at: /delete from account_move_changes where account_id = any\(\$1::text\[\]\) \[/ }, 'MOVED'],
]

describe('An account that is moved', () => {
  let from: World
  let to: World
  let receiver: Receiver
  let token: string
  let id: string
  const created: string[] = []
  const refusals = new Set<number>()
  let isWriting = true

  /** The merchant calls where the account is, and again where it went. */
  async function calls<Body>(method: 'GET' | 'POST', path: string, payload?: object) {
    for (;;) {
      for (const world of [from, to]) {
        const answer = await world.call<Body>(method, path, payload, { headers: { authorization: `Bearer ${token}` } })
        if (answer.status < 300) return answer
        refusals.add(answer.status)
      }
      await pause(5)
    }
  }

  async function writes(): Promise<void> {
    while (isWriting) {
      created.push((await calls<{ id: string }>('POST', INVOICES, over('10.00'))).body.id)
      await pause(50)
    }
  }

  const rowsOf = async (world: World, table: string) =>
    (await world.app.database.query(`select * from ${table} where account_id = $1`, [id])).rows
  /** A call that may die on its way. */
  const tryToMove = (fate: Fate) =>
    moveAccounts({ ...ways(fate), moveId: `try${++tries}`, home: 'https://two.example', now: from.now() }).catch(
      (error: unknown) => error,
    )
  let tries = 0
  const ways = (fate: Fate, ids = [id]) => ({
    ids,
    source: mortal(from.app.database, fate),
    target: mortal(to.app.database, fate),
  })
  const call = (...words: string[]) =>
    run(['accounts', 'move', id, ...words, '--json'], { ...settings, DATABASE_URL: from.databaseUrl })
  const move = (...words: string[]) => call('--to', to.databaseUrl, ...words)
  const moveBack = () =>
    run(['accounts', 'move', id, '--to', from.databaseUrl, '--json'], { ...settings, DATABASE_URL: to.databaseUrl })
  const elsewhere = 'quittance: These accounts are on their way to another database: name that one with --to.\n'

  beforeAll(async () => {
    from = await newLiveWorld(settings, { works: true })
    to = await newWorld({ settings, works: true })
    receiver = await Receiver.open()
    id = from.people.merchant.id
    const scopes = defaultScopes('BUSINESS', ['invoicing', 'webhooks', 'payments'])
    const merchant = await from.personWithApp(id, scopes)
    token = await from.tokenFor(
      merchant.clientId,
      'a secret of this app alone, long enough to be one of ours: ' + 'x'.repeat(21),
    )
    await merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    // It hears of the payments below too, which no app made.
    await merchant.post('/v1/notifications/webhooks-lookup')
    const { body } = await merchant.post<{ id: string }>(INVOICES, over('5.00', {}, { invoice_date: '2999-01-01' }))
    created.push(body.id)
    expect((await merchant.post(`${INVOICES}/${body.id}/send`, {})).status).toBeLessThan(300)
    const { capture } = makeLedger(from.app.service)
    await from.app.transact(async (tx) => {
      for (const status of ['COMPLETED', 'PENDING'] as const)
        capture(tx, { status, seller: { account_id: id }, buyer: {}, gross: usd('9.00') })
    })
  })
  afterAll(async () => {
    await from.close()
    await to.close()
    await receiver.close()
  })

  it('takes along every table that names an account, so each has a key to find its rows by', async () => {
    const { copied, heldBack } = await readTables(from.app.database)
    const names = copied.map(({ name }) => name)

    expect(heldBack.map(({ name }) => name)).toEqual(['delivery_queue', 'jobs'])
    expect(names[0]).toBe('accounts')
    expect(names.indexOf('invoices')).toBeLessThan(names.indexOf('invoice_transactions'))
    expect(copied.filter(({ key }) => !key).map(({ name }) => name)).toEqual([])
  })

  /** Lets an app of a partner, the other merchant, act for an account, and gives what takes that back. */
  async function consentOf(accountId: string, partnerId = from.people.otherMerchant.id) {
    const { clientId } = await from.personWithApp(partnerId, ['disputes/read-partner'])
    const partner = (await findApp(from.app.database, clientId))!
    await from.app.transact(async (tx) => grantConsent(tx, accountId, partner.id, partner.scopes))
    return () => from.app.transact(async (tx) => revokeConsent(tx, accountId, partner.id))
  }

  it('is refused while it shares something with one that stays', async () => {
    const revoke = await consentOf(id)

    const { code, stderr } = await move()

    expect(code).toBe(1)
    expect(stderr).toBe(
      `quittance: These accounts share a consent with ${from.people.otherMerchant.id}: move them together.\n`,
    )
    await revoke()
  })

  it('is looked through for what it shares a piece of a table at a time, however large the table is', async () => {
    const { database } = from.app
    const { otherMerchant } = from.people
    const rows = 5_000
    // Those of many others lie before and behind the one that matters.
    const insert = (first: number, eventAccount: string, count = rows) =>
      database.query(
        `insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
         select $1, 'APP-AUDIENCE', 'WH-TIE-' || n, $2, 'X', n, '2026-01-01T00:00:00.000Z' from generate_series($3::int, $4::int) n`,
        [otherMerchant.id, eventAccount, first, first + count - 1],
      )
    await insert(1, otherMerchant.id)
    await insert(rows + 1, id, 1)
    await insert(rows + 2, otherMerchant.id)
    const { pages } = (
      await database.query("select pg_relation_size('event_audience') / current_setting('block_size')::int as pages")
    ).rows[0]
    const read: string[] = []
    const told = mortal(database, { meets: async (text) => void read.push(text) })

    const ties = await findTies(told, [id], 10)

    expect(ties).toEqual([{ by: 'an event', id: otherMerchant.id }])
    const pieces = read.filter((text) => /from event_audience\w* t/.test(text))
    expect(pieces.length).toBeGreaterThanOrEqual(Number(pages) / 10)
    const plan = await database.query(
      `explain select from event_audience t where t.ctid >= '(0,0)'::tid and t.ctid < '(10,0)'::tid`,
    )
    expect(JSON.stringify(plan.rows)).toContain('Tid Range Scan')
    for (const text of pieces) expect(text).toMatch(/t\.ctid >= \$2::tid and t\.ctid < \$3::tid/)
    await database.query("delete from event_audience where app_id = 'APP-AUDIENCE'")
  })

  it('is refused in a sentence about the other database when that is the one that cannot be asked', async () => {
    const { code, stderr } = await call('--to', 'postgres://me@127.0.0.1:1/shop')
    const { QUITTANCE_SECRET: _, ...keyless } = { ...settings, DATABASE_URL: from.databaseUrl }
    const unkeyed = await run(['accounts', 'move', id, '--to', to.databaseUrl], keyless)

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^quittance: No PostgreSQL .*127.*1\/shop: .* --to\.\n$/)])
    expect([unkeyed.code, unkeyed.stderr]).toEqual([
      2,
      expect.stringMatching(/^quittance: QUITTANCE_SECRET must be set/),
    ])
  })

  it('is refused when the other database was sealed with another secret, and says whose that is', async () => {
    const other = await newDatabase()
    const client = new pg.Client(connectionSettings(other.url))
    await client.connect()
    await client.query(`insert into signing_keys (id, sealed, certificate, current, create_time)
      values ('ANOTHER', 'sealed', '', true, '2026-03-02T09:00:00.000Z')`)
    await client.end()
    const { code, stderr } = await call('--to', other.url)
    await other.drop()

    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/secrets in the other database were made with: both services need the same\./),
    ])
  })

  it('is refused when it comes to share something on its way, and is given up without a target that is gone', async () => {
    const { otherMerchant } = from.people
    const couples = [
      { while: /insert into "invoices"/, couple: [id, otherMerchant.id] },
      // Nothing of the account refers to this one.
      { while: /insert into "webhooks"/, couple: [otherMerchant.id, id] },
    ] as const
    for (const { while: moment, couple } of couples) {
      let revoke: Promise<() => Promise<unknown>> | undefined
      const meets = async (text: string) => {
        if (!moment.test(text)) return
        revoke ??= consentOf(...couple)
        await revoke
      }
      expect(String(await tryToMove({ meets }))).toMatch(
        /These accounts share a consent with .*: move them together\.$/,
      )
      await (await revoke!)()
    }
    const gone = await call('--cancel', '--to', 'postgres://me@127.0.0.1:1/shop')
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/^quittance: .*127.*1\/shop: .* --to\.\n$/)])
    expect(await call('--cancel')).toMatchObject({ code: 0 })
    expect(await rowsOf(from, 'account_moves')).toEqual([])
    expect(await rowsOf(to, 'invoices')).not.toEqual([])
  })

  it('brings files over a few at a time, those that change meanwhile too, and misses nothing that time took', async () => {
    const brought: number[] = []
    const meets = async (text: string) => {
      if (/insert into "logos"/.test(text)) brought.push(text.split('\\"image\\"').length - 1)
    }
    const add = (first: number) =>
      from.app.database.query(
        `insert into logos (account_id, digest, stale_time)
         select $1, n, '2999-01-01T00:00:00.000Z' from generate_series($2::int, $2::int + 6) n`,
        [id, first],
      )
    await add(1)
    await from.app.database.query(
      `insert into console_bulks (account_id, id, action, about, person, subjects, create_time, finish_time)
       values ($1, 'bulk', 'accept-claim', 'all', 'Ada', '{one}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
      [id],
    )
    expect(await tryToMove({ at: drains, meets })).toBeInstanceOf(Death)
    await add(8)
    // Its time ran out, and the target was the first to see that.
    await to.app.database.query('delete from console_bulks')
    expect(await tryToMove({ at: drains, meets })).toBeInstanceOf(Death)

    expect(brought.filter((count) => count > 0)).toEqual([5, 2, 5, 2])
    expect(await rowsOf(to, 'logos')).toHaveLength(14)

    // As in a source that was restored from a backup: it has rows that were copied otherwise, and no triggers.
    await from.app.database.query(`do $$ begin execute (select format('drop trigger %I on logos', tgname) from pg_trigger
      where tgrelid = 'logos'::regclass and tgname like 'move%change'); end $$`)
    await from.app.database.query("update logos set stale_time = '3000-01-01T00:00:00.000Z' where digest = '7'")
    expect(await tryToMove({ at: drains })).toBeInstanceOf(Death)

    expect(
      (await rowsOf(to, 'logos'))
        .map((logo) => logo.stale_time)
        .sort()
        .at(-1),
    ).toMatch(/^3000/)
    expect(await move('--cancel')).toMatchObject({ code: 0 })
  })

  it('can be called off until it has left, and goes on as if nothing had been', async () => {
    expect((await move('--cancel')).stderr).toBe(
      'quittance: There is no move of these accounts: name those that were named then.\n',
    )
    expect(await tryToMove({ at: drains })).toBeInstanceOf(Death)
    created.push((await calls<{ id: string }>('POST', INVOICES, over('10.00'))).body.id)
    expect((await call('--cancel', '--to', from.databaseUrl)).stderr).toBe(elsewhere)
    const ended = await cancelMove(ways({ committed: /delete from "webhooks"/ })).catch((error: unknown) => error)

    expect(ended).toBeInstanceOf(Death)
    const { code, stdout, stderr } = await move('--cancel')
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { account_ids: [id], cancelled: true }])
    const { copied, heldBack } = await readTables(from.app.database)
    for (const { name, owner } of [...copied, ...heldBack])
      expect((await to.app.database.query(`select 1 from ${name} where ${owner} = $1`, [id])).rows, name).toEqual([])
    for (const table of ['account_moves', 'account_move_changes']) expect(await rowsOf(from, table)).toEqual([])
    const { rows } = await from.app.database.query("select tgname from pg_trigger where tgname like 'move%'")
    expect(rows).toEqual([])
    // What had waited is done.
    await receiver.has((await rowsOf(from, 'events')).length)
  })

  it('works on where it is when the move gives up', async () => {
    const parts = { ...ways({}), moveId: 'hasty', home: null, now: from.now() }

    await expect(moveAccounts({ ...parts, stopMsMax: 0 })).rejects.toThrow('so busy that their writers')

    created.push((await calls<{ id: string }>('POST', INVOICES, over('10.00'))).body.id)
    await receiver.has((await rowsOf(from, 'events')).length)
    expect(await move('--cancel')).toMatchObject({ code: 0 })
  })

  it('loses nothing and doubles nothing, however often the move dies', async () => {
    const writers = [writes(), writes()]
    let deaths = 0
    const wanted = times(6, 60)
    for (; deaths < wanted; deaths++)
      expect(await tryToMove({ steps: 1 + Math.floor(Math.random() ** 2 * 500), at: drains })).toBeInstanceOf(Death)
    for (const [fate, state] of turns) {
      expect(await tryToMove(fate), state).toBeInstanceOf(Death)
      expect((await rowsOf(from, 'account_moves')).map((move) => move.state)).toEqual([state])
    }
    expect((await call('--to', from.databaseUrl)).stderr).toBe(elsewhere)
    // As of a move that was begun before it was known where to.
    await from.app.database.query('update account_moves set target = null')
    expect((await call('--to', from.databaseUrl)).stderr).toBe(elsewhere)
    expect((await moveBack()).stderr).toBe(
      `quittance: Account ${id} has not all left the other database: finish that move first.\n`,
    )
    const { code, stdout, stderr } = await move()
    isWriting = false
    await Promise.all(writers)
    created.push((await calls<{ id: string }>('POST', INVOICES, over('10.00'))).body.id)

    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ account_ids: [id], rules_broken: 0 })
    // Who called meanwhile was asked to come again, or told that the account is elsewhere.
    expect([...refusals].filter((status) => status !== 503 && status !== 401)).toEqual([])
    // Everything that was acknowledged is there once, and nothing is left.
    const there = await rowsOf(to, 'invoices')
    expect(there.map((invoice) => invoice.id).sort()).toEqual([...created].sort())
    for (const table of ['invoices', 'events', 'jobs', 'delivery_queue', 'webhooks'])
      expect(await rowsOf(from, table)).toEqual([])
    expect((await from.app.database.query('select id from tokens')).rows).toEqual([])
    expect((await rowsOf(to, 'jobs')).filter(({ name }) => name === 'issue-invoice')).toHaveLength(1)
    const { body } = await calls<Listed>('GET', `${INVOICES}?page_size=1`)
    expect(body.items[0]!.id).toBe(created.at(-1))
    // Every event has reached the receiver, once.
    const events = (await rowsOf(to, 'events')).map((event) => event.id)
    await receiver.has(events.length)
    expect(receiver.received.map(({ event }) => event.id).sort()).toEqual(events.sort())
  })

  it('goes together with those it shares something with', async () => {
    const { otherMerchant, buyer } = from.people
    await consentOf(buyer.id)

    // The first time the other side is slow, so writers would have to wait for too long.
    let stops = 0
    const meets = async (text: string) => {
      if (/insert into account_arrival_rows/.test(text) && ++stops === 1) await pause(STOP_MS)
      // There is so much of it that counting alone would take too long.
      if (/count\(\*\)::int as count from "invoices"/.test(text)) await pause(STOP_MS / 2)
    }
    const parts = { ...ways({ meets }, [otherMerchant.id, buyer.id]), moveId: 'both', home: null, now: from.now() }
    const moved = await moveAccounts({ ...parts, stopMsMax: STOP_MS })

    expect(stops).toBeGreaterThan(2)
    expect(moved.stopped_ms).toBeLessThan(2_000)
    expect((await to.app.database.query('select account_id from consents')).rows).toEqual([{ account_id: buyer.id }])
    const left = await from.app.database.query('select id from accounts')
    expect(left.rows).toEqual([])
  })

  it('leaves word where it went', async () => {
    const answer = await from.call<{ error_description?: string }>('GET', INVOICES, undefined, {
      headers: { authorization: `Bearer ${token}` },
    })

    expect(answer.status).toBe(401)
    expect(answer.text).toContain('This account has moved')
    const page = await from.call('GET', pagePath(created[0]!))
    expect([page.status, page.headers['location']]).toEqual([303, `https://two.example${pagePath(created[0]!)}`])
    expect((await move()).stderr).toBe('quittance: These accounts have been moved already.\n')
    expect((await move('--cancel')).stderr).toMatch(/have left already: call again without --cancel/)
  })

  it('comes back while it works, and its writers wait for less than two seconds', async () => {
    isWriting = true
    const writers = [writes(), writes()]
    const { code, stdout, stderr } = await moveBack()
    isWriting = false
    await Promise.all(writers)

    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).stopped_ms).toBeLessThan(2_000)
    expect((await rowsOf(from, 'invoices')).map((invoice) => invoice.id).sort()).toEqual([...created].sort())
    expect(await rowsOf(to, 'invoices')).toEqual([])
  })

  it('can go again to where it has been', async () => {
    expect(await tryToMove({ at: drains })).toBeInstanceOf(Death)

    expect((await rowsOf(to, 'invoices')).map((invoice) => invoice.id).sort()).toEqual([...created].sort())
  })
})
