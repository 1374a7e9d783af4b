import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findApp } from '../../../src/accounts/store.ts'
import { Patience } from '../../../src/jobs/patience.ts'
import type { Instant } from '../../../src/kernel/clock.ts'
import { nextAttempt, retryWaits } from '../../../src/webhooks/delivery/retries.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type Person, type World } from '../../support/world.ts'

const root = '/v1/notifications'

interface WebhookBody {
  id: string
  status: string
  signing_secret: string
}
interface TransmissionBody {
  transmission_id: string
  status: string
  attempts: number
  http_status?: number
  error_message?: string
  event_id: string
  next_attempt_time?: string
}
interface TransmissionDetailBody extends TransmissionBody {
  attempt_log: {
    number: number
    http_status?: number
    reason_phrase?: string
    duration: number
    response_headers: Record<string, string>
    response_body: string
    error_message?: string
  }[]
}

describe('A receiver that fails', () => {
  let world: World
  let receiver: Receiver
  let webhook: WebhookBody
  /** Of the merchant, with an app of its own for each test: what an app is sent, no other sees. */
  let merchant: Person
  let appId: string
  beforeAll(async () => {
    world = await newWorld({ settings: { CLOCK_PATIENCE_SECONDS: '1' } })
  })
  beforeEach(async () => {
    merchant = await world.personWithApp(world.people.merchant.id, ['applications/webhooks'])
    appId = (await findApp(world.app.database, merchant.clientId))!.id
    receiver = await Receiver.open()
    const made = await merchant.post<WebhookBody>(`${root}/webhooks`, {
      url: receiver.url(),
      event_types: [{ name: '*' }],
    })
    webhook = made.body
  })
  afterEach(async () => {
    await merchant.delete(`${root}/webhooks/${webhook.id}`)
    await receiver.close()
  })
  afterAll(() => world.close())

  const simulate = async (): Promise<string> => {
    const body = { event_type: 'PAYMENT.CAPTURE.COMPLETED', webhook_id: webhook.id }
    return (await merchant.post<{ id: string }>(`${root}/simulate-event`, body)).body.id
  }
  const transmissions = async (query: Record<string, string> = {}) => {
    return (await merchant.get<{ transmissions: TransmissionBody[] }>(`${root}/webhooks-transmissions`, { query })).body
      .transmissions
  }
  const detail = async (id: string) =>
    (await merchant.get<TransmissionDetailBody>(`${root}/webhooks-transmissions/${id}`)).body
  const secondsUntil = (time: string | undefined) => (Date.parse(time!) - Date.parse(world.now())) / 1000

  it('is tried a third time together with all that failed within the same second, so that a clock that moves stops once', async () => {
    receiver.behaviour = { status: 500 }
    await world.call('POST', '/sandbox/clock', { to: `${world.now().slice(0, 17)}59.100Z` })
    await simulate()
    await world.pass('PT0.3S')
    await simulate()
    await simulate()
    await world.settle()
    // Less than a tenth of five seconds is left to the next full one.
    await world.pass('PT5S')
    const began = Date.parse(world.now()) - 5_400
    for (const wait of [16, 16 + 20, 16 + 20 + 40]) {
      const next = new Date(began + wait * 1000).toISOString()
      expect((await transmissions()).map(({ next_attempt_time }) => next_attempt_time)).toEqual([next, next, next])
      await world.call('POST', '/sandbox/clock', { to: next })
    }
  })

  it('of a live service is tried again at a time of its own', () => {
    const now = '2026-03-02T09:00:00.000Z' as Instant
    const live = { speed: 1, isSandbox: false }
    for (const [i, wait] of retryWaits.entries()) {
      const nexts = Array.from({ length: 20 }, (_, n) =>
        Date.parse(nextAttempt({ deliveryId: `${n}`, attempts: i + 1, now }, live)!),
      )
      expect(new Set(nexts).size).toBeGreaterThan(10)
      expect(Math.min(...nexts) - Date.parse(now)).toBeGreaterThanOrEqual(wait * 1000)
      expect(Math.max(...nexts) - Date.parse(now)).toBeLessThanOrEqual(wait * 1100)
    }
  })

  it('is tried again after five seconds and at most a tenth more, then after twice as long', async () => {
    receiver.behaviour = { status: 500 }
    await simulate()
    await world.settle()
    for (const wait of [5, 10, 20]) {
      const [open] = await transmissions()
      expect(secondsUntil(open!.next_attempt_time)).toBeGreaterThanOrEqual(wait)
      expect(secondsUntil(open!.next_attempt_time)).toBeLessThanOrEqual(wait * 1.1)
      await world.call('POST', '/sandbox/clock', { to: open!.next_attempt_time })
    }
    receiver.behaviour = { status: 204 }
    await world.pass('PT1M')

    expect(await transmissions()).toMatchObject([{ status: 'SUCCESS', attempts: 5, http_status: 204 }])
    expect(receiver.received.length).toBe(5)
  })

  it('leaves a log of what it answered', async () => {
    receiver.behaviour = { status: 503, headers: { 'x-why': 'tired' }, body: `because\u0000${'!'.repeat(10_000)}` }
    await simulate()
    await world.settle()
    const [open] = await transmissions()
    const { attempt_log } = await detail(open!.transmission_id)

    expect(attempt_log).toMatchObject([
      { number: 1, http_status: 503, reason_phrase: 'Service Unavailable', response_headers: { 'x-why': 'tired' } },
    ])
    expect(attempt_log[0]!.response_body.length).toBeLessThanOrEqual(4096)
    expect(attempt_log[0]!.response_body.startsWith('because!')).toBe(true)
    expect(attempt_log[0]!.duration).toBeGreaterThanOrEqual(0)
  })

  it('can be told apart from one that gave up and one that accepts, in the list', async () => {
    const ids: Record<string, string> = {}
    for (const [name, status] of Object.entries({ SUCCESS: 204, FAILURE: 410, PENDING: 503 })) {
      receiver.behaviour = { status }
      ids[name] = await simulate()
      await world.settle()
      await world.pass('PT1S')
    }
    for (const [status, id] of Object.entries(ids))
      expect(await transmissions({ status })).toMatchObject([{ status, event_id: id, attempts: 1 }])
    expect((await transmissions()).map(({ status }) => status)).toEqual(['PENDING', 'FAILURE', 'SUCCESS'])
    expect((await transmissions()).map((one) => 'next_attempt_time' in one)).toEqual([true, false, false])
  })

  it.each(['PENDING', 'RETRYING', 'SUCCESS', 'FAILURE'])(
    'is listed by %s page by page, forth and back',
    async (status) => {
      const answers = { PENDING: 503, RETRYING: 503, SUCCESS: 204, FAILURE: 410 }
      const wanted: string[] = []
      for (const [i, answer] of [503, 204, 410, 204, 503, 410, 503, 204, 410].entries()) {
        receiver.behaviour = { status: answer, headers: { 'retry-after': '3600' } }
        const id = await simulate()
        await world.settle()
        await world.pass('PT1S')
        if (answer === answers[status as keyof typeof answers]) wanted.unshift(id)
        expect(receiver.received.length).toBeGreaterThan(i)
      }
      interface Listed {
        transmissions: TransmissionBody[]
        links: { rel: string; href: string }[]
      }
      const get = async (path: string) => (await merchant.get<Listed>(path)).body
      const pages: Listed[] = []
      const walk = async (rel: string, from: Listed) => {
        pages.push(from)
        const href = from.links.find((link) => link.rel === rel)?.href
        if (href !== undefined) await walk(rel, await get(href.slice(href.indexOf('/v1'))))
      }
      const idsOf = ({ transmissions: listed }: Listed) => listed.map(({ event_id }) => event_id)

      for (const of of ['', `&webhook_id=${webhook.id}`]) {
        pages.length = 0
        await walk('next', await get(`${root}/webhooks-transmissions?status=${status}&page_size=2${of}`))
        expect(pages.map((page) => page.transmissions.length)).toEqual([2, 1])
        expect(pages.flatMap(idsOf)).toEqual(wanted)
        const last = pages.pop()!
        pages.length = 0
        await walk('previous', last)
        expect(pages.toReversed().flatMap(idsOf)).toEqual(wanted)
      }
      expect(await transmissions({ status, webhook_id: 'NOBODYS' })).toEqual([])
    },
  )

  it('is not called before the time it asked for', async () => {
    receiver.behaviour = { status: 429, headers: { 'retry-after': '3600' } }
    await simulate()
    await world.settle()

    expect(secondsUntil((await transmissions())[0]!.next_attempt_time)).toBe(3600)
    await world.pass('PT59M')
    expect(receiver.received.length).toBe(1)
    await world.pass('PT2M')
    expect(receiver.received.length).toBe(2)
  })

  it('is not called again for an event it says is gone, and stays subscribed', async () => {
    receiver.behaviour = { status: 410 }
    await simulate()
    await world.pass('P4D')
    expect(receiver.received.length).toBe(1)
    expect(await transmissions()).toMatchObject([{ status: 'FAILURE', http_status: 410 }])

    receiver.behaviour = { status: 200 }
    await simulate()
    await world.settle()
    expect(receiver.received.length).toBe(2)
  })

  it('fails with a redirect, which is not followed', async () => {
    receiver.behaviour = { status: 302, headers: { location: receiver.url('/elsewhere') } }
    await simulate()
    await world.settle()
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook'])
    expect((await transmissions())[0]!.error_message).toContain('302')
    // It is not only why there was no answer.
    const { text } = await world.call('GET', '/openapi.json')
    expect(text.includes('Why it did not arrive: what the receiver answered, ')).toBe(true)
  })

  it('that is not there is named as such', async () => {
    await receiver.close()
    await simulate()
    await world.settle()
    expect((await transmissions())[0]).toMatchObject({
      status: 'PENDING',
      error_message: expect.stringContaining('ECONNREFUSED'),
    })
    receiver = await Receiver.open()
  })

  it('is called at once when somebody asks, and that counts as one of its attempts', async () => {
    receiver.behaviour = { status: 500 }
    await simulate()
    await world.settle()
    const [open] = await transmissions()
    const asked = await merchant.post(`${root}/webhooks-transmissions/${open!.transmission_id}/attempt`)
    await world.settle()
    expect(asked.status).toBe(202)
    expect(await transmissions()).toMatchObject([{ status: 'PENDING', attempts: 2 }])

    await world.pass('P4D')
    expect(receiver.received.length).toBe(retryWaits.length + 1)
    expect(await transmissions()).toMatchObject([{ status: 'FAILURE', attempts: 26 }])

    receiver.behaviour = { status: 200 }
    await merchant.post(`${root}/webhooks-transmissions/${open!.transmission_id}/attempt`)
    await world.settle()
    expect(await transmissions()).toMatchObject([{ status: 'SUCCESS', attempts: 27 }])
    const done = await merchant.post<TransmissionBody>(
      `${root}/webhooks-transmissions/${open!.transmission_id}/attempt`,
    )
    await world.settle()
    expect([done.status, receiver.received.length]).toEqual([202, 27])
    expect([done.body.status, done.body.next_attempt_time]).toEqual(['SUCCESS', undefined])
  })

  it('gets what it missed in a span of time, once', async () => {
    receiver.behaviour = { status: 410 }
    const missed = [await simulate(), await simulate()]
    await world.settle()
    receiver.behaviour = { status: 200 }
    const arrived = await simulate()
    await world.settle()
    receiver.forget()
    const replay = async (body: object) =>
      (
        await merchant.post<{ replayed: number }>(`${root}/webhooks/${webhook.id}/replay`, {
          start_time: world.now(),
          end_time: world.now(),
          ...body,
        })
      ).body.replayed

    expect(await replay({ start_time: '2020-01-01T00:00:00Z', end_time: '2020-01-02T00:00:00Z' })).toBe(0)
    expect(await replay({})).toBe(2)
    expect(await replay({})).toBe(0)
    await world.settle()
    expect(receiver.received.map(({ event }) => event.id).sort()).toEqual([...missed].sort())
    expect(await replay({})).toBe(0)

    receiver.forget()
    expect(await replay({ include: 'ALL' })).toBe(3)
    await world.settle()
    expect(receiver.received.map(({ event }) => event.id)).toContain(arrived)
  })

  it('that hangs keeps a clock that moves waiting once, whatever it is sent on the way, and is reported', async () => {
    receiver.behaviour = () => {}
    await simulate()
    const { body } = await world.call<{ unanswered: object[] }>('POST', '/sandbox/clock', { advance: 'P5D' })
    const attempts = retryWaits.length + 1
    expect(body.unanswered).toEqual([{ webhook_id: webhook.id, url: receiver.url(), attempts }])
    expect(await transmissions({ status: 'FAILURE' })).toMatchObject([
      { attempts, error_message: expect.stringContaining('the clock moved on') },
    ])
    const [given] = await transmissions()
    const [first, ...others] = (await detail(given!.transmission_id)).attempt_log.map(({ duration }) => duration)
    expect(first).toBeGreaterThanOrEqual(1_000)
    // A busy machine may dawdle over some of them, not over most.
    expect(others.sort((a, b) => a - b)[others.length / 2 - 0.5]).toBeLessThan(1_000)
    const patience = new Patience(5)
    const waits = [receiver.url(), receiver.url(), receiver.url('/other')].map((url) => {
      const wait = patience.for(url)
      patience.lost(webhook.id, url)
      return wait
    })
    expect(waits).toEqual([5_000, 20, 5_000])
  })

  it('is seen while it fails, and gets all of it at once when it is back', async () => {
    receiver.behaviour = { status: 500 }
    const missed = [await simulate(), await simulate()]
    await world.settle()
    const fresh = await simulate()
    const named = async (status: string) => (await transmissions({ status })).map(({ event_id }) => event_id).sort()
    expect([await named('RETRYING'), await named('FAILURE')]).toEqual([[...missed].sort(), []])
    expect(await named('PENDING')).toEqual([...missed, fresh].sort())
    await world.settle()

    receiver.behaviour = { status: 200 }
    receiver.forget()
    const span = { start_time: '2026-01-01T00:00:00Z', end_time: world.now() }
    const replayed = await merchant.post(`${root}/webhooks/${webhook.id}/replay`, span)
    await world.settle()
    expect(replayed.body).toEqual({ replayed: 3 })
    expect(receiver.received.map(({ event }) => event.id).sort()).toEqual([...missed, fresh].sort())
    expect(await named('RETRYING')).toEqual([])
  })

  it('that is disabled gets nothing, and everything when it is back', async () => {
    receiver.behaviour = { status: 500 }
    await simulate()
    await world.settle()
    const disabled = await merchant.post<WebhookBody>(`${root}/webhooks/${webhook.id}/disable`)
    await world.app.transact(async (tx) =>
      tx.emit({
        accountId: world.people.merchant.id,
        appId,
        type: 'INVOICING.INVOICE.PAID',
        resourceId: 'R',
        resource: { id: 'R' },
        summary: 'Paid.',
      }),
    )
    await world.pass('PT1H')
    expect(disabled.body.status).toBe('DISABLED')
    expect(receiver.received.length).toBe(1)
    const missed = await transmissions({ status: 'FAILURE' })
    expect(missed.length).toBe(2)
    const span = { start_time: '2026-01-01T00:00:00Z', end_time: world.now() }
    const told = await merchant.post(`${root}/webhooks/${webhook.id}/replay`, span)
    const resent = await merchant.post(`${root}/webhooks-events/${missed[0]!.event_id}/resend`)
    expect([told.body, resent.body]).toMatchObject([{ replayed: 0 }, { status: 'FAILURE' }])
    await world.settle()
    expect(await transmissions({ status: 'FAILURE' })).toEqual(missed)

    receiver.behaviour = { status: 200 }
    await merchant.post(`${root}/webhooks/${webhook.id}/enable`)
    const replayed = await merchant.post(`${root}/webhooks/${webhook.id}/replay`, span)
    await world.settle()
    expect(replayed.body).toEqual({ replayed: 2 })
    expect(receiver.received.length).toBe(3)
  })

  it('is called at its new address when that was changed meanwhile', async () => {
    receiver.behaviour = { status: 500 }
    await simulate()
    await world.settle()
    await merchant.patch(`${root}/webhooks/${webhook.id}`, [
      { op: 'replace', path: '/url', value: receiver.url('/new') },
    ])
    await world.pass('PT10S')
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/new'])
  })

  it('is not called any more once it is deleted', async () => {
    receiver.behaviour = { status: 500 }
    const event = await simulate()
    await world.settle()
    expect((await merchant.delete(`${root}/webhooks/${webhook.id}`)).status).toBe(204)
    await world.pass('P4D')
    expect(receiver.received.length).toBe(1)
    expect((await merchant.get(`${root}/webhooks-events/${event}`)).body).toMatchObject({ transmissions: [] })
  })

  it('does not keep later events of other resources back, nor of the same one', async () => {
    receiver.behaviour = ({ event }, response) =>
      void response.writeHead(event.event_type.endsWith('CREATED') ? 500 : 200).end()
    const emit = (type: 'INVOICING.INVOICE.CREATED' | 'INVOICING.INVOICE.SENT', resourceId: string) =>
      world.app.transact(async (tx) =>
        tx.emit({
          accountId: world.people.merchant.id,
          appId,
          type,
          resourceId,
          resource: { id: resourceId },
          summary: 'A test.',
        }),
      )
    await emit('INVOICING.INVOICE.CREATED', 'A')
    await emit('INVOICING.INVOICE.SENT', 'A')
    await emit('INVOICING.INVOICE.SENT', 'B')
    await world.settle()
    expect(receiver.types.slice().sort()).toEqual([
      'INVOICING.INVOICE.CREATED',
      'INVOICING.INVOICE.SENT',
      'INVOICING.INVOICE.SENT',
    ])
  })

  it('that replaces its secret gets both signatures for a while, and then only the new one', async () => {
    const rotate = (body: object) => merchant.post<WebhookBody>(`${root}/webhooks/${webhook.id}/rotate-secret`, body)
    const { body: rotated } = await rotate({ overlap_seconds: 3600 })
    expect(rotated.signing_secret).not.toBe(webhook.signing_secret)
    expect((await rotate({})).status).toBe(422)
    const verifies = (secret: string) => {
      const { body, headers } = receiver.received.at(-1)!
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    await simulate()
    await world.settle()
    expect([verifies(webhook.signing_secret), verifies(rotated.signing_secret)]).toEqual([true, true])

    await world.pass('PT1H')
    await simulate()
    await world.settle()
    expect([verifies(webhook.signing_secret), verifies(rotated.signing_secret)]).toEqual([false, true])
  })

  it('belongs to its app: strangers see none of it', async () => {
    await simulate()
    await world.settle()
    const [sent] = await transmissions()
    const path = `${root}/webhooks-transmissions/${sent!.transmission_id}`
    for (const [method, url] of [
      ['GET', path],
      ['POST', `${path}/attempt`],
      ['POST', `${root}/webhooks/${webhook.id}/rotate-secret`],
      ['POST', `${root}/webhooks/${webhook.id}/disable`],
      ['GET', `${root}/webhooks-transmissions/nonsense`],
    ] as const)
      expect([url, (await world.otherMerchant.send(method, url)).status]).toEqual([url, 404])
  })
})
