-- What must always be true of the stored data. Each query returns the rows that break its rule, so each must return none.
-- The line above a query names the rule. The tests run all of them after every suite, and a live service every day.
-- Printed from src/invariants by npm run docs; the moves are those of the lifecycle tables.

-- A ledger transaction adds up to zero in each currency.
select account_id, transaction_id, currency, sum(amount) as sum
  from ledger_entries group by account_id, transaction_id, currency having sum(amount) <> 0;

-- A kept balance is what the entries of its book add up to.
select account_id, book, currency, kept.amount as kept, derived.amount as derived
  from ledger_balances kept
  full join (select account_id, book, currency, sum(amount) as amount from ledger_entries group by account_id, book, currency)
    derived using (account_id, book, currency)
 where coalesce(kept.amount, 0) <> coalesce(derived.amount, 0);

-- Nothing held or pending is below zero.
select account_id, book, currency, amount from ledger_balances where book in ('hold', 'pending') and amount < 0;

-- What is held of an account's payments is what its hold book says.
select account_id, currency, held, coalesce(b.amount, 0) as book
  from (select account_id, currency, sum(held) as held from payment_transactions group by account_id, currency) t
  full join (select account_id, currency, amount from ledger_balances where book = 'hold') b using (account_id, currency)
 where coalesce(t.held, 0) <> coalesce(b.amount, 0);

-- What is pending of an account's payments is what its pending book says.
select account_id, currency, t.pending, coalesce(b.amount, 0) as book
  from (select account_id, currency, sum(captured) as pending
          from payment_transactions where body->>'status' = 'PENDING' group by account_id, currency) t
  full join (select account_id, currency, amount from ledger_balances where book = 'pending') b using (account_id, currency)
 where coalesce(t.pending, 0) <> coalesce(b.amount, 0);

-- A payment was refunded by exactly its refunds, and never beyond what was captured.
select t.account_id, t.id, t.captured, t.refunded, coalesce(r.amount, 0) as refunds
  from payment_transactions t
  left join (select account_id, transaction_id, sum(amount) as amount from payment_refunds group by account_id, transaction_id)
    r on r.account_id = t.account_id and r.transaction_id = t.id
 where t.refunded <> coalesce(r.amount, 0) or t.refunded > t.captured;

-- Every refund moved its amount to the payer, once.
select r.account_id, r.id, r.amount, coalesce(e.amount, 0) as moved
  from payment_refunds r
  left join (select account_id, reference, sum(amount) as amount from ledger_entries where book = 'payer'
              group by account_id, reference) e on e.account_id = r.account_id and e.reference = r.id
 where r.amount <> coalesce(e.amount, 0);

-- Every payment that was made took its amount from the payer, once; one that was declined took nothing.
select t.account_id, t.id, t.captured, coalesce(e.amount, 0) as moved
  from payment_transactions t
  left join (select account_id, reference, sum(amount) as amount from ledger_entries where book = 'payer'
              group by account_id, reference) e on e.account_id = t.account_id and e.reference = t.id
 where -coalesce(e.amount, 0) <> case when t.body->>'status' = 'DECLINED' then 0 else t.captured end;

-- The columns of a payment say what its document says.
select account_id, id from payment_transactions
 where body->'seller'->>'account_id' is distinct from account_id
    or body->>'id' is distinct from id
    or body->'gross'->>'currency_code' is distinct from currency;

-- A try to pay that completed or is pending became a payment in that state or a later one; no other try has one that counts.
select a.account_id, a.id, a.status, p.body->>'status' as payment
  from payment_attempts a
  left join payment_transactions p on p.account_id = a.account_id and p.id = a.body->>'capture_id'
 where (a.status in ('COMPLETED', 'PENDING') and p.id is null)
    or (a.status in ('OPEN', 'REVERSED') and p.id is not null)
    or (a.status in ('DENIED', 'RETURNED') and p.body->>'status' not in ('DECLINED'));

-- A payment is called what its refunds make of it, less those that the service bears.
select t.account_id, t.id, t.body->>'status' as status, t.captured, coalesce(r.borne, 0) as borne
  from payment_transactions t
  left join (select account_id, transaction_id, sum(amount) as borne from payment_refunds
              where body->>'status' <> 'CANCELLED' group by account_id, transaction_id)
    r on r.account_id = t.account_id and r.transaction_id = t.id
 where t.body->>'status' not in ('PENDING', 'DECLINED')
   and t.body->>'status' <> case coalesce(r.borne, 0) when 0 then 'COMPLETED' when t.captured then 'REFUNDED'
                              else 'PARTIALLY_REFUNDED' end;

