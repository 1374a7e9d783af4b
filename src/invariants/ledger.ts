import type { Rule } from './rule.ts'

/** What the books must always say. */
export const ledgerRules: readonly Rule[] = [
  {
    sentence: 'A ledger transaction adds up to zero in each currency.',
    query: `select account_id, transaction_id, currency, sum(amount) as sum
  from ledger_entries group by account_id, transaction_id, currency having sum(amount) <> 0`,
  },
  {
    sentence: 'A kept balance is what the entries of its book add up to.',
    query: `select account_id, book, currency, kept.amount as kept, derived.amount as derived
  from ledger_balances kept
  full join (select account_id, book, currency, sum(amount) as amount from ledger_entries group by account_id, book, currency)
    derived using (account_id, book, currency)
 where coalesce(kept.amount, 0) <> coalesce(derived.amount, 0)`,
  },
  {
    sentence: 'Nothing held or pending is below zero.',
    query: `select account_id, book, currency, amount from ledger_balances where book in ('hold', 'pending') and amount < 0`,
  },
  {
    sentence: "What is held of an account's payments is what its hold book says.",
    query: `select account_id, currency, held, coalesce(b.amount, 0) as book
  from (select account_id, currency, sum(held) as held from payment_transactions group by account_id, currency) t
  full join (select account_id, currency, amount from ledger_balances where book = 'hold') b using (account_id, currency)
 where coalesce(t.held, 0) <> coalesce(b.amount, 0)`,
  },
  {
    sentence: "What is pending of an account's payments is what its pending book says.",
    query: `select account_id, currency, t.pending, coalesce(b.amount, 0) as book
  from (select account_id, currency, sum(captured) as pending
          from payment_transactions where body->>'status' = 'PENDING' group by account_id, currency) t
  full join (select account_id, currency, amount from ledger_balances where book = 'pending') b using (account_id, currency)
 where coalesce(t.pending, 0) <> coalesce(b.amount, 0)`,
  },
  {
    sentence: 'A payment was refunded by exactly its refunds, and never beyond what was captured.',
    query: `select t.account_id, t.id, t.captured, t.refunded, coalesce(r.amount, 0) as refunds
  from payment_transactions t
  left join (select account_id, transaction_id, sum(amount) as amount from payment_refunds group by account_id, transaction_id)
    r on r.account_id = t.account_id and r.transaction_id = t.id
 where t.refunded <> coalesce(r.amount, 0) or t.refunded > t.captured`,
  },
  {
    sentence: 'Every refund moved its amount to the payer, once.',
    query: `select r.account_id, r.id, r.amount, coalesce(e.amount, 0) as moved
  from payment_refunds r
  left join (select account_id, reference, sum(amount) as amount from ledger_entries where book = 'payer'
              group by account_id, reference) e on e.account_id = r.account_id and e.reference = r.id
 where r.amount <> coalesce(e.amount, 0)`,
  },
  {
    sentence: 'Every payment that was made took its amount from the payer, once; one that was declined took nothing.',
    query: `select t.account_id, t.id, t.captured, coalesce(e.amount, 0) as moved
  from payment_transactions t
  left join (select account_id, reference, sum(amount) as amount from ledger_entries where book = 'payer'
              group by account_id, reference) e on e.account_id = t.account_id and e.reference = t.id
 where -coalesce(e.amount, 0) <> case when t.body->>'status' = 'DECLINED' then 0 else t.captured end`,
  },
  {
    sentence: 'The columns of a payment say what its document says.',
    query: `select account_id, id from payment_transactions
 where body->'seller'->>'account_id' is distinct from account_id
    or body->>'id' is distinct from id
    or body->'gross'->>'currency_code' is distinct from currency`,
  },
  {
    sentence:
      'A try to pay that completed or is pending became a payment in that state or a later one; no other try has one that counts.',
    query: `select a.account_id, a.id, a.status, p.body->>'status' as payment
  from payment_attempts a
  left join payment_transactions p on p.account_id = a.account_id and p.id = a.body->>'capture_id'
 where (a.status in ('COMPLETED', 'PENDING') and p.id is null)
    or (a.status in ('OPEN', 'REVERSED') and p.id is not null)
    or (a.status in ('DENIED', 'RETURNED') and p.body->>'status' not in ('DECLINED'))`,
  },
  {
    sentence: 'A payment is called what its refunds make of it, less those that the service bears.',
    query: `select t.account_id, t.id, t.body->>'status' as status, t.captured, coalesce(r.borne, 0) as borne
  from payment_transactions t
  left join (select account_id, transaction_id, sum(amount) as borne from payment_refunds
              where body->>'status' <> 'CANCELLED' group by account_id, transaction_id)
    r on r.account_id = t.account_id and r.transaction_id = t.id
 where t.body->>'status' not in ('PENDING', 'DECLINED')
   and t.body->>'status' <> case coalesce(r.borne, 0) when 0 then 'COMPLETED' when t.captured then 'REFUNDED'
                              else 'PARTIALLY_REFUNDED' end`,
  },
  {
    sentence: 'The service bears the reversals that were cancelled, and no other refund.',
    query: `select r.account_id, r.id, r.body->>'status' as status, r.amount, coalesce(-e.amount, 0) as borne
  from payment_refunds r
  left join (select account_id, reference, sum(amount) as amount from ledger_entries where book = 'service'
              group by account_id, reference) e on e.account_id = r.account_id and e.reference = r.id
 where coalesce(-e.amount, 0) <> case when r.body->>'status' = 'CANCELLED' then r.amount else 0 end`,
  },
]
