import { summary } from '../../src/invoices/search/look.ts'
import { type Context, type Json, literal, readRow, row } from '../harness/row.ts'
import { sampleInvoice } from '../invoices/sample.ts'

const INVOICES = '/v2/invoicing/invoices'
const DRAFTS = 200

const create = (context: Context, token: string, number: string) =>
  context.call<{ id: string }>({ method: 'POST', path: INVOICES, json: sampleInvoice(number), token })

async function someDrafts(context: Context, kind: string): Promise<{ token: string; ids: string[] }> {
  const token = await context.token()
  const ids: string[] = []
  // One after the other: all at once would be refused on a busy machine.
  for (let i = 0; i < DRAFTS; i++) ids.push((await create(context, token, `${kind}-${context.run}-${i}`)).id)
  return { token, ids }
}

/** The sample as text, written once: what the generator spends on a request, it takes from what it measures. */
const [beforeNumber, afterNumber] = JSON.stringify(sampleInvoice('NUMBER')).split('NUMBER') as [string, string]
const numbered = (number: string) => beforeNumber + number + afterNumber

const { invoice_number: _, ...detailWithoutNumber } = sampleInvoice('').detail
const unnumbered = JSON.stringify({ ...sampleInvoice(''), detail: detailWithoutNumber })

type Written = Readonly<Record<string, string>>

/** The rows one creation writes, read back after it was made: the limit writes them again under other ids. */
async function writtenRows(context: Context, row: string): Promise<Written> {
  const { id } = await create(context, await context.token(), `${row}-${context.run}`)
  const [found] = await context.sql<{ row: Written }>(
    `select jsonb_build_object('id', i.id,
       'body', i.body::text, 'create_time', i.create_time, 'amount_minor', i.amount_minor::text,
       'emails', i.emails::text, 'first_names', i.first_names, 'last_names', i.last_names, 'reference', i.reference,
       'memo', i.memo, 'item_text', i.item_text, 'grams', tsvector_to_array(i.grams)::text,
       'event_body', e.body, 'type', e.type, 'app_id', e.app_id) as row
     from invoices i join events e on e.account_id = i.account_id and e.resource_id = i.id
     where i.id = $1`,
    [id],
  )
  return found!.row
}

/** The statements of one creation: document with what searches read, event, its audience. */
function inserts(w: Written): string[] {
  const text = (name: string) => literal(w[name] ?? null)
  // Each document carries its own id, as ours do: the server has to read every one, and cannot keep the first as a constant.
  const own = (name: string) => `replace(${text(name)}, ${text('id')}, 'L' || :id::bigint)`
  const now = text('create_time')
  return [
    `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
       business_names, reference, memo, item_text, grams)
     values ('MERCHANTAAAAA', 'L' || :id::bigint, ${own('body')}::jsonb, ${now}, 'limit-' || :id::bigint,
       ${text('amount_minor')}::bigint, ${text('emails')}::text[], ${text('first_names')}, ${text('last_names')}, null,
       ${text('reference')}, ${text('memo')}, ${text('item_text')}, array_to_tsvector(${own('grams')}::text[]))`,
    `insert into events (account_id, id, app_id, type, resource_id, body, create_time)
     values ('MERCHANTAAAAA', 'WH-L' || :id::bigint, ${text('app_id')}, ${text('type')}, 'L' || :id::bigint,
       ${own('event_body')}, ${now})`,
    `insert into event_audience (account_id, app_id, event_id, event_account_id, seq, create_time)
     values ('MERCHANTAAAAA', ${text('app_id')}, 'WH-L' || :id::bigint, 'MERCHANTAAAAA', :id::bigint, ${now})`,
  ]
}

interface WriteData {
  readonly token: string
  readonly run: string
  readonly written: Written
  readonly [name: string]: Json
}

const preparing =
  (row: string) =>
  async (context: Context): Promise<WriteData> => ({
    token: await context.token(),
    run: context.run,
    written: await writtenRows(context, row),
  })

