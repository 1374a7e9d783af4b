-- What of the refunds of a dispute the service bears, because the decision behind them was overturned.
alter table disputes add column covered bigint not null default 0;

-- A refund in a dispute names its payment, and says whether a decision ordered it: an appeal turns that one.
update disputes d set body = jsonb_set(d.body, '{refunds}', (
  select jsonb_agg(
      kept.refund || jsonb_build_object('transaction', r.transaction_id)
        || case when r.body->>'kind' = 'reversal' then '{"reversal": true}' else '{}' end::jsonb
      order by kept.n)
    from jsonb_array_elements(d.body->'refunds') with ordinality kept (refund, n)
    join payment_refunds r on r.account_id = d.account_id and r.id = kept.refund->>'id'))
 where d.body ? 'refunds';

-- A payment says how much of it a decision took back. There is one decision a payment so far.
update payment_transactions t set body = t.body || jsonb_build_object('reversed', r.body->'amount')
  from payment_refunds r
 where r.account_id = t.account_id and r.transaction_id = t.id and r.body->>'kind' = 'reversal';
update disputes d set body = jsonb_set(d.body, '{disputed_transactions}', (
  select jsonb_agg(one.body || case when t.body ? 'reversed' then jsonb_build_object('reversed', t.body->'reversed') else '{}' end
      order by one.n)
    from jsonb_array_elements(d.body->'disputed_transactions') with ordinality one (body, n)
    join payment_transactions t on t.account_id = d.account_id and t.id = one.body->>'seller_transaction_id'))
 where d.body ? 'refunds';
