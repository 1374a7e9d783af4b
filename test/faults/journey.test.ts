import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '../../src/app.ts'
import { after, type Instant } from '../../src/kernel/clock.ts'
import { readSettings } from '../../src/settings.ts'
import { newWorld, patient, type World } from '../support/world.ts'

const DAY = 86_400

/** From the fifth day on the clock cannot be set. */
const refuse = (from: Instant) => `
  create function refuse_clock() returns trigger language plpgsql as $$
    begin
      if new.offset_ms > extract(epoch from '${from}'::timestamptz - clock_timestamp()) * 1000 then raise 'no further'; end if;
      return new;
    end $$;
  create trigger refuse_clock before insert or update on clock for each row execute function refuse_clock()`

describe('A journey of the clock that fails on the way', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
  })
  afterAll(() => world.close())

  const clock = async () => (await world.call<{ now: Instant; frozen: boolean }>('GET', '/sandbox/clock')).body
  const move = (body: object) => world.call('POST', '/sandbox/clock', body)
  /** What another process finds, or this one when it starts again. */
  const kept = async () => (await world.app.database.query('select frozen_time from clock')).rows
  /** The newest band that the timeline draws. */
  const band = async () => {
    await world.settle()
    const path = '/sandbox/timeline?kind=clock&page_size=1'
    type Told = { threads: { happenings: { kind: string; details: object }[] }[] }
    const { threads } = (await world.call<Told>('GET', path)).body
    return threads[0]?.happenings.find(({ kind }) => kind === 'clock')?.details
  }

  it.each([false, true])('leaves it as far as it got, and standing as before: %s', async (freeze) => {
    await move({ freeze })
    const { now } = await clock()
    await world.app.transact(async (tx) => {
      for (const days of [3, 8])
        tx.enqueue({ name: 'no-such-job', payload: { account_id: 'A' }, runAt: after(now, days * DAY), key: `${days}` })
    })
    await world.app.database.query(refuse(after(now, 5 * DAY)))

    expect((await move({ advance: 'P10D' })).status).toBe(500)

    await world.app.database.query('drop function refuse_clock cascade')
    const reached = await clock()
    expect(reached.frozen).toBe(freeze)
    expect(reached.now >= after(now, 3 * DAY) && reached.now < after(now, 5 * DAY)).toBe(true)
    expect(await kept()).toEqual([{ frozen_time: freeze ? reached.now : null }])
    expect(await band()).toMatchObject({
      frozen: freeze,
      fell_due: 1,
      to: expect.stringContaining(after(now, 3 * DAY).slice(0, 16)),
    })
    expect((await move({ advance: 'P10D' })).status).toBe(200)
  })

  it('says how far it got where more falls due than one call does, and goes on from there', async () => {
    await move({ freeze: true })
    const { now } = await clock()
    await world.app.transact(async (tx) => {
      for (let day = 1; day <= 5; day++)
        tx.enqueue({
          name: 'no-such-job',
          payload: { account_id: 'A' },
          runAt: after(now, day * DAY),
          key: `on ${day}`,
        })
    })
    const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
    const parts = { ...patient, settings, databaseUrl: world.databaseUrl, log: pino({ level: 'silent' }) }
    const impatient = await openApp({ ...parts, stepsMax: 3 })
    const host = 'localhost:8080'
    const sent = async (payload: string) => {
      const headers = { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' }
      const { headers: answered } = await impatient.server.inject({
        method: 'POST',
        url: '/console/clock',
        headers,
        payload,
      })
      return decodeURIComponent(String(answered['set-cookie']))
    }

    const first = await sent('advance=P4D')
    const reached = await clock()
    await expect.poll(band).toMatchObject({ from: now, to: reached.now, fell_due: 2 })
    const second = await sent('advance=P4D')
    await impatient.close()

    expect(reached.now > now && reached.now < after(now, 4 * DAY)).toBe(true)
    expect(first).toContain(`console-refusal=The clock went no further than ${reached.now}`)
    expect(second).not.toContain('Nothing was changed')
    expect((await clock()).now > reached.now).toBe(true)
  })
})
