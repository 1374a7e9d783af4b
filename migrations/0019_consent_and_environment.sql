-- Which merchants an app may act for.
create index consents_of_app on consents (app_id, account_id);

-- It was enough to sign an assertion with, and an assertion needs no signature.
alter table app_secrets drop column assertion_key;

-- What this database was made for. A service of the other environment does not start on it.
create table deployment (
  only_row    boolean primary key default true check (only_row),
  environment text not null check (environment in ('sandbox', 'live'))
);
insert into deployment (environment)
select case when exists (select from apps where sandbox) or exists (select from clock) then 'sandbox' else 'live' end
where exists (select from accounts);
