import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { openApp } from '../src/app.ts'
import { findEntries } from '../src/audit/store.ts'
import { connectionSettings } from '../src/database/address.ts'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase } from '../src/database/open.ts'
import { partitionTables } from '../src/database/partitioning.ts'
import { Partitions } from '../src/database/partitions.ts'
import { nobody } from '../src/kernel/caller.ts'
import { after, type Instant, systemClock } from '../src/kernel/clock.ts'
import { dayOf, firstEventId } from '../src/kernel/dated.ts'
import { readSettings } from '../src/settings.ts'
import { claimDeliveries } from '../src/webhooks/delivery/claim.ts'
import { deliveryId } from '../src/webhooks/delivery/delivery-id.ts'
import { findEvent, listEvents } from '../src/webhooks/events/store.ts'
import { findTransmission, transmissionsOf } from '../src/webhooks/events/transmissions.ts'
import { sweepEvents } from '../src/webhooks/retention.ts'
import { makeSeal } from '../src/webhooks/signing/seal.ts'
import { openBenchDatabase } from './harness/database.ts'
import { median } from './harness/statistics.ts'

/**
 * What partitions spare and what they cost: the same rows in a database without and in one with them. Thirty days of events, the
 * oldest of which is the large one, which then goes; before that, what is found by id, listed, claimed and written, in turns.
 *
 *   npx tsx bench/partitions.ts [--events 250000]
 *
 * Filling the databases takes longest. With `--prepare`, on the server of DATABASE_URL, that is all it does; it prints their
 * addresses, which `--at` takes.
 */

const { values: given } = parseArgs({
  options: {
    events: { type: 'string', default: '250000' },
    prepare: { type: 'boolean', default: false },
    at: { type: 'string', multiple: true, default: [] },
  },
})
const LARGE = Number(given.events)
const SMALL = 2_000
const DAYS = 30
const ROUNDS = 6
const TIMES = 60
const FEW = 5
const DAY_SECONDS = 86_400

const now = systemClock.now()
const midnight = `${now.slice(0, 10)}T00:00:00.000Z` as Instant
const ACCOUNT = 'BENCHACCOUNT2'
const settings = readSettings({
  QUITTANCE_ENVIRONMENT: 'live',
  QUITTANCE_SECRET: 'a secret of a live service, long enough',
})
const APP = 'APP-BENCH'

type Journey = (side: Side, n: number) => Promise<unknown>

interface Side {
  readonly name: string
  readonly url: string
  readonly client: pg.Client
  readonly app: Awaited<ReturnType<typeof openApp>>
  readonly partitions: Partitions
  readonly ids: readonly string[]
  readonly transmissions: readonly string[]
}

/** Fills a database with thirty days of events. */
async function fill(url: string, client: pg.Client, isDated: boolean): Promise<void> {
  await migrate(url)
  const earlier = after(midnight, -DAYS * DAY_SECONDS)
  if (isDated) {
    const own = new pg.Client(connectionSettings(url))
    await own.connect()
    await partitionTables(own, after(earlier, -60 * DAY_SECONDS), () => {})
    await own.end()
  }
  const database = openDatabase(url, { connectionsMax: 2, statementTimeoutMs: 0 })
  const partitions = new Partitions(database)
  for (let day = 0; day <= DAYS; day += 7) await partitions.keepAhead(after(earlier, day * DAY_SECONDS))
  await database.close()
  await seed(client, isDated)
}

async function openSide(name: string, url: string, client: pg.Client): Promise<Side> {
  const app = await openApp({ settings, databaseUrl: url, log: pino({ level: 'silent' }), statementTimeoutMs: 60_000 })
  const sent = deliveryId({ event: 'id', webhook: "'BENCHWEBHOOK'", round: '0' })
  const { rows } = await client.query<{ id: string; sent: string }>(
    `select id, ${sent}::text as sent from events order by md5(id) limit 2000`,
  )
  const there = new Partitions(app.database)
  await there.keepAhead(now)
  return {
    name,
    url,
    client,
    app,
    partitions: there,
    ids: rows.map(({ id }) => id),
    transmissions: rows.map(({ sent }) => sent),
  }
}

