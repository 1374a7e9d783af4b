import { invoiceMoves, printMoves } from './moves.ts'
import type { Rule } from './rule.ts'

/** What invoices must always say, and their money. */
export const invoiceRules: readonly Rule[] = [
  {
    sentence: "The rows of an invoice's money are what its document says.",
    query: `select coalesce(r.account_id, d.account_id) as account_id, coalesce(r.invoice_id, d.invoice_id) as invoice_id, r.id, d.id as in_document
  from invoice_transactions r
  full join (
    select i.account_id, i.id as invoice_id, p->>'payment_id' as id, 'PAYMENT' as kind, p->>'type' as type, p->>'payment_date' as day
      from invoices i, jsonb_array_elements(i.body->'payments') p
    union all
    select i.account_id, i.id, f->>'refund_id', 'REFUND', f->>'type', f->>'refund_date'
      from invoices i, jsonb_array_elements(i.body->'refunds') f)
    d using (account_id, invoice_id, id, kind, type, day)
 where r.id is null or d.id is null`,
  },
  {
    sentence: 'No invoice is paid beyond its total or refunded beyond what was paid.',
    query: `select i.account_id, i.id, i.amount_minor, m.paid, m.refunded
  from invoices i
  join (select account_id, invoice_id,
               coalesce(sum(amount_minor) filter (where kind = 'PAYMENT' and not pending), 0) as paid,
               coalesce(sum(amount_minor) filter (where kind = 'REFUND'), 0) as refunded
          from invoice_transactions group by account_id, invoice_id) m
    on m.account_id = i.account_id and m.invoice_id = i.id
 where m.paid > i.amount_minor or m.refunded > m.paid`,
  },
  {
    sentence: 'The status of an invoice is what its money amounts to.',
    query: `select i.account_id, i.id, i.status, m.paid, m.refunded, m.pending
  from invoices i
  left join (select account_id, invoice_id, bool_or(pending) as pending,
                    coalesce(sum(amount_minor) filter (where kind = 'PAYMENT' and not pending), 0) as paid,
                    coalesce(sum(amount_minor) filter (where kind = 'REFUND'), 0) as refunded
               from invoice_transactions group by account_id, invoice_id) m
    on m.account_id = i.account_id and m.invoice_id = i.id
 where i.status <> 'CANCELLED'
   and case
         when m.refunded > 0 and m.refunded = m.paid then i.status not in ('REFUNDED', 'MARKED_AS_REFUNDED')
         when m.refunded > 0 then i.status <> 'PARTIALLY_REFUNDED'
         when m.pending then i.status <> 'PAYMENT_PENDING'
         when m.paid > 0 and m.paid = i.amount_minor then i.status not in ('PAID', 'MARKED_AS_PAID')
         when m.paid > 0 then i.status <> 'PARTIALLY_PAID'
         else i.status <> i.body->>'base_status'
       end`,
  },
  {
    sentence:
      'An invoice stands where its last move led; one without a move is a draft, and only a deletion leaves moves alone.',
    query: `select account_id, id, i.status as stands, t.version, t.to_status
  from invoices i
  full join (select distinct on (account_id, invoice_id) account_id, invoice_id as id, version, to_status
               from invoice_transitions order by account_id, invoice_id, version desc) t using (account_id, id)
 where i.status is distinct from case when t.version is null then 'DRAFT' else t.to_status end`,
  },
  {
    sentence: 'Every move of an invoice starts where the one before it ended, and the first starts from a draft.',
    query: `select account_id, invoice_id, version, from_status, ended
  from (select *, lag(to_status, 1, 'DRAFT') over moves as ended, row_number() over moves as n
          from invoice_transitions window moves as (partition by account_id, invoice_id order by version)) t
 where case when action = 'create' then n > 1 or from_status is not null else from_status is distinct from ended end`,
  },
  {
    sentence: 'Every move of an invoice is one that its table has: an action, from any of these, to any of those.',
    query: `select t.action, t.from_status, t.to_status, t.moves
  from (select action, from_status, coalesce(to_status, 'gone') as to_status, count(*) as moves
          from invoice_transitions where action <> 'create' group by 1, 2, 3) t
 where not exists (
   select 1 from (values
${printMoves(invoiceMoves())}) as allowed (action, starts, ends)
   where allowed.action = t.action and t.from_status = any(string_to_array(starts, ' '))
     and t.to_status = any(string_to_array(ends, ' ')))`,
  },
  {
    sentence:
      'A payment through the service that an invoice shows is a payment in the books, for that invoice, with at least that amount.',
    query: `select t.account_id, t.invoice_id, t.id, t.amount_minor, p.captured
  from invoice_transactions t
  left join payment_transactions p on p.account_id = t.account_id and p.id = t.id and p.invoice_id = t.invoice_id
 where t.kind = 'PAYMENT' and t.type = 'SERVICE'
   and (p.id is null or p.captured < t.amount_minor or t.pending <> (p.body->>'status' = 'PENDING'))`,
  },
  {
    sentence: 'A refund that an invoice shows is one that stands, and every one that stands is shown, but for tips.',
    query: `select t.account_id, t.invoice_id, t.id, r.body->>'status' as status
  from invoice_transactions t
  join payment_refunds r on r.account_id = t.account_id and r.id = t.id
 where t.kind = 'REFUND' and r.body->>'status' = 'CANCELLED'
   and not exists (select 1 from jobs j where j.name = 'invoice-service-refund' and j.payload->>'refund_id' = r.id)`,
  },
]
