import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/database/open.ts'
import { unprepared } from '../../src/database/sql.ts'
import { queueDeliveries } from '../support/deliveries.ts'
import { sourceStatements } from '../support/source-statements.ts'
import { newWorld, usd, type World } from '../support/world.ts'

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly Plan[]
}

/** Statements that read a whole table, by what it is and how they begin, and why that is all right. */
const mayRead: [table: RegExp, statement: RegExp, why: string][] = [
  [
    /^accounts$/,
    /^select body from accounts where kind = |^(with w0 as \()?select (caller\.body as caller, .* )?from \(select 1\) as one left join accounts caller /,
    'a sandbox looks for its first merchant or buyer',
  ],
  [/^(app_secrets|apps)$/, /^select distinct client_id from app_secrets/, 'a command looks for secrets to replace'],
  [
    /^webhooks$/,
    /^\(select 0 as place, id as owner, sealed from signing_keys/,
    'a start tries the secret on one of each',
  ],
  [/^app_secrets$/, /^select distinct key_id from app_secrets/, 'a start asks by whom, where nothing is sealed yet'],
  [/^webhooks$/, /^select account_id, id, url, secret/, 'an inbox of a sandbox asks which webhooks lead to it'],
  [/^webhooks$/, /^select coalesce\(jsonb_agg\(to_jsonb\(webhooks/, 'a reset of a sandbox keeps all webhooks'],
  [
    /^(tokens|apps)$/,
    /^select \(select coalesce\(jsonb_agg\(to_jsonb\(tokens\)|^delete from tokens( using apps where apps\.id = app_id and token_generation|$)|^update tokens set generation|^insert into tokens select \(jsonb/,
    'a sandbox goes back to a snapshot or to its beginning, and all tokens are kept',
  ],
  [/^signing_(keys|authority)$/, /./, 'a handful of rows, one for each replacement'],
  [/^(clock|happenings_told|deployment)$/, /./, 'one row'],
  [/^erasures$/, /./, 'one row for each customer who is being erased'],
  [/^webhooks$/, /^select w\.id as webhook_id, .* as waiting_since/, 'a command looks at all webhooks'],
  [/^pg_\w+$/, /^select format\('%I', c\.relname\)/, 'a reset of a sandbox asks what its tables are'],
  [/^pg_\w+$/, /^select p\.relname::text as table/, 'a process asks every hour which partitions there are'],
  [/^delivery_queue$/, /^select from delivery_queue where event_id >= /, 'a day of events is dropped, once'],
  [
    /^delivery_queue$/,
    /^update delivery_queue set signature = null/,
    'a command takes out what is held about a customer',
  ],
  [
    /^(jobs|payment_transactions|event_audience|deliveries|delivery_queue|pg_\w+)$/,
    /^with recursive tables as|^select \(select count\(\*\) from jobs where account_id|^with forwarded as|^with gone as|^select c\.relname|^select c\.oid::regclass::text as name, pg_relation_size/,
    'a command moves an account to another database',
  ],
]

/** The same of `in` and `exists`: of one account or one app, which has few. Of the server's own tables commands ask. */
const mayHash = /^delete from (logos|app_secrets) where/

/** Ahead of a statement that tells apps of events, so that it can be planned alone. */
const announcing = `with announced as (
  insert into events (account_id, id, type, resource_id, body, create_time) values ('A', 'E', 'T', 'R', '{}', '')
  returning seq, account_id, id, type, resource_id, create_time) `

/** A part of a commit that only a command makes. */
const commandsOwn = /^insert into signing_keys/

const notAnalyzed = `
  do $$ declare name regclass; begin
    for name in select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = false)', name);
    end loop;
  end $$`

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim()

describe('Every statement of the source', () => {
  let world: World
  const composed = new Set<string>()
  /** What is put together for lists of what was sent. */
  const listed = new Set<string>()
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    // Nobody counts the rows meanwhile: of tables that are known to be small it would rightly read the whole.
    await world.app.database.rows(unprepared(notAnalyzed))
    const spy = vi.spyOn(pg.Client.prototype, 'query')
    await live(world)
    for (const [query] of spy.mock.calls) {
      const { text = '' } = query as unknown as { text?: string }
      if (/^with w?\w+ as/.test(text)) composed.add(text)
      else if (/left join .*delivery_queue/.test(text)) listed.add(text)
    }
    spy.mockRestore()
    // Of the other tables the planner knows nothing yet, and takes them for larger than they are.
    await queueDeliveries(world.app.database, 5_000)
  })
  afterAll(async () => {
    await world.app.database.rows(unprepared("delete from delivery_queue where webhook_id = 'W'"))
    await world.close()
  })

  /** What a statement reads whole, as PostgreSQL would carry it out for any values. Undefined when it is only a part. */
  async function wholeTablesOf(text: string): Promise<string[] | undefined> {
    const places = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
    const nulls = places === 0 ? '' : `(${Array(places).fill('null').join()})`
    const explain = async ({ rows }: Connection) => {
      await rows(unprepared('set local plan_cache_mode = force_generic_plan'))
      await rows(unprepared(`prepare planned as ${text}`))
      const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        unprepared(`explain (format json) execute planned${nulls}`),
      )
      await rows(unprepared('deallocate planned'))
      return wholeIn(row!['QUERY PLAN'][0].Plan, false)
    }
    return world.app.database.transaction(explain).catch((error: { code?: string }) => {
      // It refers to what another part of its commit returns.
      if (error.code === '42P01') return undefined
      throw error
    })
  }

  it('goes by an index, or is known to read a small table or to be run by a command', async () => {
    const parts: string[] = []
    const found: string[] = []
    let told = 0
    const used = new Set<(typeof mayRead)[number]>()
    const statements = sourceStatements()
    for (const text of [...statements, ...composed]) {
      if (/^\s*(begin|commit|rollback)$/.test(text) || /information_schema/.test(text)) continue
      const isTold = /^insert into event_audience\b/.test(text)
      const tables = await wholeTablesOf(isTold ? announcing + text : text)
      if (isTold) told++
      if (!tables) parts.push(text)
      for (const table of tables ?? []) {
        const reason = mayRead.find(([name, statement]) => name.test(table) && statement.test(squeezed(text)))
        if (reason) used.add(reason)
        else if (!/^hashed pg_/.test(table) && !(table.startsWith('hashed') && mayHash.test(squeezed(text))))
          found.push(`${table}: ${squeezed(text).slice(0, 150)}`)
      }
    }

    expect(found).toEqual([])
    expect(mayRead.filter((reason) => !used.has(reason))).toEqual([])
    const whole = [...composed].map((text) => squeezed(text.replace(/\$\d+/g, '$')))
    const unseen = parts.filter((part) => !whole.some((text) => text.includes(squeezed(part.replace(/\$\d+/g, '$')))))
    const strange = unseen.map((text) => squeezed(text).slice(0, 120)).filter((text) => !commandsOwn.test(text))
    expect(strange).toEqual([])
    expect(statements.length).toBeGreaterThan(200)
    // Events of every kind, alone and together, and from every app.
    expect(told).toBeGreaterThan(40)
  })

  it('finds by its key what it wants of the queue, also when it is planned while the queue is empty', async () => {
    const { database } = world.app
    await database.query('delete from delivery_queue')
    await database.query('vacuum analyze delivery_queue')
    const found: string[] = []
    const ofQueue = new Set(
      [...sourceStatements(), ...composed, ...listed].filter((text) => text.includes('delivery_queue')),
    )
    for (const text of ofQueue) {
      const whole = ((await wholeTablesOf(text)) ?? []).filter((table) => table.includes('delivery_queue'))
      const isKnown = mayRead.some(([, statement]) => statement.source !== '.' && statement.test(squeezed(text)))
      if (whole.length > 0 && !isKnown) found.push(squeezed(text).slice(0, 150))
    }

    expect(found).toEqual([])
    expect(ofQueue.size).toBeGreaterThan(30)
    expect(listed.size).toBeGreaterThan(0)
  })

  it('finds payments by their keys, also when it is planned while there are few', async () => {
    await world.app.database.query('vacuum analyze payment_transactions, payment_refunds, disputed_transactions')
    const byKeys = /^\s*(update payment_(transactions|refunds) t set|select asked\.transaction_id)/
    const statements = sourceStatements().filter((text) => byKeys.test(text))

    expect(statements.length).toBe(3)
    for (const text of statements) expect(await wholeTablesOf(text), text).toEqual([])
  })
})

function wholeIn(plan: Plan, isLimited: boolean): string[] {
  const type = plan['Node Type']
  const table = plan['Relation Name'] ?? plan['Index Name'] ?? ''
  const isWhole = /Seq Scan/.test(type) || (/Index/.test(type) && plan['Index Cond'] === undefined && !isLimited)
  const inner = (plan.Plans ?? []).flatMap((one) => wholeIn(one, isLimited || type === 'Limit'))
  // What an `exists` or `in` asks is read as a whole, into memory, however few are asked for.
  if (/hashed SubPlan/.test(plan.Filter ?? '')) inner.push(`hashed ${table}`)
  return isWhole && !/_(due|parked|turn|later|current)$/.test(plan['Index Name'] ?? '') ? [table, ...inner] : inner
}

/** Something of everything, so that its commits are seen. */
async function live({ merchant, buyer, call }: World): Promise<void> {
  const ok = ({ status, text }: { status: number; text: string }) => expect(status, text).toBeLessThan(300)
  const webhook = { url: 'https://example.test/hook', event_types: [{ name: '*' }] }
  const made = await merchant.post<{ id: string }>('/v1/notifications/webhooks', webhook)
  ok(made)
  const invoices = '/v2/invoicing/invoices'
  const item = { name: 'A chair', quantity: '1', unit_amount: usd('9.00') }
  const draft = await merchant.post<{ id: string }>(
    invoices,
    { detail: { currency_code: 'USD' }, items: [item] },
    { headers: { prefer: 'return=representation' } },
  )
  ok(draft)
  ok(await merchant.post(`${invoices}/${draft.body.id}/send`, {}))
  ok(await call('POST', `/sandbox/invoices/${draft.body.id}/pay`, {}))
  const paid = await call<{ buyer_transaction_id: string }>('POST', '/sandbox/transactions', { amount: usd('5.00') })
  const disputed = [{ buyer_transaction_id: paid.body.buyer_transaction_id }]
  ok(await buyer.post('/v1/customer/disputes', { disputed_transactions: disputed, reason: 'UNAUTHORISED' }))
  const simulated = { webhook_id: made.body.id, event_type: 'INVOICING.INVOICE.CREATED' }
  ok(await merchant.post('/v1/notifications/simulate-event', simulated))
  const sent = '/v1/notifications/webhooks-transmissions'
  const waiting = await merchant.get<{ transmissions: { transmission_id: string }[] }>(sent)
  ok(await merchant.post(`${sent}/${waiting.body.transmissions[0]!.transmission_id}/attempt`))
  ok(await merchant.post(`/v1/notifications/webhooks/${made.body.id}/disable`))
  ok(await merchant.delete(`/v1/notifications/webhooks/${made.body.id}`))
}
