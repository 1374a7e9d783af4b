import { type Status, statuses } from '../../src/invoices/schema/enums.ts'
import type { Invoice } from '../../src/invoices/schema/invoice.ts'
import { searchColumns } from '../../src/invoices/search/columns.ts'
import { after, type Instant } from '../../src/kernel/clock.ts'
import { toMoney } from '../../src/kernel/money.ts'
import type { Context } from '../harness/row.ts'
import { sampleInvoice } from './sample.ts'

/** A merchant with invoices, and what a search needs to know of them. */
export interface SeededMerchant {
  readonly token: string
  readonly accountId: string
  readonly count: number
  readonly newest: string
  readonly oldest: string
}

const YEARS = 3
const BATCH = 1_000
/** Invoices that are made up one by one; the rest are copies of them at other times and with other numbers. */
export const ORIGINALS_MAX = 20_000

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

const syllables =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu'.split(
    ' ',
  )

/** The n-th of many names, each a few syllables. */
export const word = (n: number): string => {
  let text = ''
  for (let rest = n + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
    text += syllables[rest % syllables.length]
  return text
}

// biome-ignore format: a table reads best as a table
const shares: readonly (readonly [Status, number])[] = [
  ['MARKED_AS_PAID', 0.5], ['PAID', 0.75], ['SENT', 0.9], ['PARTIALLY_PAID', 0.93], ['CANCELLED', 0.96],
  ['DRAFT', 0.985], ['MARKED_AS_REFUNDED', 0.995], ['SCHEDULED', 0.9999],
]

/** Gives a merchant `count` invoices that differ in everything a search can ask for. */
export async function seedInvoices(
  context: Context,
  clientId: string,
  count: number,
  say: (text: string) => void,
): Promise<SeededMerchant> {
  const token = await context.token(clientId)
  const made = await context.call<{ id: string }>({
    method: 'POST',
    path: '/v2/invoicing/invoices',
    json: sampleInvoice('SEED'),
    token,
  })
  const [stored] = await context.sql<{ account_id: string; body: Invoice; create_time: Instant }>(
    'select account_id, body, create_time from invoices where id = $1',
    [made.id],
  )
  const { account_id: accountId, body: pattern, create_time: newest } = stored!
  const indexes = await dropIndexes(context)
  const random = numbers(7)
  const draw = (max: number) => Math.floor(random.next().value! * max)
  const originals = Math.min(count, ORIGINALS_MAX)
  const copies = Math.ceil(count / originals) - 1
  const seconds = (YEARS * 365 * 86_400) / originals

  for (let start = 0; start < originals; start += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, originals - start) }, (_, i) => {
      const n = start + i
      const createTime = after(newest, -Math.round((originals - n) * seconds))
      return { invoice: vary(pattern, n, originals, createTime, draw), createTime }
    })
    await insertBatch(context, accountId, rows)
  }
  for (let copy = 1; copy <= copies; copy++) {
    await copyAll(context, accountId, copy, Math.round((seconds / (copies + 1)) * copy))
    if (copy % 5 === 0) say(`${clientId}: ${originals * (copy + 1)} invoices`)
  }
  for (const { indexdef } of indexes) {
    await context.sql(indexdef)
    say(indexdef)
  }
  return { token, accountId, count, newest, oldest: after(newest, -YEARS * 365 * 86_400) }
}

