import { type Context, type Json, literal, readRow, row } from '../harness/row.ts'
import { copyForActions } from '../scale/copies.ts'

const DISPUTES = '/v1/customer/disputes'
const MERCHANT = 'MERCHANTAAAAA'
const LISTED = 2_000
/** Each can be offered to once, so there are more than a run asks for. */
const OFFERED = 60_000
/** So far on is the next one: side by side they would share pages, which those that the limit draws do not. */
const STRIDE = 7_919
/** The limit may write to the same dispute again, and seldom does. */
const LIMITED = 30_000

async function open(context: Context, payment: string): Promise<string> {
  const { links } = await context.call<{ links: { href: string }[] }>({
    method: 'POST',
    path: DISPUTES,
    json: {
      disputed_transactions: [{ buyer_transaction_id: payment }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: { currency_code: 'USD', value: '20.00' },
      evidences: [{ notes: 'It never came.' }],
    },
    token: await context.token('sandbox-buyer'),
  })
  return links[0]!.href.split('/').at(-1)!
}

const offer = { note: 'Half of it?', offer_type: 'REFUND', offer_amount: { currency_code: 'USD', value: '8.00' } }

interface Offers {
  readonly token: string
  readonly prefix: string
  readonly written: Readonly<Record<string, string>>
  readonly [name: string]: Json
}

/** What one offer writes, read back after it was made: the limit writes the same under the ids of the copies. */
async function writtenBy(context: Context, id: string): Promise<Offers['written']> {
  const [written] = await context.sql<{ row: Offers['written'] }>(
    `select jsonb_build_object('id', d.id, 'body', d.body::text, 'now', d.update_time, 'due', d.due_time,
       'event', to_jsonb(e)::text, 'seller_summary', d.seller_summary, 'buyer_summary', d.buyer_summary) as row
     from disputes d join lateral (
       select * from events e where e.account_id = d.account_id and e.resource_id = d.id order by seq desc limit 1) e on true
     where d.id = $1`,
    [id],
  )
  return written!.row
}

/** As the service writes an instant. Were all alike, an update of the same dispute would touch none of its indexes. */
const atThisTime = `to_char(clock_timestamp() at time zone 'utc', ${literal('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')})`

/**
 * Lock, update, log and enqueue what an offer does; the event goes in as the row it became. Dispute and version are taken from
 * different digits, or two of them would soon be alike.
 */
function statementsOf({ prefix, written }: Offers): string[] {
  const id = `'${prefix}L' || (:id::bigint % ${LIMITED})`
  // Each text carries its own id, as ours do: the server has to read every one, and cannot keep the first as a constant.
  const own = (text: string) => `replace(${literal(text)}, ${literal(written['id']!)}, ${id})`
  const now = literal(written['now']!)
  const event = JSON.parse(written['event']!) as Record<string, unknown>
  const columns = Object.keys(event).filter((name) => name !== 'seq')
  const shown = (name: string) => {
    const value = event[name]
    if (name === 'id') return `'WH-${prefix}' || :id::bigint`
    if (name === 'resource_id') return id
    if (value === null) return 'null'
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return name === 'body' ? own(text) : literal(text)
  }
  return [
    `select body, version from disputes where id = ${id} for update`,
    `select t.body, t.version, b.amount from payment_transactions t
       left join ledger_balances b on b.account_id = t.account_id and b.book = 'balance' and b.currency = t.currency
      where t.account_id = '${MERCHANT}' and t.id = 'S' || ${id}`,
    `update disputes set body = ${own(written['body']!)}::jsonb, version = version + 1,
       status = 'WAITING_FOR_BUYER_RESPONSE', flow = 'OFFER', seller_state = 'REQUIRED_OTHER_PARTY_ACTION',
       buyer_state = 'REQUIRED_ACTION', due_time = ${literal(written['due']!)}, update_time = ${atThisTime},
       seller_summary = ${own(written['seller_summary']!)}, buyer_summary = ${own(written['buyer_summary']!)}
      where account_id = '${MERCHANT}' and id = ${id}`,
    `insert into dispute_transitions (account_id, dispute_id, version, action, from_node, to_node, create_time)
     values ('${MERCHANT}', ${id}, (:id::bigint / ${LIMITED}) % 2000000000, 'make-offer', 'IS', 'IF', ${now})`,
    `insert into events (${columns.join(', ')}) values (${columns.map(shown).join(', ')})`,
  ]
}

export const rows = [
  ...readRow({
    name: 'show-dispute',
    does: `GET ${DISPUTES}/{id}: token, scope, one row, the seller's view with links from the table`,
    against: 'bare Fastify + pg, the same row by the same key, sent as it is',
    async prepare(context) {
      const id = await open(context, `SHOWN${context.run.toUpperCase()}`)
      return { token: await context.token(), id }
    },
    request: ({ token, id }) => ({
      method: 'GET',
      path: `${DISPUTES}/${id}`,
      headers: { authorization: `Bearer ${token}` },
    }),
    status: 200,
    limit: { kind: 'fastify-pg', text: 'select body from disputes where id = $1', values: ({ id }) => [id] },
    goal: 0.95,
  }),
  ...readRow({
    name: 'list-disputes',
    does: `GET ${DISPUTES}: token, scope, the newest ten of ${LISTED}, links`,
    against: 'the same select',
    async prepare(context) {
      const id = await open(context, `LISTED${context.run.toUpperCase()}`)
      await copyForActions(context.sql, id, LISTED, `PP-L${context.run.toUpperCase()}-`)
      return { token: await context.token() }
    },
    request: ({ token }) => ({ method: 'GET', path: DISPUTES, headers: { authorization: `Bearer ${token}` } }),
    status: 200,
    limit: {
      kind: 'pgbench',
      statements: () => [
        `select string_agg(left(summary, -1) || ${literal(',"links":[{"href":"http://127.0.0.1:8080/v1/customer/disputes/')} || id
             || ${literal('","rel":"self","method":"GET"}')} || case when takes_info and (side = 'seller' or channel = 'INTERNAL')
               then replace(${literal(',{"href":"@/provide-supporting-info","rel":"provide_supporting_info","method":"POST"}')},
                 '@', ${literal('http://127.0.0.1:8080/v1/customer/disputes/')} || id) else '' end || ']}', ',' order by n)
             filter (where n <= 10) as items,
           count(*) as found, max(at) filter (where n = 10) as at, max(id) filter (where n = 10) as id
         from (select *, row_number() over (order by at desc, id desc) as n from (
           select id, 'seller' as side, create_time as at, seller_summary as summary, takes_info, channel, null as body
           from disputes where account_id = '${MERCHANT}' order by create_time desc, id desc limit 11) page) numbered`,
      ],
    },
    required: 0.3,
    goal: 0.5,
  }),
  row({
    name: 'make-offer',
    does: `POST ${DISPUTES}/{id}/make-offer: dispute, payment and balance read, decided, then one guarded statement`,
    against: 'begin, the same reads with a lock, the same update, its move and the event, commit',
    async prepare(context): Promise<Offers> {
      const token = await context.token()
      const prefix = `PP-O${context.run.toUpperCase()}-`
      const id = await open(context, `OFFERED${context.run.toUpperCase()}`)
      await copyForActions(context.sql, id, OFFERED, prefix)
      await copyForActions(context.sql, id, LIMITED, `${prefix}L`)
      await context.call({ method: 'POST', path: `${DISPUTES}/${id}/make-offer`, json: offer, token })
      return { token, prefix, written: await writtenBy(context, id) }
    },
    request: ({ token, prefix }, n) => ({
      method: 'POST',
      path: `${DISPUTES}/${prefix}${(n * STRIDE) % OFFERED}/make-offer`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(offer),
    }),
    status: 200,
    limit: { kind: 'pgbench', statements: (data) => statementsOf(data) },
    required: 0.3,
    goal: 0.65,
  }),
]
