import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

const root = '/v1/notifications'

describe('The figures of deliveries', () => {
  let world: World
  let receiver: Receiver
  let webhookId: string
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    receiver = await Receiver.open()
    const url = receiver.url()
    const made = await world.merchant.post<{ id: string }>(`${root}/webhooks`, { url, event_types: [{ name: '*' }] })
    webhookId = made.body.id
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const simulate = () =>
    world.merchant.post(`${root}/simulate-event`, { event_type: 'INVOICING.INVOICE.PAID', webhook_id: webhookId })
  /** What a scrape says of deliveries: name and labels to value. */
  const scrape = async (): Promise<Record<string, number>> => {
    const { text } = await world.call('GET', '/metrics')
    const lines = text.split('\n').filter((line) => line.startsWith('quittance_webhook'))
    return Object.fromEntries(
      lines.map((line) => [line.split(' ')[0]!.slice('quittance_'.length), Number(line.split(' ')[1])]),
    )
  }

  it('tell attempts apart by what came of them', async () => {
    for (const status of [200, 204, 410, 500, 302]) {
      receiver.behaviour = { status }
      await simulate()
      await world.settle()
    }
    receiver.behaviour = (_, response) => void response.destroy()
    await simulate()
    await world.settle()

    expect(await scrape()).toMatchObject({
      'webhook_attempts_total{outcome="delivered",answer="2xx"}': 2,
      'webhook_attempts_total{outcome="given_up",answer="4xx"}': 1,
      'webhook_attempts_total{outcome="retry",answer="5xx"}': 1,
      'webhook_attempts_total{outcome="retry",answer="3xx"}': 1,
      'webhook_attempts_total{outcome="retry",answer="none"}': 1,
      'webhook_attempt_seconds_count{outcome="retry"}': 3,
      'webhook_attempt_seconds_bucket{le="20",outcome="delivered"}': 2,
      webhook_deliveries_pending: 3,
      webhooks_disabled: 0,
    })
  })

  it('say how long the oldest has been due, and which webhooks are disabled', async () => {
    const late = "update delivery_queue set next_time = '2026-03-02T08:00:00.000Z', lane = 0 where attempts = 0"
    await simulate()
    await world.app.database.query(late)
    const { 'webhook_oldest_due_seconds{lane="proven"}': proven, 'webhook_oldest_due_seconds{lane="cold"}': cold } =
      await scrape()
    expect([proven, cold]).toEqual([3600, 0])

    await world.merchant.post(`${root}/webhooks/${webhookId}/disable`)
    expect(await scrape()).toMatchObject({
      'webhook_oldest_due_seconds{lane="proven"}': 0,
      webhook_deliveries_pending: 0,
      webhooks_disabled: 1,
    })
  })
})
