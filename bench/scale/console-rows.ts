import { type Run, withoutIndexes } from './copies.ts'

/** What the rows hang on: a merchant with an app, an invoice to copy, and two webhooks, one of which hears nothing. */
export interface Roots {
  readonly accountId: string
  readonly appId: string
  readonly invoiceId: string
  readonly busyWebhook: string
}

/** Sends something as one of a sandbox's people. */
type Post = <Body>(who: string, path: string, json: object) => Promise<Body>

/** The merchant's webhooks, of which one is to hear of everything and one of nothing, and a dispute to copy. */
export async function makeRoots(post: Post): Promise<{ readonly busyWebhook: string; readonly disputeId: string }> {
  const listen = (path: string) =>
    post<{ id: string }>('sandbox-merchant', '/v1/notifications/webhooks', {
      url: `http://127.0.0.1:9009/${path}`,
      event_types: [{ name: '*' }],
    })
  const [busy] = [await listen('busy'), await listen('quiet')]
  const { links } = await post<{ links: { href: string }[] }>('sandbox-buyer', '/v1/customer/disputes', {
    disputed_transactions: [{ buyer_transaction_id: 'FIRST' }],
    reason: 'OTHER',
  })
  return { busyWebhook: busy.id, disputeId: links[0]!.href.split('/').at(-1)! }
}

