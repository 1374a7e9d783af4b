import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { paperServer } from '../../support/paper-server.ts'

/** As often as the lateness is looked at. */
const SAMPLE_MS = 500
const ON_TIME = 20
const LATE = 501

describe('While the event loop runs late', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A server whose event loop is as late as we say. */
  function scene() {
    let late = ON_TIME
    const meter = {
      measures: false,
      resets: 0,
      enable() {
        meter.measures = true
        return true
      },
      disable() {
        meter.measures = false
        return true
      },
      reset: () => void meter.resets++,
      get mean() {
        return late * 1e6
      },
    }
    const server = paperServer({ loopDelay: meter })
    return {
      meter,
      server,
      runsLateBy(milliseconds: number) {
        late = milliseconds
        vi.advanceTimersByTime(SAMPLE_MS)
      },
      statusOf: async (url: string) => (await server.inject({ url })).statusCode,
    }
  }

  it('requests are refused with the time to wait, health checks are answered, and all is well once it is on time', async () => {
    const { server, runsLateBy, statusOf } = scene()
    runsLateBy(LATE)
    runsLateBy(LATE)

    const refused = await server.inject({ url: '/papers/a' })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2'])
    expect(refused.json<{ name: string }>().name).toBe('SERVICE_UNAVAILABLE')
    expect(await statusOf('/pulse')).toBe(200)
    runsLateBy(LATE)
    expect(await statusOf('/papers/a')).toBe(503)

    runsLateBy(ON_TIME)
    expect(await statusOf('/papers/a')).toBe(200)
    await server.close()
  })

  it('one pause alone refuses nobody, nor does a lateness at the limit', async () => {
    const { server, runsLateBy, statusOf } = scene()
    for (const late of [LATE, ON_TIME, LATE, LATE - 1, LATE]) {
      runsLateBy(late)
      expect(await statusOf('/papers/a')).toBe(200)
    }
    await server.close()
  })

  it('each sample starts afresh, and measuring ends with the server', async () => {
    const { meter, server, runsLateBy } = scene()
    runsLateBy(ON_TIME)
    runsLateBy(ON_TIME)
    expect([meter.measures, meter.resets]).toEqual([true, 2])

    await server.close()

    vi.advanceTimersByTime(10 * SAMPLE_MS)
    expect([meter.measures, meter.resets]).toEqual([false, 2])
  })
})