const createInvoice = {
  does: 'POST /v2/invoicing/invoices with the sample of 1.5 KB and a number: account and template, totals, one write',
  prepare: preparing('numbered'),
  request: ({ token, run }: WriteData, n: number) => ({
    method: 'POST' as const,
    path: INVOICES,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: numbered(`b-${run}-${n}`),
  }),
  status: 201,
}

/** What a list reads of these documents, in the way that costs the server least. */
const summariesOf = (documents: string) => `
  select ${summary.column.toQuery().statement.text} from (
    select i.body || '{}' as body, i.create_time, i.seq from (${documents}) i order by i.create_time desc, i.seq desc offset 0) i
  order by i.create_time desc, i.seq desc`

const parts = 'document with the columns and words of searches, event and its audience'

export const rows = [
  ...readRow({
    name: 'read-invoice',
    does: 'GET /v2/invoicing/invoices/{id}: token, scope, one row, links, full JSON',
    against: 'bare Fastify + pg, the same row by the same key, sent as it is',
    prepare: (context) => someDrafts(context, 'r'),
    request: ({ token, ids }, n) => ({
      method: 'GET',
      path: `${INVOICES}/${ids[n % ids.length]}`,
      headers: { authorization: `Bearer ${token}` },
    }),
    status: 200,
    limit: {
      kind: 'fastify-pg',
      text: 'select body from invoices where account_id = $1 and id = $2',
      values: ({ ids }, n) => ['MERCHANTAAAAA', ids[n % ids.length]!],
    },
    required: 0.6,
    goal: 0.95,
  }),
  row({
    ...createInvoice,
    name: 'create-invoice',
    against: `begin, one insert each for ${parts}, commit`,
    limit: { kind: 'pgbench', statements: ({ written }) => inserts(written) },
    required: 0.4,
    goal: 0.65,
  }),
  row({
    ...createInvoice,
    name: 'create-invoice-unnumbered',
    prepare: preparing('unnumbered'),
    does: 'the same without a number, as most callers create them: sixteen at once for one merchant, each after the other',
    request: (data, n) => ({ ...createInvoice.request(data, n), body: unnumbered }),
    against: `begin, one insert each for ${parts}, commit`,
    limit: { kind: 'pgbench', statements: ({ written }) => inserts(written) },
    // Within one and a half times of what creating with a number takes.
    required: 0.27,
    goal: 0.65,
  }),
  ...readRow({
    name: 'list-invoices',
    does: 'GET /v2/invoicing/invoices: twenty summaries, newest first, with links',
    against: 'bare Fastify + pg, the same summaries by the same statement, sent as they are',
    prepare: (context) => someDrafts(context, 'l'),
    request: ({ token }) => ({ method: 'GET', path: INVOICES, headers: { authorization: `Bearer ${token}` } }),
    status: 200,
    limit: {
      kind: 'fastify-pg',
      text: summariesOf(
        'select body, create_time, seq from invoices where account_id = $1 order by create_time desc, seq desc limit 20',
      ),
      values: () => ['MERCHANTAAAAA'],
    },
    goal: 0.95,
  }),
  ...readRow({
    name: 'search-invoices',
    does: 'POST /v2/invoicing/search-invoices by recipient, first page',
    against: 'bare Fastify + pg, the same summaries by the same column, sent as they are',
    prepare: (context) => someDrafts(context, 's'),
    request: ({ token }) => ({
      method: 'POST',
      path: '/v2/invoicing/search-invoices',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"recipient_email":"bill-me@example.com"}',
    }),
    status: 200,
    limit: {
      kind: 'fastify-pg',
      text: summariesOf(`select body, create_time, seq from invoices where account_id = $1 and emails @> array[$2]
        order by create_time desc, seq desc limit 20`),
      values: () => ['MERCHANTAAAAA', 'bill-me@example.com'],
    },
    goal: 0.95,
  }),
]
