import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Partitions } from '../../../src/database/partitions.ts'
import { Sweeper } from '../../../src/jobs/sweep.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

const root = '/v1/notifications'

describe('A sweep that fails', () => {
  let world: World
  let receiver: Receiver
  const lines: string[] = []
  beforeAll(async () => {
    receiver = await Receiver.open()
    world = await newWorld({ log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }) })
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  it('keeps none of the others from theirs, and is seen in the figures and in the log', async () => {
    const body = { event_type: 'INVOICING.INVOICE.PAID', url: receiver.url() }
    const { body: event } = await world.merchant.post<{ id: string }>(`${root}/simulate-event`, body)
    const sees = async () => (await world.merchant.get(`${root}/webhooks-events/${event.id}`)).status
    await world.pass('P40D')
    expect(await sees()).toBe(200)

    await world.app.database.query('alter table quotas rename to quotas_elsewhere')
    await expect(world.app.sweep()).rejects.toThrow('"quotas" does not exist')
    await world.app.database.query('alter table quotas_elsewhere rename to quotas')

    expect(await sees()).toBe(404)
    const figures = (await world.call('GET', '/metrics')).text
    expect(figures).toContain('quittance_sweep_failures_total{sweep="quotas"} 1')
    const told = lines.map((line) => JSON.parse(line) as { sweep?: string; msg: string }).filter(({ sweep }) => sweep)
    expect(told.map(({ sweep, msg }) => `${sweep}: ${msg}`)).toEqual([
      'quotas: sweeping failed, and goes on in an hour',
    ])
  })
})

describe('A process', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('sweeps within ten minutes of its start, and every hour from then on', async () => {
    const { database, clock } = world.app
    let swept = 0
    const sweeper = new Sweeper({
      ...{ database, clock, log: pino({ level: 'silent' }), partitions: new Partitions(database), onFailure: () => {} },
      sweeps: [{ all: async () => void swept++ }],
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    sweeper.start()

    const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000)
    minutes(10)
    await expect.poll(() => swept).toBe(1)
    minutes(60)
    await expect.poll(() => swept).toBe(2)
    await sweeper.stop()
    minutes(120)
    expect(swept).toBe(2)
  })
})
