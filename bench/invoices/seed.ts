import type { Status } from '../../src/invoices/schema/enums.ts'
import type { Invoice } from '../../src/invoices/schema/invoice.ts'
import { searchColumns } from '../../src/invoices/search/columns.ts'
import { after, type Instant } from '../../src/kernel/clock.ts'
import { toMoney } from '../../src/kernel/money.ts'
import type { Context } from '../harness/row.ts'
import { type Run, withoutIndexes } from '../scale/copies.ts'

/** Invoices reach so far back. */
export const YEARS = 3
const BATCH = 1_000
/**
 * Invoices that are made up one by one; the rest are copies of them at other times and with other numbers. So a merchant with
 * a hundred times as many has a hundred times as many of everything.
 */
const ORIGINALS_MAX = 10_000
/** But for these few, of which every merchant has as many: nobody shares their values, so a search for one finds no more among many. */
const ODD_COUNT = 5
const isOdd = (n: number) => n % 1_000 === 100 && n < ODD_COUNT * 1_000
/** What the odd ones have, made of the same pieces as what others have. */
export const odd = {
  status: 'PAYMENT_PENDING',
  currency: 'CHF',
  amount: 100_000_000n,
  day: '2010-05-05',
  email: 'odd@example.com',
  name: 'tusokebina',
  business: 'lumikosate gmbh',
  reference: 'po-98765',
  memo: 'bikomatude',
  item: 'sunerakibo',
} as const

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

/** Gives the merchant of an invoice `count` more that differ in everything a search can ask for. */
export async function seedInvoices(
  context: Context,
  invoiceId: string,
  count: number,
  runs: readonly Run[],
): Promise<void> {
  const [stored] = await context.sql<{ account_id: string; body: Invoice; create_time: Instant }>(
    'select account_id, body, create_time from invoices where id = $1',
    [invoiceId],
  )
  const { account_id: accountId, body: pattern, create_time: newest } = stored!
  const random = numbers(7)
  const draw = (max: number) => Math.floor(random.next().value! * max)
  const originals = Math.min(count, ORIGINALS_MAX)
  const copies = Math.ceil(count / originals) - 1
  const seconds = (YEARS * 365 * 86_400) / originals

  const [run] = runs as [Run]
  const insertAll = async () => {
    for (let start = 0; start < originals; start += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, originals - start) }, (_, i) => {
        const n = start + i
        const createTime = after(newest, -Math.round((originals - n) * seconds))
        const invoice = vary(pattern, n, originals, createTime, draw)
        return { invoice: isOdd(n) ? oddOne(invoice, n) : invoice, createTime }
      })
      await insertBatch(context, accountId, rows)
    }
    const each = Math.ceil(copies / runs.length)
    await Promise.all(
      runs.map((one, i) =>
        copyAll(one, accountId, [1 + i * each, Math.min(copies, (i + 1) * each)], [seconds, copies, originals]),
      ),
    )
  }
  await withoutIndexes(run, 'invoices', () => withoutIndexes(run, 'invoice_transactions', insertAll), runs)
}

/** Any number that has no divisor in common with how many are made up. */
const STRIDE = 7919
const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** By how much a copy of what belongs to the invoice `id` is moved in time, of `$4` seconds between originals and `$5` copies of each of `$6`. */
const move = (id: string) => `
  cross join lateral (select substring(${id} from '[0-9]+$')::bigint as n) original
  cross join lateral (select make_interval(
    secs => (((n + copy * ${STRIDE}) % $6::int - n) + copy / ($5 + 1.0)) * $4::float8) as time) move`
const moved = (column: string) => `to_char((${column}::timestamptz at time zone 'UTC') + move.time, ${TIME})`

/**
 * Everything that was made up once more, and again. Words are the same and stand elsewhere in time each time, as those of different
 * invoices do: side by side, the newest ten thousand would be a hundred different ones. Added in the order of time, as a merchant's are.
 */
