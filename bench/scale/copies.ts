/** Runs one statement. */
export type Run = (text: string, values?: readonly unknown[]) => Promise<unknown>

/** Five of however many, so that a list of them finds no more among many. */
const isOdd = 'n % ($2 / 5) = 3'

/** Columns that lists filter by get values that differ from copy to copy, in the shares a merchant would have. */
const varied = `
  case when ${isOdd} then 'PROBLEM_WITH_REMITTANCE' else (array['MERCHANDISE_OR_SERVICE_NOT_RECEIVED', 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'UNAUTHORISED',
         'INCORRECT_AMOUNT', 'OTHER'])[1 + n % 5] end,
  case when ${isOdd} then 'OPEN' else (array['RESOLVED', 'RESOLVED', 'RESOLVED', 'UNDER_REVIEW', 'WAITING_FOR_SELLER_RESPONSE',
         'WAITING_FOR_BUYER_RESPONSE', 'RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED'])[1 + n % 10] end,
  case when ${isOdd} then 'ARBITRATION' else (array['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'CHARGEBACK'])[1 + n % 4] end,
  case when ${isOdd} then 'EVIDENCE' else (array['NONE', 'NONE', 'NONE', 'OFFER', 'NONE', 'RETURN'])[1 + n % 6] end,
  case when ${isOdd} then 'ALERT' when n % 50 = 0 then 'EXTERNAL' else 'INTERNAL' end,
  case when ${isOdd} then 'OPEN_INQUIRIES' else (array['RESOLVED', 'RESOLVED', 'RESOLVED', 'UNDER_REVIEW', 'REQUIRED_ACTION',
         'REQUIRED_OTHER_PARTY_ACTION', 'RESOLVED', 'RESOLVED', 'RESOLVED', 'APPEALABLE'])[1 + n % 10] end,
  case when ${isOdd} then 'OPEN_INQUIRIES' else (array['RESOLVED', 'RESOLVED', 'RESOLVED', 'UNDER_REVIEW', 'REQUIRED_OTHER_PARTY_ACTION',
         'REQUIRED_ACTION', 'RESOLVED', 'RESOLVED', 'APPEALABLE', 'RESOLVED'])[1 + n % 10] end,
  case when ${isOdd} then 'CHF' else (array['USD', 'USD', 'USD', 'EUR'])[1 + n % 4] end`

const time = (ageSeconds: string) =>
  `to_char((now() at time zone 'utc') - (${ageSeconds}) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Fills a table without its indexes that guard nothing, and makes them again, on as many connections as there are: a million
 * rows take a fraction of the time.
 */
export async function withoutIndexes(
  run: Run,
  table: string,
  work: () => Promise<unknown>,
  runs: readonly Run[] = [run],
): Promise<void> {
  const { rows } = (await run(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made from pg_index i
     where i.indrelid = $1::regclass and not i.indisunique`,
    [table],
  )) as { rows: { name: string; made: string }[] }
  for (const { name } of rows) await run(`drop index ${name}`)
  await work()
  const waiting = rows.map(({ made }) => made)
  await Promise.all(
    runs.map(async (one) => {
      for (let made = waiting.shift(); made !== undefined; made = waiting.shift()) await one(made)
    }),
  )
}

/** Copies a dispute `count` times within the merchant, over half a year; for lists, so the documents stay the same. */
export async function copyForLists(run: Run, id: string, count: number): Promise<void> {
  await run(
    `insert into disputes (account_id, id, body, version, buyer_account_id, reason, status, stage, flow, channel,
       seller_state, buyer_state, currency, amount, refunded, due_time, outcome_code, buyer_email, buyer_name,
       invoice_number, seller_summary, buyer_summary, takes_info, create_time, update_time)
     select account_id, 'PP-R-LST-' || n, body, 1, buyer_account_id, ${varied},
       100 + (n::bigint * 7919) % 100000, 0,
       case when n % 10 in (4, 5) then ${time('-864000 + n % 1000')} end,
       case when n % 10 < 3 then 'RESOLVED_BUYER_FAVOUR' end,
       'buyer' || (n % ($2 / 5)) || '@example.com', 'buyer ' || (n % ($2 / 5)), 'INV-' || n,
       seller_summary, buyer_summary,
       false, ${time(`n * (15000000.0 / $2)`)}, ${time(`greatest(0, n * (15000000.0 / $2) - (n % 41) * 86400)`)}
     from disputes, generate_series(1, $2::int) as n where id = $1`,
    [id, count],
  )
  await run(
    `insert into disputed_transactions (account_id, transaction_id, dispute_id, buyer_transaction_id, channel)
     select account_id, 'SLST' || n, 'PP-R-LST-' || n, 'BLST' || n, 'INTERNAL'
     from disputes, generate_series(1, $2::int) as n where id = $1`,
    [id, count],
  )
  await run('analyze disputes')
  await run('analyze disputed_transactions')
}

/** Copies a dispute with its payment and its deadline, so that every copy can be acted on. */
export async function copyForActions(run: Run, id: string, count: number, prefix: string): Promise<void> {
  const named = `replace(replace(replace(d.body::text, d.id, '${prefix}' || n), t.id, 'S${prefix}' || n), t.buyer_transaction_id, 'B${prefix}' || n)::jsonb`
  const from = `from disputes d
     join disputed_transactions dt on dt.account_id = d.account_id and dt.dispute_id = d.id
     join payment_transactions t on t.account_id = dt.account_id and t.id = dt.transaction_id,
     generate_series(0, $2::int - 1) as n where d.id = $1`
  await run(
    `insert into payment_transactions (account_id, id, body, currency, captured, refunded, held, create_time)
     select t.account_id, 'S${prefix}' || n,
       replace(replace(t.body::text, t.id, 'S${prefix}' || n), t.buyer_transaction_id, 'B${prefix}' || n)::jsonb,
       t.currency, t.captured, t.refunded, t.held, t.create_time ${from}`,
    [id, count],
  )
  await run(
    `insert into disputes (account_id, id, body, version, buyer_account_id, reason, status, stage, flow, channel,
       seller_state, buyer_state, currency, amount, refunded, due_time, outcome_code, buyer_email, buyer_name,
       invoice_number, seller_summary, buyer_summary, takes_info, create_time, update_time)
     select d.account_id, '${prefix}' || n, ${named}, 1, buyer_account_id, reason, d.status, stage, flow, d.channel,
       seller_state, buyer_state, d.currency, amount, d.refunded, due_time, outcome_code, buyer_email, buyer_name,
       invoice_number, seller_summary, buyer_summary, takes_info, d.create_time, d.update_time ${from}`,
    [id, count],
  )
  await run(
    `insert into jobs (name, payload, run_at, key, create_time)
     select 'dispute-deadline', jsonb_build_object('account_id', d.account_id, 'dispute_id', '${prefix}' || n),
       d.due_time, 'deadline:${prefix}' || n, d.create_time ${from}`,
    [id, count],
  )
  await run('analyze')
}
