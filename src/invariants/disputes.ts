import { disputeMoves, printMoves } from './moves.ts'
import type { Rule } from './rule.ts'

/** What disputes must always say, and their money. */
export const disputeRules: readonly Rule[] = [
  {
    sentence:
      'A dispute knows of each of its payments what the ledger knows: what is held, refunded and borne by the service. What is held after the payer withdrew it is held for the dispute that came after it.',
    query: `select d.account_id, d.id, t.id as payment, one->'held' as held, t.body->'held' as ledger_held,
       one->'refunded' as refunded, one->'refunded_before' as before, t.body->'refunded' as ledger_refunded
  from disputes d, jsonb_array_elements(d.body->'disputed_transactions') one
  join payment_transactions t on t.id = one->>'seller_transaction_id'
  join disputed_transactions x on x.transaction_id = t.id
 where t.account_id = d.account_id and x.account_id = d.account_id and x.dispute_id = d.id
   and ((not x.withdrawn and (one->'held'->>'value')::numeric <> (t.body->'held'->>'value')::numeric)
     or (one->'refunded'->>'value')::numeric + (one->'refunded_before'->>'value')::numeric <> (t.body->'refunded'->>'value')::numeric
     or coalesce((one->'covered'->>'value')::numeric, 0) <> coalesce((t.body->'covered'->>'value')::numeric, 0))`,
  },
  {
    sentence:
      'A dispute counts what was given back by the refunds that it lists, each of them ordered by it or by no dispute, and of that what the service bears.',
    query: `select d.account_id, d.id, d.refunded, own.refunded as refunds, d.covered, own.covered as cancelled
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
       <> coalesce((select sum((f->'gross_amount'->>'value')::numeric) from jsonb_array_elements(d.body->'refunds') f), 0)`,
  },
  {
    sentence: 'A dispute lists every refund that it ordered.',
    query: `select r.account_id, r.id, d.id as dispute from payment_refunds r
  join disputes d on d.account_id = r.account_id and d.id = r.body->>'dispute_id'
 where (d.body->'refunds' @> jsonb_build_array(jsonb_build_object('id', r.id))) is not true`,
  },
  {
    sentence: 'A payment is refunded at most once for a dispute.',
    query: `select account_id, transaction_id, body->>'dispute_id' as dispute_id, count(*) as refunds
  from payment_refunds where body ? 'dispute_id' group by 1, 2, 3 having count(*) > 1`,
  },
  {
    sentence: 'The columns of a dispute say what its document says.',
    query: `select account_id, id from disputes
 where body->>'dispute_id' is distinct from id or body->>'status' is distinct from status
    or body->>'dispute_life_cycle_stage' is distinct from stage or body->>'flow' is distinct from flow
    or body->>'reason' is distinct from reason or body->'seller'->>'account_id' is distinct from account_id
    or (status = 'RESOLVED') is distinct from (body ? 'dispute_outcome')`,
  },
  {
    sentence: 'A dispute stands where its last move led.',
    query: `select d.account_id, d.id, dispute_node(d.stage, d.status, d.flow, d.body->>'finality') as stands, t.to_node
  from disputes d
  left join (select distinct on (account_id, dispute_id) account_id, dispute_id, to_node
               from dispute_transitions order by account_id, dispute_id, version desc) t
    on t.account_id = d.account_id and t.dispute_id = d.id
 where t.to_node is distinct from dispute_node(d.stage, d.status, d.flow, d.body->>'finality')`,
  },
  {
    sentence: 'A dispute is opened once, and every later move starts where the one before it ended.',
    query: `select account_id, dispute_id, version, from_node, ended
  from (select *, lag(to_node) over (partition by account_id, dispute_id order by version) as ended
          from dispute_transitions) t
 where from_node is distinct from ended or (action = 'create') is distinct from (version = 0)`,
  },
  {
    sentence: 'Every move of a dispute is one that its table has: an action, from any of these, to any of those.',
    // Put together when it is asked for, which at a start it is not.
    get query() {
      return `select t.action, t.from_node, t.to_node, t.moves
  from (select action, from_node, to_node, count(*) as moves
          from dispute_transitions where action <> 'create' group by 1, 2, 3) t
 where not exists (
   select 1 from (values
${printMoves(disputeMoves())}) as allowed (action, starts, ends)
   where allowed.action = t.action and t.from_node = any(string_to_array(starts, ' '))
     and t.to_node = any(string_to_array(ends, ' ')))`
    },
  },
  {
    sentence: 'A dispute that waits for somebody has a job that ends the waiting.',
    query: `select d.account_id, d.id from disputes d
 where d.due_time is not null and not exists (select 1 from jobs j where j.key = 'deadline:' || d.id)`,
  },
  {
    sentence: 'A file belongs to a dispute that names it.',
    query: `select f.account_id, f.document_id, f.n from dispute_documents f
  join disputes d on d.account_id = f.account_id and d.id = f.dispute_id
 where strpos(d.body::text, f.document_id) = 0`,
  },
]
