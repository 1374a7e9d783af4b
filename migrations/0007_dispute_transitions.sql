-- The node of a dispute by its short name in the documentation: IS, CU, XA.
create function dispute_node(stage text, status text, flow text, finality text) returns text
language sql immutable parallel safe as $$
  select case
    when status = 'RESOLVED' then case finality when 'APPEALABLE' then 'XA' else 'XX' end
    else left(stage, 1) || case
      when status = 'OPEN' then 'O'
      when status = 'UNDER_REVIEW' then 'U'
      when flow = 'OFFER' then 'F'
      when flow = 'RETURN' then 'R'
      when flow = 'ACK' then 'A'
      when status = 'WAITING_FOR_SELLER_RESPONSE' then 'S'
      else 'B' end
  end
$$;

-- Every move of a dispute from one node to another, written by the statement that makes it. `version` is the one of the
-- dispute that the move led to; the opening itself comes before all versions and from nowhere. There is no reference to the
-- dispute, because it would be looked up at every move; the invariants compare the two.
create table dispute_transitions (
  account_id  text collate "C" not null,
  dispute_id  text collate "C" not null,
  version     int not null,
  action      text collate "C" not null,
  from_node   text collate "C",
  to_node     text collate "C" not null,
  create_time instant not null,
  primary key (account_id, dispute_id, version)
);

create function dispute_transitions_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'transitions of a dispute are never changed' using errcode = '23514',
    constraint = 'dispute_transitions_append_only';
end $$;

create trigger dispute_transitions_append_only before update or delete on dispute_transitions
  for each row execute function dispute_transitions_refuse_change();

-- Of disputes from before the log only where they stand is known.
insert into dispute_transitions (account_id, dispute_id, version, action, from_node, to_node, create_time)
select account_id, id, 0, 'create', null, dispute_node(stage, status, flow, body->>'finality'), update_time from disputes;