const laterBy = (column: string) =>
  `to_char((${column}::timestamptz at time zone 'UTC') + make_interval(secs => $3), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Everything made up so far once more, a little later. Documents and words are the same, columns that matter differ. */
async function copyAll(context: Context, accountId: string, copy: number, seconds: number): Promise<void> {
  await context.sql(
    `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
       business_names, reference, memo, item_text, grams)
     select account_id, id || '-' || $2::int, body, ${laterBy('create_time')}, number_key || '-' || $2::int, amount_minor,
       emails, first_names, last_names, business_names, reference, memo, item_text, grams
     from invoices where account_id = $1 and number_key ~ '^s-[0-9]+$'`,
    [accountId, copy, seconds],
  )
  await context.sql(
    `insert into invoice_transactions (account_id, id, invoice_id, kind, type, day, currency_code, amount_minor,
       create_time, invoice_create_time, invoice_seq)
     select account_id, id || '-' || $2::int, invoice_id || '-' || $2::int, kind, type, day, currency_code, amount_minor,
       create_time, ${laterBy('invoice_create_time')}, invoice_seq
     from invoice_transactions where account_id = $1 and id !~ '-[0-9]+$'`,
    [accountId, copy, seconds],
  )
}

function vary(pattern: Invoice, n: number, count: number, createTime: Instant, draw: (max: number) => number): Invoice {
  const share = draw(1_000_000) / 1_000_000
  const status = n % 5_000 === 17 ? 'PAYMENT_PENDING' : (shares.find(([, upTo]) => share < upTo)?.[0] ?? statuses[4])
  const currency = draw(100) < 96 ? 'USD' : draw(2) === 0 ? 'EUR' : 'GBP'
  const amount = toMoney(BigInt(draw(500_000) + 1), currency)
  const customer = draw(Math.max(1, Math.floor(count / 20)))
  const day = createTime.slice(0, 10)
  const isPaid = status === 'MARKED_AS_PAID' || status === 'PAID'
  return {
    ...pattern,
    id: `INV2-${word(n).toUpperCase()}-${n}`,
    status,
    base_status: status === 'DRAFT' || status === 'SCHEDULED' ? status : 'SENT',
    detail: {
      ...pattern.detail,
      currency_code: currency,
      invoice_number: `S-${n}`,
      invoice_date: day,
      reference: `PO-${draw(count)}`,
      memo: `${word(draw(200))} ${word(draw(20_000))}`,
      payment_term: { term_type: 'NET_30', due_date: after(createTime, 30 * 86_400).slice(0, 10) },
    },
    primary_recipients: [
      {
        billing_info: {
          email_address: `customer-${customer}@${word(customer % 500)}.example`,
          name: { given_name: word(customer % 300), surname: word(customer % 7_000) },
          business_name: `${word(customer % 3_000)} ${word(customer % 900)} GmbH`,
        },
      },
    ],
    items: pattern.items.map((item) => ({
      ...item,
      name: `${item.name} ${word(draw(5_000))}`,
      description: `${word(draw(300))} ${word(draw(90_000))}`,
    })),
    amount: { ...pattern.amount, ...amount },
    due_amount: toMoney(isPaid ? 0n : 1n, currency),
    payments: isPaid
      ? [
          {
            type: status === 'PAID' ? 'SERVICE' : 'EXTERNAL',
            payment_id: `EXTR${pattern.id.slice(5, 9)}${n}`,
            payment_date: after(createTime, draw(40) * 86_400).slice(0, 10),
            method: 'CASH',
            amount,
            transaction_status: 'SUCCESS',
          },
        ]
      : [],
  }
}

async function insertBatch(
  context: Context,
  accountId: string,
  rows: readonly { invoice: Invoice; createTime: Instant }[],
): Promise<void> {
  const records = rows.map(({ invoice, createTime }) => {
    const [number_key, amount, emails, first_names, last_names, business_names, reference, memo, item_text, grams] =
      searchColumns(invoice)
    return {
      body: invoice,
      create_time: createTime,
      number_key,
      amount_minor: String(amount),
      emails,
      first_names,
      last_names,
      business_names,
      reference,
      memo,
      item_text,
      grams,
    }
  })
  await context.sql(
    `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
       business_names, reference, memo, item_text, grams)
     select $1, body->>'id', body, create_time, number_key, amount_minor, emails, first_names, last_names,
       business_names, reference, memo, item_text, array_to_tsvector(grams)
     from jsonb_to_recordset($2::jsonb) as r(body jsonb, create_time text, number_key text, amount_minor bigint,
       emails text[], first_names text, last_names text, business_names text, reference text, memo text,
       item_text text, grams text[])`,
    [accountId, JSON.stringify(records)],
  )
  const paid = rows.flatMap(({ invoice, createTime }) =>
    invoice.payments.map((payment) => ({ invoice, payment, createTime })),
  )
  await context.sql(
    `insert into invoice_transactions (account_id, id, invoice_id, kind, type, day, currency_code, amount_minor,
       create_time, invoice_create_time, invoice_seq)
     select $1, id, invoice_id, 'PAYMENT', 'EXTERNAL', day, 'USD', 1, create_time, create_time, 0
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as p(id, invoice_id, day, create_time)`,
    [
      accountId,
      paid.map(({ payment }) => payment.payment_id),
      paid.map(({ invoice }) => invoice.id),
      paid.map(({ payment }) => payment.payment_date),
      paid.map(({ createTime }) => createTime),
    ],
  )
}

/** Filling a table is much faster without its indexes; they are built again from what they were. */
async function dropIndexes(context: Context): Promise<{ indexdef: string }[]> {
  const indexes = await context.sql<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
     where tablename in ('invoices', 'invoice_transactions') and indexname not like '%_pkey'`,
  )
  for (const { indexname } of indexes) await context.sql(`drop index ${indexname}`)
  return indexes
}