-- The service bears the reversals that were cancelled, and no other refund.
select r.account_id, r.id, r.body->>'status' as status, r.amount, coalesce(-e.amount, 0) as borne
  from payment_refunds r
  left join (select account_id, reference, sum(amount) as amount from ledger_entries where book = 'service'
              group by account_id, reference) e on e.account_id = r.account_id and e.reference = r.id
 where coalesce(-e.amount, 0) <> case when r.body->>'status' = 'CANCELLED' then r.amount else 0 end;

-- The rows of an invoice's money are what its document says.
select coalesce(r.account_id, d.account_id) as account_id, coalesce(r.invoice_id, d.invoice_id) as invoice_id, r.id, d.id as in_document
  from invoice_transactions r
  full join (
    select i.account_id, i.id as invoice_id, p->>'payment_id' as id, 'PAYMENT' as kind, p->>'type' as type, p->>'payment_date' as day
      from invoices i, jsonb_array_elements(i.body->'payments') p
    union all
    select i.account_id, i.id, f->>'refund_id', 'REFUND', f->>'type', f->>'refund_date'
      from invoices i, jsonb_array_elements(i.body->'refunds') f)
    d using (account_id, invoice_id, id, kind, type, day)
 where r.id is null or d.id is null;

-- No invoice is paid beyond its total or refunded beyond what was paid.
select i.account_id, i.id, i.amount_minor, m.paid, m.refunded
  from invoices i
  join (select account_id, invoice_id,
               coalesce(sum(amount_minor) filter (where kind = 'PAYMENT' and not pending), 0) as paid,
               coalesce(sum(amount_minor) filter (where kind = 'REFUND'), 0) as refunded
          from invoice_transactions group by account_id, invoice_id) m
    on m.account_id = i.account_id and m.invoice_id = i.id
 where m.paid > i.amount_minor or m.refunded > m.paid;

-- The status of an invoice is what its money amounts to.
select i.account_id, i.id, i.status, m.paid, m.refunded, m.pending
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
       end;

-- An invoice stands where its last move led; one without a move is a draft, and only a deletion leaves moves alone.
select account_id, id, i.status as stands, t.version, t.to_status
  from invoices i
  full join (select distinct on (account_id, invoice_id) account_id, invoice_id as id, version, to_status
               from invoice_transitions order by account_id, invoice_id, version desc) t using (account_id, id)
 where i.status is distinct from case when t.version is null then 'DRAFT' else t.to_status end;

-- Every move of an invoice starts where the one before it ended, and the first starts from a draft.
select account_id, invoice_id, version, from_status, ended
  from (select *, lag(to_status, 1, 'DRAFT') over moves as ended, row_number() over moves as n
          from invoice_transitions window moves as (partition by account_id, invoice_id order by version)) t
 where case when action = 'create' then n > 1 or from_status is not null else from_status is distinct from ended end;

