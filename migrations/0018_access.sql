-- A token counts while it is of its app's generation. Revoking, disabling and suspending begin a new one, so that a token
-- whose request was under way at that moment ends too, which deleting the tokens there are could not promise.
alter table apps add column token_generation int not null default 0;
alter table tokens add column generation int not null default 0;

-- Tokens of a sandbox outlive its reset, which empties the apps and seeds them again under the same ids.
alter table tokens drop constraint tokens_app_id_fkey;
