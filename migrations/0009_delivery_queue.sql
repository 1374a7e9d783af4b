-- Deliveries that have neither arrived nor failed for good, with what an attempt needs to know. Kept apart from the
-- deliveries themselves, which hardly ever change: this table is small, changes all the time, and only its own indexes
-- pay for it. Half of every page is left free, so that holding a row moves no index entry.
create table delivery_queue (
  account_id       text collate "C" not null,
  id               uuid not null,
  webhook_id       text collate "C" not null,
  event_account_id text collate "C" not null,
  event_id         text collate "C" not null,
  seq              bigint not null,
  resource_id      text collate "C" not null,
  transmit_time    instant not null,
  -- Only set when it goes elsewhere than to the webhook's own address.
  url              text,
  lane             smallint not null,
  attempts         int not null,
  next_time        instant not null,
  -- The certificate signature, once it was made.
  signature        text,
  key_id           text collate "C",
  -- Who holds it, and until when. Tells claims apart: a worker that lost its lease can no longer record a result.
  claim            bigint,
  lease_until      timestamptz,
  primary key (account_id, id)
) with (fillfactor = 50);

insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, url,
  lane, attempts, next_time, signature, key_id)
select account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time,
  case when webhook_id = 'WEBHOOK_ID' then url end, lane, attempts, next_time, signature, key_id
from deliveries where status = 'PENDING' order by seq;

create index delivery_queue_waiting on delivery_queue (lane, webhook_id, next_time, seq);
create index delivery_queue_next on delivery_queue (lane, next_time);
-- Finds what must go out before: earlier events of the same resource to the same webhook.
create index delivery_queue_in_order on delivery_queue (webhook_id, resource_id, seq);

-- A delivery that neither waits nor failed has arrived: the most frequent end is the one that writes nothing here.
alter table deliveries add column failure text;
update deliveries set failure = coalesce(last_error, 'The receiver did not accept it.') where status = 'FAILURE';
update deliveries set url = null where webhook_id <> 'WEBHOOK_ID' and url is not null;
alter table deliveries
  drop column status, drop column lane, drop column attempts, drop column next_time, drop column signature,
  drop column key_id, drop column http_status, drop column last_error, drop column finish_time;
create index deliveries_failed on deliveries (account_id, app_id, transmit_time, id) where failure is not null;

drop table delivery_leases;
drop sequence delivery_claims;