-- Every move of an invoice is one that its table has: an action, from any of these, to any of those.
select t.action, t.from_status, t.to_status, t.moves
  from (select action, from_status, coalesce(to_status, 'gone') as to_status, count(*) as moves
          from invoice_transitions where action <> 'create' group by 1, 2, 3) t
 where not exists (
   select 1 from (values
     ('update', 'PARTIALLY_PAID', 'MARKED_AS_PAID PAID'),
     ('delete', 'DRAFT SCHEDULED', 'gone'),
     ('send', 'DRAFT', 'SCHEDULED SENT'),
     ('send', 'SCHEDULED', 'SENT'),
     ('issue', 'SCHEDULED', 'SENT'),
     ('cancel', 'SENT', 'CANCELLED'),
     ('record-payment', 'DRAFT SCHEDULED SENT', 'MARKED_AS_PAID PARTIALLY_PAID'),
     ('record-payment', 'PARTIALLY_PAID', 'MARKED_AS_PAID'),
     ('delete-payment', 'PARTIALLY_PAID', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_REFUNDED PAYMENT_PENDING REFUNDED SCHEDULED SENT'),
     ('delete-payment', 'PAYMENT_PENDING', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_PAID PARTIALLY_REFUNDED REFUNDED SCHEDULED SENT'),
     ('delete-payment', 'PAID MARKED_AS_PAID', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_PAID PARTIALLY_REFUNDED PAYMENT_PENDING REFUNDED SCHEDULED SENT'),
     ('delete-payment', 'PARTIALLY_REFUNDED', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_PAID PAYMENT_PENDING REFUNDED SCHEDULED SENT'),
     ('record-refund', 'PARTIALLY_PAID PAID MARKED_AS_PAID', 'MARKED_AS_REFUNDED PARTIALLY_REFUNDED'),
     ('record-refund', 'PARTIALLY_REFUNDED', 'MARKED_AS_REFUNDED'),
     ('delete-refund', 'PARTIALLY_REFUNDED', 'MARKED_AS_PAID MARKED_AS_REFUNDED PAID PARTIALLY_PAID PAYMENT_PENDING REFUNDED'),
     ('delete-refund', 'REFUNDED', 'MARKED_AS_PAID MARKED_AS_REFUNDED PAID PARTIALLY_PAID PARTIALLY_REFUNDED PAYMENT_PENDING'),
     ('delete-refund', 'MARKED_AS_REFUNDED', 'MARKED_AS_PAID PAID PARTIALLY_PAID PARTIALLY_REFUNDED PAYMENT_PENDING REFUNDED'),
     ('pay', 'SENT', 'PAID PARTIALLY_PAID PAYMENT_PENDING'),
     ('pay', 'PARTIALLY_PAID', 'PAID PAYMENT_PENDING'),
     ('clear-payment', 'PAYMENT_PENDING REFUNDED MARKED_AS_REFUNDED', 'PAID PARTIALLY_PAID PARTIALLY_REFUNDED'),
     ('clear-payment', 'PARTIALLY_REFUNDED', 'PAID PARTIALLY_PAID'),
     ('deny-payment', 'PAYMENT_PENDING', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_PAID PARTIALLY_REFUNDED REFUNDED SCHEDULED SENT'),
     ('deny-payment', 'PARTIALLY_REFUNDED', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_PAID REFUNDED SCHEDULED SENT'),
     ('deny-payment', 'REFUNDED', 'DRAFT MARKED_AS_REFUNDED PARTIALLY_PAID PARTIALLY_REFUNDED SCHEDULED SENT'),
     ('deny-payment', 'MARKED_AS_REFUNDED', 'DRAFT PARTIALLY_PAID PARTIALLY_REFUNDED REFUNDED SCHEDULED SENT'),
     ('refund-payment', 'PARTIALLY_PAID PAYMENT_PENDING PAID MARKED_AS_PAID', 'PARTIALLY_REFUNDED REFUNDED'),
     ('refund-payment', 'PARTIALLY_REFUNDED', 'REFUNDED'),
     ('restore-payment', 'PARTIALLY_REFUNDED', 'MARKED_AS_PAID MARKED_AS_REFUNDED PAID PARTIALLY_PAID PAYMENT_PENDING REFUNDED'),
     ('restore-payment', 'REFUNDED', 'MARKED_AS_PAID MARKED_AS_REFUNDED PAID PARTIALLY_PAID PARTIALLY_REFUNDED PAYMENT_PENDING'),
     ('restore-payment', 'MARKED_AS_REFUNDED', 'MARKED_AS_PAID PAID PARTIALLY_PAID PARTIALLY_REFUNDED PAYMENT_PENDING REFUNDED')) as allowed (action, starts, ends)
   where allowed.action = t.action and t.from_status = any(string_to_array(starts, ' '))
     and t.to_status = any(string_to_array(ends, ' ')));

-- A payment through the service that an invoice shows is a payment in the books, for that invoice, with at least that amount.
select t.account_id, t.invoice_id, t.id, t.amount_minor, p.captured
  from invoice_transactions t
  left join payment_transactions p on p.account_id = t.account_id and p.id = t.id and p.invoice_id = t.invoice_id
 where t.kind = 'PAYMENT' and t.type = 'SERVICE'
   and (p.id is null or p.captured < t.amount_minor or t.pending <> (p.body->>'status' = 'PENDING'));

-- A refund that an invoice shows is one that stands, and every one that stands is shown, but for tips.
select t.account_id, t.invoice_id, t.id, r.body->>'status' as status
  from invoice_transactions t
  join payment_refunds r on r.account_id = t.account_id and r.id = t.id
 where t.kind = 'REFUND' and r.body->>'status' = 'CANCELLED'
   and not exists (select 1 from jobs j where j.name = 'invoice-service-refund' and j.payload->>'refund_id' = r.id);

-- A dispute knows of each of its payments what the ledger knows: what is held, refunded and borne by the service. What is held after the payer withdrew it is held for the dispute that came after it.
select d.account_id, d.id, t.id as payment, one->'held' as held, t.body->'held' as ledger_held,
       one->'refunded' as refunded, one->'refunded_before' as before, t.body->'refunded' as ledger_refunded
  from disputes d, jsonb_array_elements(d.body->'disputed_transactions') one
  join payment_transactions t on t.id = one->>'seller_transaction_id'
  join disputed_transactions x on x.transaction_id = t.id
 where t.account_id = d.account_id and x.account_id = d.account_id and x.dispute_id = d.id
   and ((not x.withdrawn and (one->'held'->>'value')::numeric <> (t.body->'held'->>'value')::numeric)
     or (one->'refunded'->>'value')::numeric + (one->'refunded_before'->>'value')::numeric <> (t.body->'refunded'->>'value')::numeric
     or coalesce((one->'covered'->>'value')::numeric, 0) <> coalesce((t.body->'covered'->>'value')::numeric, 0));

-- A dispute counts what was given back by the refunds that it lists, each of them ordered by it or by no dispute, and of that what the service bears.
select d.account_id, d.id, d.refunded, own.refunded as refunds, d.covered, own.covered as cancelled
  from disputes d
 cross join lateral (
   select count(*) as found, coalesce(sum(r.amount), 0) as refunded,
          coalesce(sum(r.amount) filter (where r.body->>'status' = 'CANCELLED'), 0) as covered
     from jsonb_array_elements(d.body->'refunds') f
     join payment_refunds r on r.account_id = d.account_id and r.id = f->>'id'
      and r.transaction_id = f->>'transaction' and coalesce(r.body->>'dispute_id', d.id) = d.id) own
 where d.refunded <> own.refunded or d.covered <> own.covered
    or own.found <> coalesce(jsonb_array_length(d.body->'refunds'), 0)
    or (select sum((one->'refunded'->>'value')::numeric) from jsonb_array_elements(d.body->'disputed_transactions') one)
       <> coalesce((select sum((f->'gross_amount'->>'value')::numeric) from jsonb_array_elements(d.body->'refunds') f), 0);

-- A dispute lists every refund that it ordered.
select r.account_id, r.id, d.id as dispute from payment_refunds r
  join disputes d on d.account_id = r.account_id and d.id = r.body->>'dispute_id'
 where (d.body->'refunds' @> jsonb_build_array(jsonb_build_object('id', r.id))) is not true;

-- A payment is refunded at most once for a dispute.
select account_id, transaction_id, body->>'dispute_id' as dispute_id, count(*) as refunds
  from payment_refunds where body ? 'dispute_id' group by 1, 2, 3 having count(*) > 1;

-- The columns of a dispute say what its document says.
select account_id, id from disputes
 where body->>'dispute_id' is distinct from id or body->>'status' is distinct from status
    or body->>'dispute_life_cycle_stage' is distinct from stage or body->>'flow' is distinct from flow
    or body->>'reason' is distinct from reason or body->'seller'->>'account_id' is distinct from account_id
    or (status = 'RESOLVED') is distinct from (body ? 'dispute_outcome');

-- A dispute stands where its last move led.
select d.account_id, d.id, dispute_node(d.stage, d.status, d.flow, d.body->>'finality') as stands, t.to_node
  from disputes d
  left join (select distinct on (account_id, dispute_id) account_id, dispute_id, to_node
               from dispute_transitions order by account_id, dispute_id, version desc) t
    on t.account_id = d.account_id and t.dispute_id = d.id
 where t.to_node is distinct from dispute_node(d.stage, d.status, d.flow, d.body->>'finality');

-- A dispute is opened once, and every later move starts where the one before it ended.
select account_id, dispute_id, version, from_node, ended
  from (select *, lag(to_node) over (partition by account_id, dispute_id order by version) as ended
          from dispute_transitions) t
 where from_node is distinct from ended or (action = 'create') is distinct from (version = 0);

-- Every move of a dispute is one that its table has: an action, from any of these, to any of those.
select t.action, t.from_node, t.to_node, t.moves
  from (select action, from_node, to_node, count(*) as moves
          from dispute_transitions where action <> 'create' group by 1, 2, 3) t
 where not exists (
   select 1 from (values
     ('triage', 'IO', 'IS IU'),
     ('triage', 'CO', 'CS CU'),
     ('triage', 'PO', 'PS PU'),
     ('triage', 'AO', 'AS AU'),
     ('make-offer', 'IO IS', 'IF XX'),
     ('accept-claim', 'IO IS', 'IF IR XX'),
     ('accept-claim', 'IA CA CF CB CR CU PS PA PF PB PR PU AS AA AF AB AR AU', 'XX'),
     ('accept-claim', 'CS', 'CF CR XX'),
     ('acknowledge-return-item', 'IA CA PA AA', 'CU XX'),
     ('accept-offer', 'IF', 'IR XX'),
     ('accept-offer', 'CF', 'XX'),
     ('deny-offer', 'IF', 'IS'),
     ('deny-offer', 'CF', 'CU'),
     ('provide-evidence', 'IS IB', 'IU'),
     ('provide-evidence', 'CS IA CA CB', 'CU'),
     ('provide-evidence', 'PS PB', 'PU'),
     ('provide-evidence', 'AS AB', 'AU'),
     ('provide-evidence', 'IR', 'IA'),
     ('provide-evidence', 'CR', 'CA'),
     ('provide-evidence', 'PR', 'PA'),
     ('provide-evidence', 'AR', 'AA'),
     ('escalate', 'IO IS IA IF IB IR IU', 'CS CU XA XX'),
     ('cancel', 'IO IS IA IF IB IR IU CO CS CA CF CB CR CU', 'XX'),
     ('change-reason', 'IO IS IF', 'CS'),
     ('adjudicate', 'IU CU PU AU', 'XA XX'),
     ('require-evidence', 'IU', 'IB IS'),
     ('require-evidence', 'CU', 'CB CS'),
     ('require-evidence', 'PU', 'PB PS'),
     ('require-evidence', 'AU', 'AB AS'),
     ('appeal', 'XA', 'AU PU'),
     ('supersede', 'IO IS IA IF IB IR IU CO CS CA CF CB CR CU PO PS PA PF PB PR PU AO AS AA AF AB AR AU', 'XX'),
     ('pass-deadline', 'IO IF IR CR PR AR IA CA PA AA XA', 'XX'),
     ('pass-deadline', 'IS PS AS IB CB PB AB CF IU CU PU AU', 'XA XX'),
     ('pass-deadline', 'CS', 'CU XA XX')) as allowed (action, starts, ends)
   where allowed.action = t.action and t.from_node = any(string_to_array(starts, ' '))
     and t.to_node = any(string_to_array(ends, ' ')));

-- A dispute that waits for somebody has a job that ends the waiting.
select d.account_id, d.id from disputes d
 where d.due_time is not null and not exists (select 1 from jobs j where j.key = 'deadline:' || d.id);

-- A file belongs to a dispute that names it.
select f.account_id, f.document_id, f.n from dispute_documents f
  join disputes d on d.account_id = f.account_id and d.id = f.dispute_id
 where strpos(d.body::text, f.document_id) = 0;

-- Every delivery carries an event that exists, for an app that event is for.
select d.id from deliveries d
where not exists (select from events e where e.account_id = d.event_account_id and e.id = d.event_id)
  or not exists (select from event_audience a
    where a.account_id = d.account_id and a.app_id = d.app_id and a.event_id = d.event_id);

-- What waits is a delivery that has not failed, and counts as many attempts as its log holds.
select q.id from delivery_queue q left join deliveries d on d.account_id = q.account_id and d.id = q.id
where d.id is null or d.failure is not null
  or q.attempts <> (select count(*) from delivery_attempts t where t.account_id = q.account_id and t.delivery_id = q.id);

-- What neither waits nor failed has arrived: a receiver accepted the last attempt.
select d.id from deliveries d
where d.failure is null
  and not exists (select from delivery_queue q where q.account_id = d.account_id and q.id = d.id)
  and (select t.http_status between 200 and 299 from delivery_attempts t
    where t.account_id = d.account_id and t.delivery_id = d.id order by t.number desc limit 1) is not true;

-- The attempts of a delivery are numbered without a gap.
select t.account_id, t.delivery_id from delivery_attempts t
group by t.account_id, t.delivery_id having max(t.number) <> count(*);
