import { pino } from 'pino'
import { describe, it } from 'vitest'
import { openApp } from '../../src/app.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { readSettings } from '../../src/settings.ts'
import { run } from '../support/command.ts'
import { newDatabase } from '../support/database.ts'
import { live } from '../support/live.ts'

/** Longer than a connection of a request may be silent. */
const TAKES_SECONDS = 10

/** A database of a live service, in which `what` makes something slow. */
async function slowDatabase(what: string) {
  const own = await newDatabase()
  const variables = { ...live, PORT: '0', DATABASE_URL: own.url }
  const shop = ['--email', 'jane@example.com', '--name', 'Jane', '--kind', 'PERSONAL']
  await run(['accounts', 'create', ...shop], variables)
  const database: Database = openDatabase(own.url, { connectionsMax: 2 })
  await database.query(what)
  return { ...own, variables, database, remove: () => database.close().then(() => own.drop()) }
}

// All wait for seconds to pass, so they wait together.
describe.concurrent('Work that nobody waits for takes longer than a request may', () => {
  it('when all that is held about somebody is looked for', async ({ expect }) => {
    const { variables, remove } = await slowDatabase(`
      create function public.strpos(words text, word text) returns int language plpgsql as $$ begin
        if coalesce(current_setting('slow.once', true), '') = '' then
          perform set_config('slow.once', 'yes', true), pg_sleep(${TAKES_SECONDS});
        end if;
        return position(word in words);
      end $$;
      do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`)

    const { code, stdout, stderr } = await run(['people', 'export', 'jane@example.com'], variables)

    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).records.accounts).toHaveLength(1)
    await remove()
  })

  it('when all jobs that failed for good are tried again', async ({ expect }) => {
    const { variables, remove } = await slowDatabase(`
      insert into jobs (name, payload, run_at, create_time, parked_time) select 'send-mail', '{"account_id": "A"}', n, n, n
        from (select '2026-01-01T00:00:00.000Z' as n) now;
      create function slowly() returns trigger language plpgsql as $$ begin
        perform pg_sleep(${TAKES_SECONDS});
        return null;
      end $$;
      create trigger slowly before update on jobs for each statement execute function slowly()`)

    const { code, stdout, stderr } = await run(['jobs', 'retry', 'all'], variables)

    expect([code, stdout, stderr]).toEqual([0, 'retried  1\n', ''])
    await remove()
  })

  it('when a rule of the invariants is checked', async ({ expect }) => {
    const { variables, database, url, remove } = await slowDatabase(`
      alter table payment_attempts rename to kept_attempts;
      create function slowly() returns setof kept_attempts language plpgsql as $$ begin
        perform pg_sleep(${TAKES_SECONDS});
        return query select * from kept_attempts;
      end $$;
      create view payment_attempts as select * from slowly()`)
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
    const app = await openApp({ settings: readSettings(variables), databaseUrl: url, log, works: true })
    await database.query("update jobs set run_at = '2026-01-01T00:00:00.000Z' where name = 'check-invariants'")

    const figures = async () => (await app.server.inject('/metrics')).body
    // What it found or what went wrong, whichever comes first.
    const told = async () => lines.join('') + (await figures())
    await expect.poll(told, { interval: 500 }).toMatch(/^\{|^quittance_invariants_unchecked /m)
    expect(lines).toEqual([])
    expect(await figures()).toContain('quittance_invariants_unchecked 0')
    await app.close()
    await remove()
  })

  it('and is given up when the service is to end, for another time', async ({ expect }) => {
    const { variables, database, url, remove } = await slowDatabase(`
      alter table payment_attempts rename to kept_attempts;
      create table ways_it_ended (way text);
      create function slowly() returns setof kept_attempts language plpgsql as $$ begin
        perform pg_sleep(3600);
      exception when query_canceled then
        insert into ways_it_ended values (sqlerrm);
      end $$;
      create view payment_attempts as select * from slowly()`)
    const settings = readSettings({ ...variables, SHUTDOWN_GRACE_SECONDS: '0' })
    const app = await openApp({ settings, databaseUrl: url, log: pino({ level: 'silent' }), works: true })
    await database.query("update jobs set run_at = '2026-01-01T00:00:00.000Z' where name = 'check-invariants'")
    const sleeping = "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    await expect.poll(async () => (await database.query(sleeping)).rows.length).toBe(1)

    await app.close()

    const ways = await database.query('select distinct way from ways_it_ended')
    expect(ways.rows).toEqual([{ way: 'canceling statement due to user request' }])
    const jobs = await database.query(`
      select payload, last_error, run_at::timestamptz between now() and now() + interval '11 minutes' as soon
      from jobs where name = 'check-invariants'`)
    expect(jobs.rows).toEqual([{ payload: { account_id: '-' }, last_error: null, soon: true }])
    await remove()
  })
})
