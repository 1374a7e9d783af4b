import pg from 'pg'
import { expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { newWorld, usd } from '../support/world.ts'

const addApp = `
  insert into apps select one.* from apps a cross join lateral jsonb_populate_record(a,
    '{"id": "APP-MEANWHILE", "client_id": "meanwhile"}') one
  where a.client_id = 'sandbox-merchant'`
const waitingForLocks = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

const WRITERS = 4
const ROUNDS = 100

it('A reset forgets what another process wrote while it was looking for what there is', async () => {
  const world = await newWorld({ isOwn: true })
  const { database } = world.app
  const another = new pg.Client(connectionSettings(world.databaseUrl))
  await another.connect()
  await another.query(`begin; ${addApp}`)
  const reset = world.call('POST', '/sandbox/reset')
  // It has seen no such app, and waits to delete the account that the app belongs to.
  await expect
    .poll(async () => {
      // A transaction would otherwise go on seeing what it saw when it looked first.
      await another.query('select pg_stat_clear_snapshot()')
      return (await another.query(waitingForLocks)).rows.length
    })
    .toBe(1)
  await another.query('commit')
  await another.end()

  expect((await reset).status).toBe(200)
  expect((await database.query("select from apps where client_id = 'meanwhile'")).rows).toEqual([])
  await world.close()
})

it('Whoever writes while a sandbox is reset is answered as before or after it', async () => {
  const world = await newWorld({ isOwn: true })
  const another = new pg.Client(connectionSettings(world.databaseUrl))
  await another.connect()
  await another.query(`select pg_advisory_lock(1);
    create function come_late() returns trigger language plpgsql as $$ begin
      perform set_config('lock_timeout', '0', true), pg_advisory_xact_lock(1); return new; end $$;
    create trigger come_late before insert on accounts execute function come_late()`)
  const waiting = async () => (await another.query(waitingForLocks)).rows.length
  // Each has a number of its own: those who take the next one wait for their turn, and on a busy machine not long enough.
  const write = (number: string) =>
    world.merchant.post('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', invoice_number: number },
      items: [{ name: 'Bread', quantity: '1', unit_amount: usd('4.00') }],
    })
  expect((await write('BEFORE')).status).toBe(201)

  const reset = world.call('POST', '/sandbox/reset')
  // Everybody is gone, and nobody has come.
  await expect.poll(waiting).toBe(1)
  let answeredCount = 0
  const writing = Array.from({ length: WRITERS }, async (_, n) => {
    const answer = await write(`MEANWHILE-${n}`)
    answeredCount++
    return answer
  })
  // In so many rounds each of them would have been answered, or wait for the accounts that the reset took away.
  for (let round = 0; round < ROUNDS; round++) expect([answeredCount, await waiting()]).toEqual([0, 1])
  await another.query('select pg_advisory_unlock(1)')

  expect((await reset).status).toBe(200)
  for (const { status, text } of await Promise.all(writing)) expect(status, text).toBe(201)
  await another.end()
  await world.close()
})

it('A reset that fails between emptying and seeding leaves everything as it was', async () => {
  const world = await newWorld({ isOwn: true })
  const { database } = world.app
  const invoice = { detail: { currency_code: 'USD' } }
  const add = async () => (await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', invoice)).body.id
  const id = await add()
  await world.merchant.post('/v1/notifications/webhooks', {
    url: 'http://127.0.0.1:9000/',
    event_types: [{ name: 'INVOICING.INVOICE.PAID' }],
  })
  const before = await world.call('GET', '/sandbox/clock')
  await database.query(`create function nobody_comes() returns trigger language plpgsql as $$ begin raise 'lost'; end $$;
    create trigger nobody_comes before insert on accounts for each row execute function nobody_comes()`)

  expect((await world.call('POST', '/sandbox/reset', { keep: ['webhooks'] })).status).toBe(500)

  await database.query('drop function nobody_comes cascade')
  world.merchant.signOut()
  expect((await world.merchant.get(`/v2/invoicing/invoices/${id}`)).status).toBe(200)
  const { body } = await world.merchant.get<{ webhooks: object[] }>('/v1/notifications/webhooks')
  expect(body.webhooks).toHaveLength(1)
  expect(await world.call('GET', '/sandbox/clock')).toMatchObject({ body: before.body })
  // Numbers that are given out go on behind those that were.
  expect(await add()).not.toBe(id)

  expect((await world.call('POST', '/sandbox/reset', { keep: ['webhooks'] })).status).toBe(200)
  expect((await world.merchant.get(`/v2/invoicing/invoices/${id}`)).status).toBe(404)
  await world.close()
})