const ago = (seconds: string) =>
  `to_char((now() at time zone 'utc') - (${seconds}) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** Spread over thirty days, the newest first. */
const spread = ago('n * (2592000.0 / $1)')
const day = (ago: string) => `to_char((now() at time zone 'utc') - (${ago}) * interval '1 day', 'YYYY-MM-DD')`
/** So late that nobody acts on it while we measure. */
const never = `'2099-01-01T00:00:00.000Z'`

/** Each is one insert of `$1` rows. */
const rows = ({ accountId, appId, invoiceId, busyWebhook }: Roots): Readonly<Record<string, string>> => ({
  invoices: `
    insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
      business_names, reference, memo, item_text, grams)
    select account_id, 'INV2-S' || n, body || jsonb_build_object('id', 'INV2-S' || n,
        'status', (array['DRAFT', 'SENT', 'PAID', 'PAID', 'CANCELLED', 'PARTIALLY_PAID', 'PAID', 'REFUNDED'])[1 + n % 8],
        'detail', (body->'detail') || jsonb_build_object('invoice_date', ${day('n % 400')},
          'currency_code', (array['USD', 'USD', 'USD', 'EUR', 'USD'])[1 + n % 5],
          'payment_term', jsonb_build_object('term_type', 'DUE_ON_DATE_SPECIFIED', 'due_date', ${day('n % 400 - 30')}))),
      ${spread}, 'scale-' || n, amount_minor, emails, first_names, last_names, business_names, reference, memo, item_text, grams
    from invoices, generate_series(1, $1::int) as n where id = '${invoiceId}'`,
  invoice_transactions: `
    insert into invoice_transactions (account_id, id, invoice_id, kind, type, day, currency_code, amount_minor, create_time,
      invoice_create_time, invoice_seq)
    select account_id, 'SCALE' || id, id, 'PAYMENT', 'EXTERNAL', substr(create_time, 1, 10), currency_code, amount_minor,
      create_time, create_time, seq
    from invoices where account_id = '${accountId}' and status in ('PAID', 'PARTIALLY_PAID') limit $1`,
  ledger_entries: `
    insert into ledger_entries (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time)
    select '${accountId}', 'SCALE' || n, line, (array['balance', 'payer'])[line], 'USD', (array[1000, -1000])[line],
      'capture', 'SCALE' || n, false, ${spread}
    from generate_series(1, $1::int) as n, generate_series(1, 2) as line`,
  events: `
    insert into events (account_id, id, app_id, type, resource_id, body, create_time, actor, cause)
    select account_id, 'WH-SCALE' || n, app_id, case when n % ($1 / 5) = 3 then 'INVOICING.INVOICE.CANCELLED' else type end,
      'INV2-S' || n, body, ${spread}, actor, cause
    from events, generate_series(1, $1::int) as n where account_id = '${accountId}' and resource_id = '${invoiceId}'`,
  event_audience: `
    insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
    select account_id, '${appId}', id, account_id, type, seq, create_time
    from events where account_id = '${accountId}' and id like 'WH-SCALE%' limit $1`,
  referred_disputes: `
    insert into referred_disputes (account_id, id, body, create_time)
    select account_id, 'SCALE-' || n, body || jsonb_build_object('id', 'SCALE-' || n,
      'status', case when n % ($1 / 5) = 3 then 'OPEN' else 'CLOSED' end,
      'dispute_flow', case when n % ($1 / 5) = 3 then 'THIRD_PARTY_CLAIM' else 'THIRD_PARTY_DISPUTE' end), ${spread}
    from (select * from referred_disputes limit 1) one, generate_series(1, $1::int) as n`,
  deliveries: `
    insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
      transmit_time, failure)
    select '${accountId}', gen_random_uuid(), '${appId}', '${busyWebhook}', '${accountId}', 'WH-SCALE' || n,
      'INVOICING.INVOICE.CREATED', n, 'INV2-S' || n, ${spread}, case when n % 50 = 0 then 'EXHAUSTED' end
    from generate_series(1, $1::int) as n`,
  delivery_queue: `
    insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time,
      lane, attempts, next_time)
    select account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, seq % 3, 1, ${never}
    from deliveries where account_id = '${accountId}' and failure is null and event_id like 'WH-SCALE%' and seq <= $1::int
      and seq % ($1::int / 5) <> 3`,
  delivery_attempts: `
    insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, duration_ms, response_headers,
      response_body, error)
    select account_id, id, 1, transmit_time, 'http://127.0.0.1:9009/busy', answer, 5, '{}', '',
      case when answer > 299 then 'The receiver answered ' || answer || '.' end
    from deliveries cross join lateral (
      select case when failure is null and seq % ($1::int / 5) = 3 then 200 else 500 end as answer) answered
    where account_id = '${accountId}' and event_id like 'WH-SCALE%'`,
  jobs: `
    insert into jobs (name, payload, run_at, parked_time, attempts, last_error, create_time)
    select case when n = 1 then 'seldom' when n % 2 = 0 then 'mail' else 'dispute-deadline' end,
      jsonb_build_object('account_id', '${accountId}', 'dispute_id', 'PP-R-LST-' || n), ${never},
      case when n % 2 = 0 or n = 1 then ${spread} end, 5, 'Error: nobody answered', ${spread}
    from generate_series(1, $1::int) as n`,
  audit_log: `
    insert into audit_log (create_time, account_id, actor, action, resource_id, cause)
    select ${spread}, case when n % 1000 = 0 then 'ACCOUNTS' || n else '${accountId}' end,
      case when n % 1000 = 0 then 'person:PER-S' || n else 'app:${appId}' end, 'createInvoice', 'INV2-S' || n, 'scale' || n
    from generate_series(1, $1::int) as n`,
  accounts: `
    insert into accounts (id, body, create_time)
    select 'ACCOUNTS' || n, body || jsonb_build_object('id', 'ACCOUNTS' || n, 'email', 'person' || n || '@example.com'), create_time
    from accounts, generate_series(1, $1::int) as n where id = '${accountId}'`,
  mails: `
    insert into mails (account_id, id, recipients, body, create_time)
    select '${accountId}', 'mail-' || n, array['person' || n || '@example.com'], jsonb_build_object('id', 'mail-' || n,
      'to', jsonb_build_array('person' || n || '@example.com'), 'from', 'a@example.com', 'subject', 'A mail', 'text', 'Text',
      'html', '<p>Text</p>', 'links', '[]'::jsonb, 'attachments', '[]'::jsonb), ${spread}
    from generate_series(1, $1::int) as n`,
  console_people: `
    insert into console_people (id, name, email, create_time)
    select 'PER-S' || n, 'Person ' || n, 'person' || n || '@example.com', ${spread} from generate_series(1, $1::int) as n`,
})

/** A sandbox keeps no more than the newest ten thousand of these. */
const watched = [
  `insert into request_log (number, debug_id, account_id, client_id, operation, method, path, status, request_body,
     answer_body, details, create_time, real_time)
   select n, 'scale' || n, $2, 'sandbox-merchant', 'createInvoice', 'POST', '/v2/invoicing/invoices',
     case when n % 9 = 0 then 422 else 201 end, repeat('{"a":1}', 100), repeat('{"b":2}', 100),
     '{"duration_ms":4,"request":{"headers":{},"bytes":700},"answer":{"headers":{},"bytes":700}}', ${ago('($1 - n)')}, ${ago('($1 - n)')}
   from generate_series(1, $1::int) as n`,
  `insert into happenings (seq, thread, kind, account_id, ref, trouble, details, create_time, real_time)
   select n, 'scale' || n / 4, (array['request', 'move', 'event', 'attempt'])[1 + n % 4], $2, 'INV2-S' || n / 4, n % 9 = 0,
     jsonb_build_object('method', 'POST', 'path', '/v2/invoicing/invoices', 'status', 201, 'operation', 'createInvoice',
       'duration_ms', 4, 'client_id', 'sandbox-merchant', 'entity', 'invoice', 'from', 'DRAFT', 'to', 'SENT', 'type',
       'INVOICING.INVOICE.PAID', 'resource_id', 'INV2-S' || n / 4, 'url', 'https://a.example.com', 'number', 1),
     ${ago('($1 - n)')}, ${ago('($1 - n)')}
   from generate_series(1, $1::int) as n`,
  `insert into happenings_told (seq, requests) select $1::int, $1::int where $2 <> ''
   on conflict (only_row) do update set seq = excluded.seq, requests = excluded.requests`,
]
const WATCHED_MAX = 10_000

/** Fills the tables that lists are drawn from, each with as many rows, but for those that were filled otherwise. */
export async function fill(
  run: Run,
  roots: Roots,
  count: number,
  onTable: (name: string) => void,
  except: readonly string[] = [],
): Promise<void> {
  // Rows of no event, payment or person: neither references nor sums are checked here.
  await run('set session_replication_role = replica')
  for (const [table, text] of Object.entries(rows(roots))) {
    if (except.includes(table)) continue
    onTable(table)
    await withoutIndexes(run, table, () => run(text, [count]))
    await run(`analyze ${table}`)
  }
  for (const table of ['request_log', 'happenings', 'happenings_told']) await run(`delete from ${table}`)
  for (const text of watched) await run(text, [Math.min(count, WATCHED_MAX), roots.accountId])
  // An agent sees what is under review as its document says, and not only its row.
  await run(`update disputes set body = jsonb_set(body, '{status}', '"UNDER_REVIEW"') where id in (
    select id from disputes where status = 'UNDER_REVIEW' order by update_time, id limit 50)`)
  await run('reset session_replication_role')
}
