import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { randomIds } from '../../../src/kernel/ids.ts'
import { readSettings } from '../../../src/settings.ts'
import { does, eventsOf, open, position, sees } from '../../scenarios/disputes/people.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

describe('A review that was to be decided by a setting', () => {
  let world: World
  let calm: App
  beforeAll(async () => {
    world = await newWorld({ settings: { DISPUTE_AUTO_ADJUDICATE: 'BUYER_FAVOR' } })
    const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
    const log = pino({ level: 'error' })
    calm = await openApp({ ...patient, settings, databaseUrl: world.databaseUrl, log, ids: randomIds })
  })
  afterAll(async () => {
    await calm.close()
    await world.close()
  })

  it('is left to an agent when the setting is off by then', async () => {
    const { buyer, merchant } = world
    const id = await open(buyer, { reason: 'OTHER' })
    await does(merchant, id, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'See.' }] })

    const moved = await calm.server.inject({ method: 'POST', url: '/sandbox/clock', payload: { advance: 'P12D' } })

    const { fired } = moved.json<{ fired: { key?: string }[] }>()
    expect(fired.map(({ key }) => key)).toContain(`deadline:${id}`)
    expect(position(await sees(merchant, id))).toBe('CHARGEBACK/UNDER_REVIEW UNDER_REVIEW')
    expect((await eventsOf(world, id)).at(-1)).toBe('UPDATED')
    expect((await does(merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })).status).toBe(200)
  })
})
