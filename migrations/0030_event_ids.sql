-- The ids an event mentions beside that of its resource: payments, refunds, the dispute of a payment. Events are found by
-- them, so no text has to be searched.
create table event_ids (
  account_id   text collate "C" not null,
  mentioned_id text collate "C" not null,
  seq          bigint not null,
  event_id     text collate "C" not null,
  create_time  instant not null,
  primary key (account_id, mentioned_id, seq)
);
create index event_ids_by_time on event_ids (create_time);

insert into event_ids (account_id, mentioned_id, seq, event_id, create_time)
select distinct e.account_id, mentioned.id #>> '{}', e.seq, e.id, e.create_time
from events e cross join lateral jsonb_path_query(e.body::jsonb, 'strict $.resource.** ?
    (@.type() == "object").keyvalue() ? (@.value.type() == "string" && (@.key == "dispute_id" || @.key == "transaction_id"
      || @.key == "payment_id" || @.key == "refund_id" || @.key == "seller_transaction_id"
      || @.key == "buyer_transaction_id")).value', '{}', true) as mentioned (id)
where mentioned.id #>> '{}' <> e.resource_id and length(mentioned.id #>> '{}') <= 255;