/** The same days, sizes and resources on both sides; only the ids differ. */
async function seed(client: pg.Client, isDated: boolean): Promise<void> {
  await client.query(
    `insert into accounts (id, body, create_time) values ($1, '{"email":"bench@example.com","kind":"BUSINESS","status":"ACTIVE"}', $2)`,
    [ACCOUNT, now],
  )
  await client.query(
    `insert into apps (id, account_id, client_id, name, features, scopes, status, create_time)
     values ('${APP}', $1, 'bench', 'bench', '{}', '{}', 'ENABLED', $2)`,
    [ACCOUNT, now],
  )
  await client.query(
    `insert into webhooks (account_id, app_id, id, url, event_types, secret, lane, create_time, update_time)
     values ($1, '${APP}', 'BENCHWEBHOOK', 'https://receiver.test/', '{*}', $3, 0, $2, $2)`,
    [ACCOUNT, now, makeSeal(settings.secrets!).close(Buffer.alloc(32), 'BENCHWEBHOOK')],
  )
  for (let day = DAYS; day >= 0; day--) {
    const time = after(midnight, -day * DAY_SECONDS + 3_600)
    const plain = "'WH-' || upper(left(md5(n || ' ' || $2), 17)) || '-' || upper(left(md5($2 || n), 17))"
    const dated = `'${firstEventId(dayOf(time))}' || upper(left(md5(n || ' ' || $2), 5)) || '-' || upper(left(md5($2 || n), 17))`
    await client.query(
      `with made as (
         insert into events (account_id, id, app_id, type, resource_id, body, create_time, actor, cause)
         select '${ACCOUNT}', ${isDated ? dated : plain}, '${APP}', 'INVOICING.INVOICE.PAID', 'INV2-' || n % 50000, repeat(md5(n::text), 64), $2, 'app:bench', 'cause'
         from generate_series(1, $1) n returning *),
       heard as (
         insert into event_audience (account_id, app_id, event_id, event_account_id, seq, create_time)
         select account_id, app_id, id, account_id, seq, create_time from made),
       sent as (
         insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id, transmit_time)
         select account_id, ${deliveryId({ event: 'made.id', webhook: "'BENCHWEBHOOK'", round: '0' })}, app_id, 'BENCHWEBHOOK', account_id, id, type, seq, resource_id, create_time
         from made returning *)
       insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, duration_ms, response_headers, response_body)
       select account_id, id, 1, transmit_time, 'https://receiver.test/', 200, 12, '{}', '' from sent`,
      [day === DAYS ? LARGE : SMALL, time],
    )
  }
  await client.query('vacuum analyze')
}

/** Milliseconds at the median of the rounds, the sides in turns. */
async function inTurns(sides: readonly Side[], times: number, does: Journey): Promise<number[]> {
  const taken = sides.map((): number[] => [])
  let n = 0
  for (let round = -1; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [...sides.keys()] : [...sides.keys()].reverse()
    for (const i of order) {
      const started = performance.now()
      for (let time = 0; time < times; time++) await does(sides[i]!, n + time)
      if (round >= 0) taken[i]!.push((performance.now() - started) / times)
    }
    n += times
  }
  return taken.map(median)
}

const caller = { ...nobody, accountId: ACCOUNT, appId: APP, scopes: new Set<string>() }
const page = { size: 10, from: after(now, -DAYS * DAY_SECONDS), to: now }
const filter = { appId: APP, accountId: ACCOUNT, actingFor: ACCOUNT, scopes: new Set<string>() }

const journeys: readonly [what: string, times: number, does: Journey][] = [
  ['an event by its id', TIMES, ({ app, ids }, n) => findEvent(app.database, caller, ids[n % ids.length]!)],
  [
    'a transmission by its id, with its last attempt',
    TIMES,
    ({ app, transmissions }, n) =>
      findTransmission(app.database, ACCOUNT, caller, transmissions[n % transmissions.length]!),
  ],
  [
    'the newest ten events',
    FEW,
    ({ app, partitions }) => listEvents(app.database, filter, page, { isDated: partitions.isOn }),
  ],
  [
    'the transmissions of ten events',
    FEW,
    ({ app, ids }, n) => transmissionsOf(app.database, ACCOUNT, APP, ids.slice(n % 1_000, (n % 1_000) + 10)),
  ],
  [
    'the events of a resource, whose day nobody knows',
    FEW,
    ({ app }, n) => listEvents(app.database, { ...filter, transactionId: `INV2-${n}` }, page),
  ],
  [
    'an event is committed with its delivery',
    TIMES,
    ({ app }, n) =>
      app.transact(async (tx) =>
        tx.emit({
          accountId: ACCOUNT,
          appId: APP,
          type: 'INVOICING.INVOICE.PAID',
          resourceId: `INV2-${n}`,
          resource: { text: 'x'.repeat(2_000) },
          summary: 'A test.',
        }),
      ),
  ],
  [
    'a claim of ten deliveries that are due',
    FEW,
    async ({ app }) => {
      const claim = { lane: 0, afterWebhook: '', busy: [], webhooks: 10, each: 10, count: 10 } as const
      const { claimed } = await claimDeliveries(app.database, claim, after(now, DAY_SECONDS))
      if (claimed.length < 10) throw new Error('There is not enough to claim.')
    },
  ],
]

