import pg from 'pg'
import { connectionSettings } from '../src/database/address.ts'
import { migrate } from '../src/database/migrate.ts'
import { openBenchDatabase } from './harness/database.ts'
import { median } from './harness/statistics.ts'

/**
 * What row level security would cost: a read by key and a write, by a role under policies that compare the account of each
 * row with a setting, against the same by a role without. Taken in turns, so that a noisy machine disturbs both alike.
 *
 *   npx tsx bench/row-security.ts
 */

const ACCOUNTS = 100
const ROWS = 20_000
const TIMES = 2_000
const ROUNDS = 7

const account = (n: number) => `ACCOUNT${n % ACCOUNTS}`

async function prepare(owner: pg.Client): Promise<void> {
  await owner.query(`
    create table plain (account_id text collate "C" not null, id text collate "C" not null, body jsonb not null,
      primary key (account_id, id));
    insert into plain select 'ACCOUNT' || n % ${ACCOUNTS}, 'ID' || n, jsonb_build_object('id', n, 'text', repeat('x', 800))
      from generate_series(0, ${ROWS - 1}) n;
    create table guarded (like plain including all);
    insert into guarded select * from plain;
    alter table guarded enable row level security;
    create policy own on guarded using (account_id = current_setting('quittance.account'))
      with check (account_id = current_setting('quittance.account'));
    create role bench_service;
    grant all on plain, guarded to bench_service;
    analyze`)
}

/** One operation: with policies the account is set for the transaction, in the same round trip. */
async function timed(client: pg.Client, table: string, kind: 'read' | 'write'): Promise<number> {
  const started = performance.now()
  for (let n = 0; n < TIMES; n++) {
    const values = [account(n), `ID${n % ACCOUNTS}`]
    const query =
      kind === 'read'
        ? { name: `read ${table}`, text: `select body from ${table} where account_id = $1 and id = $2`, values }
        : { name: `write ${table}`, text: `update ${table} set body = body where account_id = $1 and id = $2`, values }
    if (table === 'plain') await client.query(query)
    else {
      const setting = { name: 'account', text: "select set_config('quittance.account', $1, true)", values: [values[0]] }
      await Promise.all([client.query('begin'), client.query(setting), client.query(query), client.query('commit')])
    }
  }
  return ((performance.now() - started) * 1000) / TIMES
}

const bench = await openBenchDatabase(process.env['DATABASE_URL'])
await migrate(bench.url)
const owner = new pg.Client(connectionSettings(bench.url))
const service = new pg.Client({ ...connectionSettings(bench.url), pipeline: true } as pg.ClientConfig)
await owner.connect()
await service.connect()
try {
  await prepare(owner)
  await service.query('set role bench_service')
  for (const kind of ['read', 'write'] as const) {
    const figures: Record<string, number[]> = { plain: [], guarded: [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const table of ['plain', 'guarded']) figures[table]!.push(await timed(service, table, kind))
    const [plain, guarded] = [median(figures['plain']!), median(figures['guarded']!)]
    console.info(
      `${kind}: ${plain.toFixed(0)} us without, ${guarded.toFixed(0)} us under a policy, ratio ${(guarded / plain).toFixed(2)}`,
    )
  }
} finally {
  await owner.query('drop owned by bench_service; drop role bench_service').catch(() => {})
  await owner.end()
  await service.end()
  await bench.stop()
}
