import { type Context, type Json, literal, row } from '../harness/row.ts'

const PAYMENTS = 200
/** Payments go to many sellers: one seller's books are one queue, in the service as in the limit. */
const SELLERS = 64

const pay = (context: Context, token: string, requestId: string, seller?: string) =>
  context.call<{ seller_transaction_id: string }>({
    method: 'POST',
    path: '/sandbox/transactions',
    headers: { 'service-request-id': requestId },
    json: payment(seller),
    token,
  })

const payment = (seller_email?: string) => ({
  amount: { currency_code: 'USD', value: '25.00' },
  items: [{ item_id: 'SKU-1', item_name: 'Coffee beans, 1 kg', item_quantity: '2' }],
  invoice_number: 'INV-2026-0042',
  custom: 'order 4711',
  ...(seller_email !== undefined && { seller_email }),
})

const sellerEmail = (n: number) => `seller-${n % SELLERS}@bench.example`

async function addSellers(context: Context): Promise<void> {
  await context.sql(
    `insert into accounts (id, body, create_time)
     select 'BENCHSELLER' || n, body || jsonb_build_object('id', 'BENCHSELLER' || n, 'email', 'seller-' || n || '@bench.example'), create_time
       from accounts, generate_series(0, $1::int - 1) as n where id = 'MERCHANTAAAAA'
     on conflict do nothing`,
    [SELLERS],
  )
}

type Written = Readonly<Record<string, string>>

/** The rows one payment writes, read back after it was made: the limit writes them again under other ids. */
async function writtenRows(context: Context): Promise<Written> {
  const key = `bench-pattern-${context.run}`
  const { seller_transaction_id: id } = await pay(context, await context.token(), key, sellerEmail(0))
  const written = await context.sql<{ row: Written }>(
    `select jsonb_build_object(
       'id', t.id, 'body', t.body::text, 'create_time', t.create_time,
       'entries', (select count(*) from ledger_entries where reference = t.id),
       'event', e.id, 'event_body', e.body, 'type', e.type, 'app_id', e.app_id,
       'answer', encode(i.sealed, 'hex'), 'headers', i.headers::text, 'operation', i.operation, 'expire_time', i.expire_time) as row
     from payment_transactions t
     join events e on e.account_id = t.account_id and e.resource_id = t.id
     join idempotency i on i.key = $2
     where t.id = $1`,
    [id, key],
  )
  return written[0]!.row
}

/** The statements of one payment: document, ledger entries, event, its audience, kept answer. */
function inserts({ body, event_body: event, answer, ...w }: Written): string[] {
  const seller = `'BENCHSELLER' || (:id::bigint % ${SELLERS})`
  const now = literal(w['create_time']!)
  const buyerId = /"buyer_transaction_id": ?"(\w+)"/.exec(body!)![1]!
  const renamed = (text: string) => `replace(${literal(text.replaceAll(buyerId, '@@'))}, '@@', 'B' || :id::bigint)`
  return [
    `insert into payment_transactions (account_id, id, body, currency, captured, held, create_time)
     values (${seller}, 'T' || :id::bigint, ${renamed(body!)}::jsonb, 'USD', 2500, 0, ${now})`,
    `insert into ledger_entries
       (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time)
     values (${seller}, 'P' || :id::bigint, 1, 'payer', 'USD', -2500, 'CAPTURE', 'T' || :id::bigint, false, ${now}),
            (${seller}, 'P' || :id::bigint, 2, 'balance', 'USD', 2500, 'CAPTURE', 'T' || :id::bigint, false, ${now})`,
    `insert into events (account_id, id, app_id, type, resource_id, body, create_time)
     values (${seller}, 'WH-' || :id::bigint, ${literal(w['app_id']!)}, ${literal(w['type']!)}, 'T' || :id::bigint,
       ${literal(event!)}, ${now})`,
    `insert into event_audience (account_id, app_id, event_id, event_account_id, seq, create_time)
     values ('MERCHANTAAAAA', ${literal(w['app_id']!)}, 'WH-' || :id::bigint, ${seller}, :id::bigint, ${now})`,
    `insert into idempotency
       (account_id, app_id, operation, key, request_hash, status, headers, sealed, create_time, expire_time)
     values ('MERCHANTAAAAA', ${literal(w['app_id']!)}, ${literal(w['operation']!)}, 'limit-' || :id::bigint,
       sha256(${literal(answer!)}::bytea), 201, ${literal(w['headers']!)}::jsonb, decode(${literal(answer!)}, 'hex'), ${now},
       ${literal(w['expire_time']!)}) on conflict (account_id, app_id, operation, key) do nothing`,
  ]
}

interface WriteData {
  readonly token: string
  readonly run: string
  readonly written: Written
  readonly [name: string]: Json
}

const writePayment = {
  does: 'POST /sandbox/transactions with a request id: one statement, which also checks who is paid by whom',
  async prepare(context: Context): Promise<WriteData> {
    await addSellers(context)
    return { token: await context.token(), run: context.run, written: await writtenRows(context) }
  },
  request: ({ token, run }: WriteData, n: number) => ({
    method: 'POST' as const,
    path: '/sandbox/transactions',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'service-request-id': `bench-${run}-${n}`,
    },
    body: JSON.stringify(payment(sellerEmail(n))),
  }),
  status: 201,
}

const parts = 'payment, ledger entries (with the trigger that keeps balances), event, its audience and kept answer'

export const rows = [
  row({
    name: 'read-payment',
    does: 'GET /v2/payments/captures/{id}: token, scope, one row, links, full JSON',
    against: 'bare Fastify + pg, the same row by the same key, sent as it is',
    async prepare(context) {
      const token = await context.token()
      const made = Array.from({ length: PAYMENTS }, (_, i) => pay(context, token, `bench-${context.run}-made-${i}`))
      return { token, ids: (await Promise.all(made)).map(({ seller_transaction_id }) => seller_transaction_id) }
    },
    request: ({ token, ids }, n) => ({
      method: 'GET',
      path: `/v2/payments/captures/${ids[n % ids.length]}`,
      headers: { authorization: `Bearer ${token}` },
    }),
    status: 200,
    limit: {
      kind: 'fastify-pg',
      text: 'select body from payment_transactions where account_id = $1 and id = $2',
      values: ({ ids }, n) => ['MERCHANTAAAAA', ids[n % ids.length]!],
    },
    required: 0.6,
    goal: 0.85,
  }),
  row({
    ...writePayment,
    name: 'write-payment',
    against: `begin, one insert each for ${parts}, commit`,
    limit: { kind: 'pgbench', statements: ({ written }) => inserts(written) },
    required: 0.4,
    goal: 0.65,
  }),
  row({
    ...writePayment,
    name: 'write-payment-one-statement',
    against: `the same inserts as one statement: ${parts}`,
    limit: {
      kind: 'pgbench',
      statements: ({ written }) => {
        const parts = inserts(written).map((insert, i) => `w${i} as (${insert})`)
        return [`with ${parts.join(', ')} select 1`]
      },
    },
  }),
]
