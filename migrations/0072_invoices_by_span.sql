-- Runs outside a transaction.
-- Words are found in the newest days first, which often fill a page. With a merchant's days in the index of words, alone and ten at
-- a time, a look into them does not go through the lists of all that was ever written; and with the merchant, a small one does not
-- pay for large ones. A process of the version before asks for words alone, which this index answers too.
drop index concurrently if exists invoices_words;
create index concurrently invoices_words on invoices using gin (
  (array[account_id, account_id || left(create_time, 10), account_id || left(create_time, 9)]), grams
) with (gin_pending_list_limit = 1024);
-- Documents with too many pieces to name them, which every search looks at.
drop index concurrently if exists invoices_unnamed;
create index concurrently invoices_unnamed on invoices (account_id) where grams @@ '''*'' & !''I'':*';
drop index concurrently if exists invoices_grams;
-- Amounts, too, of which a thousand would otherwise be sorted for a page.
drop index concurrently if exists invoices_amount_by_month;
create index concurrently invoices_amount_by_month
  on invoices (account_id, currency_code, left(create_time, 7), amount_minor, create_time desc, seq desc) include (id);
