-- Our own copy of a merchant's logo, by the digest of the address the merchant gave. Without an image the last try
-- brought none. A logo that nobody keeps is fetched again when its invoice is looked at, so rows may go at any time.
create table logos (
  account_id   text collate "C" not null references accounts on delete cascade,
  digest       text collate "C" not null,
  content_type text collate "C" check (content_type in ('image/png', 'image/jpeg')),
  width        int,
  height       int,
  image        bytea,
  -- Changes with the image, so that a browser may keep what it has.
  version      text collate "C" generated always as (left(encode(sha256(image), 'hex'), 16)) stored,
  -- From then on it is fetched again.
  stale_time   instant not null,
  primary key (account_id, digest),
  check (num_nonnulls(content_type, width, height, image) in (0, 4))
);