/** What a piece of work takes of time and of the log, which had a checkpoint just before. */
async function cost(client: pg.Client, work: () => Promise<unknown>) {
  await client.query('checkpoint')
  const place = async () => (await client.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')).rows[0]!.at
  const [from, started] = [await place(), performance.now()]
  await work()
  const seconds = (performance.now() - started) / 1000
  const { rows } = await client.query<{ bytes: string }>('select pg_wal_lsn_diff($1, $2) as bytes', [
    await place(),
    from,
  ])
  return { seconds, kilobytes: Number(rows[0]!.bytes) / 1000 }
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const whole = (n: number) => Math.round(n).toLocaleString('en')

async function compare(sides: readonly [Side, Side]): Promise<void> {
  say('| | without | with | ratio |\n|---|---:|---:|---:|')
  for (const [what, times, does] of journeys) {
    const [without, withThem] = (await inTurns(sides, times, does)) as [number, number]
    say(`| ${what} | ${without.toFixed(2)} ms | ${withThem.toFixed(2)} ms | ${(withThem / without).toFixed(2)} |`)
  }
}

async function retire(sides: readonly [Side, Side]): Promise<void> {
  say(`\n| a day of ${whole(LARGE)} events, ${whole(LARGE * 4)} rows | seconds | kB of WAL |\n|---|---:|---:|`)
  for (const { name, app, client, partitions } of sides) {
    const parts = { database: app.database, partitions, now: midnight, stopped: () => false }
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from events')
    const gone = await cost(client, () => sweepEvents(parts, DAYS - 1))
    const left = await client.query<{ count: number }>('select count(*)::int as count from events')
    if (rows[0]!.count - left.rows[0]!.count !== LARGE) throw new Error('Not that day, or not that day alone.')
    say(`| ${name} | ${gone.seconds.toFixed(2)} | ${whole(gone.kilobytes)} |`)
    const vacuum = await cost(client, () =>
      client.query('vacuum events, event_audience, deliveries, delivery_attempts'),
    )
    say(`| ${name}: the vacuum after it | ${vacuum.seconds.toFixed(2)} | ${whole(vacuum.kilobytes)} |`)
  }
}

/** Why the audit log has months: it is kept for 400 days, and a list of the newest opens all partitions there are. */
async function auditPages({ client, app }: Side): Promise<void> {
  say('\n| the newest fifty of the audit log, 400 days | ms | locks held |\n|---|---:|---:|')
  for (const [what, days] of [
    ['one partition a month', 30],
    ['one a day', 1],
  ] as const) {
    await client.query('begin')
    await client.query('drop table audit_log cascade')
    await client.query(`create table audit_log (create_time instant not null, seq bigint generated always as identity,
      account_id text collate "C", actor text collate "C" not null, action text collate "C" not null, resource_id text collate "C",
      address text collate "C", request_id text collate "C", cause text collate "C" not null, arguments text[],
      primary key (create_time, seq)) partition by range (create_time);
      create index on audit_log (account_id, create_time, seq); create index on audit_log (actor, create_time, seq)`)
    const first = after(midnight, -400 * DAY_SECONDS)
    for (let day = 0; day <= 400; day += days)
      await client.query(`create table audit_log_${day} partition of audit_log
        for values from ('${after(first, day * DAY_SECONDS)}') to ('${after(first, (day + days) * DAY_SECONDS)}')`)
    await client.query(
      `insert into audit_log (create_time, account_id, actor, action, cause)
      select to_char($1::timestamptz at time zone 'UTC' + n * interval '4 minutes', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        '${ACCOUNT}', 'app:bench', 'createInvoice', 'cause' from generate_series(0, 143000) n`,
      [first],
    )
    await client.query('commit')
    await client.query('analyze audit_log')
    const list = () => findEntries(app.database, { account_id: ACCOUNT }, 50)
    await list()
    const started = performance.now()
    for (let n = 0; n < 20; n++) await list()
    const ms = (performance.now() - started) / 20
    const held = await app.database.transaction(async (connection) => {
      await findEntries({ ...connection, row: async () => undefined }, { account_id: ACCOUNT }, 50)
      const [row] = await connection.rows<{ count: number }>({
        name: '',
        text: 'select count(*)::int as count from pg_locks where pid = pg_backend_pid()',
      })
      return row!.count
    })
    say(`| ${what} | ${ms.toFixed(1)} | ${held} |`)
  }
}

async function measure(urls: readonly [string, string]): Promise<void> {
  const clients = urls.map((url) => new pg.Client(connectionSettings(url))) as [pg.Client, pg.Client]
  for (const client of clients) await client.connect()
  const sides = [
    await openSide('without partitions', urls[0], clients[0]),
    await openSide('with partitions', urls[1], clients[1]),
  ] as const
  const { rows } = await clients[0].query<{ server_version: string }>('show server_version')
  say(`PostgreSQL ${rows[0]!.server_version}, ${cpus().length} cores (${cpus()[0]?.model}), ${DAYS + 1} days\n`)
  await compare(sides)
  await retire(sides)
  // The last: it puts another audit log in the place of that of the service.
  await auditPages(sides[1])
  for (const { app } of sides) await app.close()
  for (const client of clients) await client.end()
}

if (given.at.length === 2) await measure(given.at as [string, string])
else {
  const opened = [
    await openBenchDatabase(process.env['DATABASE_URL']),
    await openBenchDatabase(process.env['DATABASE_URL']),
  ]
  for (const [i, { url, client }] of opened.entries()) await fill(url, client, i === 1)
  const urls = opened.map(({ url }) => url) as [string, string]
  if (given.prepare) {
    say(urls.map((url) => `--at ${url}`).join(' '))
    for (const { client } of opened) await client.end()
    process.exit()
  }
  await measure(urls)
  for (const { stop } of opened) await stop()
}