async function copyAll(
  run: Run,
  accountId: string,
  [from, to]: readonly [number, number],
  [seconds, copies, originals]: readonly [number, number, number],
): Promise<void> {
  if (from > to) return
  // References hold, because what they lead to is copied as well; to check them takes as long as to copy.
  await run('set session_replication_role = replica')
  await run(
    `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
       business_names, reference, memo, item_text, grams)
     select i.account_id, i.id || '-' || copy, i.body || jsonb_build_object('detail', (i.body->'detail') || jsonb_build_object(
         'invoice_date', substr(made.create_time, 1, 10), 'payment_term', jsonb_build_object('term_type', 'NET_30',
           'due_date', to_char(made.create_time::date + 30, 'YYYY-MM-DD')))),
       made.create_time, i.number_key || '-' || copy, i.amount_minor, i.emails, i.first_names, i.last_names,
       i.business_names, i.reference, i.memo, i.item_text, i.grams
     from (
       select id, copy, ${moved('create_time')} as create_time
       from invoices cross join generate_series($2::int, $3::int) as copy ${move('id')}
       where account_id = $1 and number_key ~ '^s-[0-9]+$' order by 3) made
     cross join lateral (select * from invoices where account_id = $1 and id = made.id limit 1) i`,
    [accountId, from, to, seconds, copies, originals],
  )
  await run(
    `insert into invoice_transactions (account_id, id, invoice_id, kind, type, day, currency_code, amount_minor,
       create_time, invoice_create_time, invoice_seq)
     select t.account_id, t.id || '-' || copy, invoice.id, kind, type, to_char(day::timestamp + move.time, 'YYYY-MM-DD'),
       t.currency_code, t.amount_minor, t.create_time, invoice.create_time, invoice.seq
     from invoice_transactions t cross join generate_series($2::int, $3::int) as copy ${move('t.invoice_id')}
     join invoices invoice on invoice.account_id = t.account_id and invoice.id = t.invoice_id || '-' || copy
     where t.account_id = $1 and t.id ~ '^EXTR[^-]+$' order by invoice.create_time`,
    [accountId, from, to, seconds, copies, originals],
  )
  await run('reset session_replication_role')
}

function vary(pattern: Invoice, n: number, count: number, createTime: Instant, draw: (max: number) => number): Invoice {
  const share = draw(1_000_000) / 1_000_000
  const status = shares.find(([, upTo]) => share < upTo)?.[0] ?? 'DRAFT'
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

/** The same with what no other has. Its number keeps it from being copied. */
function oddOne(invoice: Invoice, n: number): Invoice {
  const amount = toMoney(odd.amount, odd.currency)
  const payment = {
    type: 'EXTERNAL',
    payment_id: `ODD-${n}`,
    payment_date: odd.day,
    method: 'CASH',
    amount,
    transaction_status: 'SUCCESS',
  } as const
  return {
    ...invoice,
    status: odd.status,
    base_status: 'SENT',
    detail: {
      ...invoice.detail,
      currency_code: odd.currency,
      invoice_number: `ODD-${n}`,
      invoice_date: odd.day,
      reference: odd.reference,
      memo: odd.memo,
      payment_term: { term_type: 'NET_30', due_date: odd.day },
    },
    primary_recipients: [
      {
        billing_info: {
          email_address: odd.email,
          name: { given_name: odd.name, surname: odd.name },
          business_name: odd.business,
        },
      },
    ],
    items: invoice.items.map((item) => ({ ...item, description: odd.item })),
    amount: { ...invoice.amount, ...amount },
    payments: [payment],
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
  const paid = rows.flatMap(({ invoice }) => invoice.payments.map((payment) => ({ invoice, payment })))
  await context.sql(
    `insert into invoice_transactions (account_id, id, invoice_id, kind, type, day, currency_code, amount_minor,
       create_time, invoice_create_time, invoice_seq)
     select $1, p.id, invoice_id, 'PAYMENT', 'EXTERNAL', day, 'USD', 1, create_time, create_time, i.seq
     from unnest($2::text[], $3::text[], $4::text[]) as p(id, invoice_id, day)
     join invoices i on i.account_id = $1 and i.id = invoice_id`,
    [
      accountId,
      paid.map(({ payment }) => payment.payment_id),
      paid.map(({ invoice }) => invoice.id),
      paid.map(({ payment }) => payment.payment_date),
    ],
  )
}
