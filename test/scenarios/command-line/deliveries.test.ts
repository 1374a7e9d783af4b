import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, run } from '../../support/command.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type Person, type World } from '../../support/world.ts'
import { open } from '../disputes/people.ts'

interface Troubled {
  readonly webhook_id: string
  readonly account_id: string
  readonly url: string
  readonly status: string
  readonly waiting: number
  readonly failed: number
  readonly error: string | null
}
interface Undelivered {
  readonly id: string
  readonly event: string
  readonly event_id: string
  readonly status: string
  readonly attempts: number
  readonly http_status: number | null
}

const GONE = { status: 410 }
const root = '/v1/notifications'

describe('quittance deliveries', () => {
  let world: World
  let receiver: Receiver
  let merchant: Person
  let hook: string
  beforeAll(async () => {
    world = await newWorld()
  })
  beforeEach(async () => {
    merchant = await world.personWithApp(world.people.merchant.id, ['applications/webhooks'])
    receiver = await Receiver.open()
    receiver.behaviour = GONE
    hook = await subscribed(merchant, `${receiver.url()}?key=secret`)
    return async () => {
      await merchant.delete(`${root}/webhooks/${hook}`)
      await receiver.close()
    }
  })
  afterAll(() => world.close())

  const subscribed = async (who: Person, url: string) =>
    (await who.post<{ id: string }>(`${root}/webhooks`, { url, event_types: [{ name: '*' }] })).body.id
  const simulated = async () => {
    const told = { webhook_id: hook, event_type: 'INVOICING.INVOICE.PAID' }
    const { id } = (await merchant.post<{ id: string }>(`${root}/simulate-event`, told)).body
    await world.settle()
    return id
  }
  const variables = () => ({ DATABASE_URL: world.databaseUrl })
  const quittance = <Result>(...words: string[]) => json<Result>(['deliveries', ...words], variables())
  const listed = async () => (await quittance<Troubled[]>('list')).find(({ webhook_id }) => webhook_id === hook)
  const shown = () => quittance<Undelivered[]>('show', hook)
  const arrived = () => receiver.received.map(({ event }) => event.id)

  it('lists receivers that events failed or wait for, by account, without what may be a secret in their address', async () => {
    const failed = await simulated()
    await world.pass('PT1S')
    receiver.behaviour = { status: 500 }
    const waits = await simulated()

    const account_id = world.people.merchant.id
    expect(await listed()).toMatchObject({
      ...{ account_id, url: receiver.url(), status: 'enabled', waiting: 1, failed: 1 },
      error: 'The receiver answered 500.',
    })
    expect(await shown()).toMatchObject([
      { event_id: waits, status: 'waiting', attempts: 1, http_status: 500 },
      { event_id: failed, status: 'failed', attempts: 1, http_status: 410 },
    ])
    expect(await quittance('list', '--account', world.people.otherMerchant.id)).toEqual([])
    await world.pass('P2D')
    expect(await listed()).toMatchObject({ failed: 0 })
    expect((await quittance<Troubled[]>('list', '--since', 'P7D'))[0]).toMatchObject({ failed: 1 })
  })

  it('sends again what failed in a span, once, and what waits now', async () => {
    const early = await simulated()
    await world.pass('PT2H')
    const late = await simulated()
    receiver.behaviour = { status: 500 }
    const waits = await simulated()
    receiver.behaviour = { status: 200 }
    receiver.received.length = 0

    const until = new Date(Date.parse(world.now()) - 3_600_000).toISOString()
    expect(await quittance('retry', hook, '--until', until)).toMatchObject({ sent_again: 1 })
    await world.settle()
    expect(arrived()).toEqual([early])
    expect(await quittance('retry', 'all', '--account', world.people.merchant.id)).toMatchObject([
      { webhook_id: hook, sent_again: 2, refused: null },
    ])
    await world.settle()
    expect(new Set(arrived())).toEqual(new Set([early, late, waits]))
    expect([await listed(), await shown()]).toEqual([undefined, []])
    expect(await quittance('retry', hook)).toMatchObject({ sent_again: 0 })
  })

  it('attempts one now, which the audit log tells with the account', async () => {
    await simulated()
    const [one] = await shown()
    receiver.behaviour = { status: 200 }

    expect(await quittance('retry', hook, '--delivery', one!.id)).toMatchObject({ sent_again: 1 })
    await world.settle()

    expect(arrived()).toEqual([one!.event_id, one!.event_id])
    const [entry] = await json<object[]>(['audit', '--limit', '1'], variables())
    expect(entry).toMatchObject({
      ...{ actor: 'command:deliveries retry', account_id: world.people.merchant.id, resource_id: hook },
      arguments: [hook, '--delivery', one!.id],
    })
  })

  it('sends nothing to a webhook that is disabled, nor to one of a suspended account, and keeps why it failed', async () => {
    await simulated()
    await merchant.post(`${root}/webhooks/${hook}/disable`, {})
    const refused = await run(['deliveries', 'retry', hook], variables())
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'quittance: Nothing was sent: the webhook is disabled; its people enable it first.\n',
    ])
    expect(await quittance('retry', 'all')).toMatchObject([{ webhook_id: hook, sent_again: 0 }])
    expect(await listed()).toMatchObject({ status: 'disabled', failed: 1, error: 'The receiver answered 410.' })

    await merchant.post(`${root}/webhooks/${hook}/enable`, {})
    await json(['accounts', 'suspend', world.people.merchant.id], variables())
    const [one] = await shown()
    for (const more of [[], ['--delivery', one!.id]])
      expect(await run(['deliveries', 'retry', hook, ...more], variables())).toMatchObject({
        code: 1,
        stderr: 'quittance: Nothing was sent: the account is suspended.\n',
      })
    expect(await listed()).toMatchObject({ status: 'account suspended', error: 'The receiver answered 410.' })
    await json(['accounts', 'activate', world.people.merchant.id], variables())
    // Its tokens ended with the suspension.
    merchant = await world.personWithApp(world.people.merchant.id, ['applications/webhooks'])
  })

  it('sends nothing to an app that is disabled, and keeps why it failed', async () => {
    await simulated()
    await json(['apps', 'disable', merchant.clientId], variables())

    expect(await run(['deliveries', 'retry', hook], variables())).toMatchObject({
      code: 1,
      stderr: 'quittance: Nothing was sent: its app is disabled.\n',
    })
    expect(await listed()).toMatchObject({ status: 'app disabled', failed: 1, error: 'The receiver answered 410.' })
    await json(['apps', 'enable', merchant.clientId], variables())
    merchant.signOut()
  })

  it('sends an app nothing that it may no longer hear of', async () => {
    const scopes = ['applications/webhooks', 'disputes/read-partner']
    const partner = await world.personWithApp(world.people.otherMerchant.id, scopes)
    const consent = (...more: string[]) =>
      json(['apps', 'consent', partner.clientId, world.people.merchant.id, ...more], variables())
    await consent('--scopes', 'disputes/read-partner')
    const theirs = await subscribed(partner, receiver.url('/partner'))
    await open(world.buyer)
    await world.settle()
    const found = async () =>
      (await quittance<Troubled[]>('list')).find(({ webhook_id }) => webhook_id === theirs)?.failed
    const failed = await found()
    expect(failed).toBeGreaterThan(0)

    await consent('--revoke')
    expect(await quittance('retry', theirs)).toMatchObject({ sent_again: 0 })
    await consent('--scopes', 'disputes/read-partner')
    expect(await quittance('retry', theirs)).toMatchObject({ sent_again: failed })
  })

  it.each([
    [['show', 'NOBODY'], 1, /^quittance: There is no webhook NOBODY; /],
    [['retry', 'NOBODY'], 1, /^quittance: There is no webhook NOBODY; /],
    [['retry', 'all', '--delivery', 'x'], 2, /--delivery goes with a webhook/],
    [['retry', 'NOBODY', '--account', 'x'], 2, /--account goes with all/],
    [['retry', 'all', '--since', 'yesterday'], 2, /--since must be an instant/],
    [['list', '--since', 'P99999999999D'], 2, /--since must be an instant/],
    [['list', '--since', 'P100000Y'], 2, /--since must be an instant/],
    [['retry', 'all', '--since', 'PT1H', '--until', 'PT2H'], 2, /must not be later than --until/],
  ] as const)('says what is wrong with %j', async (words, code, says) => {
    expect(await run(['deliveries', ...words], variables())).toMatchObject({
      code,
      stderr: expect.stringMatching(says),
    })
  })

  it('knows no delivery of another webhook', async () => {
    await simulated()
    const [one] = await shown()
    const other = await subscribed(merchant, receiver.url('/other'))

    expect(await run(['deliveries', 'retry', other, '--delivery', one!.id], variables())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no delivery ${one!.id} to this webhook`),
    })
  })
})
