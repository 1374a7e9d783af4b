import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { newWorld, type Response, type World } from '../../support/world.ts'

interface WebhookBody {
  id: string
  url: string
  event_types: { name: string; description: string; status?: string }[]
  signing_secret?: string
  status: string
  links: { rel: string; method: string; href: string }[]
}
interface ErrorBody {
  name: string
  message: string
  debug_id: string
  information_link: string
  details: { field?: string; issue: string }[]
}

const root = '/v1/notifications'

describe('Webhook subscriptions', () => {
  let world: World
  let count = 0
  beforeEach(async () => {
    if (world) {
      await world.call('POST', '/sandbox/reset')
    } else world = await newWorld()
  })
  afterAll(() => world.close())

  const create = (body: unknown = { url: `https://example.com/${++count}`, event_types: [{ name: '*' }] }) =>
    world.merchant.post<WebhookBody & ErrorBody>(`${root}/webhooks`, body)

  it('are created with the five checkout events, and answered with an id, descriptions and links', async () => {
    const names = [
      'CHECKOUT.ORDER.APPROVED',
      'CHECKOUT.PAYMENT-APPROVAL.REVERSED',
      'PAYMENT.CAPTURE.PENDING',
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.DENIED',
    ]
    const { status, body } = await create({
      url: 'https://example.com/hook',
      event_types: names.map((name) => ({ name })),
    })

    expect(status).toBe(201)
    expect(body.id).toMatch(/^[0-9A-Z]{17}$/)
    expect(body.event_types.map(({ name }) => name)).toEqual(names)
    expect(body.event_types.every((type) => type.description.length > 5 && type.status === undefined)).toBe(true)
    expect(body.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(body.links.map(({ rel, method }) => [rel, method])).toEqual([
      ['self', 'GET'],
      ['update', 'PATCH'],
      ['delete', 'DELETE'],
    ])
    expect(new Set(body.links.map(({ href }) => href))).toEqual(
      new Set([`${world.app.service.publicUrl}${root}/webhooks/${body.id}`]),
    )
  })

  it('can be shown, listed and deleted by their app, and by nobody else', async () => {
    const { body: made } = await create()
    const path = `${root}/webhooks/${made.id}`

    const shown = await world.merchant.get<WebhookBody>(path)
    expect(shown.body).toMatchObject({ id: made.id, signing_secret: made.signing_secret })
    expect(shown.body.event_types).toMatchObject([{ name: '*', status: 'ENABLED' }])
    const listed = await world.merchant.get<{ webhooks: WebhookBody[] }>(`${root}/webhooks`)
    expect(listed.body.webhooks.map(({ id, signing_secret }) => [id, signing_secret])).toEqual([[made.id, undefined]])

    for (const stranger of [world.otherMerchant, world.partner]) {
      for (const [method, payload] of [['GET'], ['DELETE'], ['PATCH', []]] as const) {
        const answer = await stranger.send<ErrorBody>(method, path, payload)
        expect([method, answer.status, answer.body.name]).toEqual([method, 404, 'INVALID_RESOURCE_ID'])
      }
      expect((await stranger.get<{ webhooks: WebhookBody[] }>(`${root}/webhooks`)).body.webhooks).toEqual([])
    }

    expect((await world.merchant.delete(path)).status).toBe(204)
    expect((await world.merchant.get<ErrorBody>(path)).body.name).toBe('INVALID_RESOURCE_ID')
  })

  it('fold duplicates, keep * alone and accept well-formed names we do not send', async () => {
    const folded = await create({ url: 'https://a.example.com/', event_types: [{ name: 'A.B' }, { name: 'A.B' }] })
    const every = await create({ url: 'https://b.example.com/', event_types: [{ name: 'A.B' }, { name: '*' }] })
    const legacy = await create({
      url: 'https://c.example.com/',
      event_types: [{ name: 'PAYMENT.SALE.COMPLETED' }, { name: 'PAYMENT.PAYOUTS-ITEM.HELD' }],
    })
    expect(folded.body.event_types.map(({ name }) => name)).toEqual(['A.B'])
    expect(every.body.event_types.map(({ name }) => name)).toEqual(['*'])
    expect(legacy.status).toBe(201)
  })

  // biome-ignore format: a table reads best as a table
  const refusals: [what: string, body: unknown, field: string][] = [
    ['no url',                     { event_types: [{ name: '*' }] },                                     'url'],
    ['no events',                  { url: 'https://example.com/' },                                      'event_types'],
    ['an empty list of events',    { url: 'https://example.com/', event_types: [] },                     'event_types'],
    ['501 events',                 { url: 'https://example.com/', event_types: Array(501).fill({ name: 'A.B' }) }, 'event_types'],
    ['a name that is none',        { url: 'https://example.com/', event_types: [{ name: 'nonsense' }] }, 'event_types'],
    ['a url that is none',         { url: 'example.com/hook', event_types: [{ name: '*' }] },            'url'],
    ['another scheme',             { url: 'ftp://example.com/', event_types: [{ name: '*' }] },          'url'],
    ['a user name',                { url: 'https://me@example.com/', event_types: [{ name: '*' }] },     'url'],
    ['where clouds keep secrets',  { url: 'http://169.254.169.254/', event_types: [{ name: '*' }] },     'url'],
    ['a url of 2,049 characters',  { url: `https://example.com/${'a'.repeat(2029)}`, event_types: [{ name: '*' }] }, 'url'],
  ]
  it.each(refusals)('are refused with %s, in the shape of this group', async (_what, body, field) => {
    const { status, body: error } = await create(body)
    expect(status).toBe(400)
    expect(error.name).toBe('VALIDATION_ERROR')
    expect(error.details[0]!.field).toBe(field)
    expect(error.details[0]!.issue.length).toBeGreaterThan(10)
    for (const key of ['message', 'debug_id', 'information_link', 'links']) expect(error).toHaveProperty(key)
  })

  it('are ten an app at most, also when twenty are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201).length).toBe(10)
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.name]).toEqual([400, 'WEBHOOK_NUMBER_LIMIT_EXCEEDED'])
  })

  it('have an address of their own', async () => {
    const body = { url: 'https://example.com/same', event_types: [{ name: '*' }] }
    const answers = await Promise.all([create(body), create(body), create(body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    const again = await create(body)
    expect([again.status, again.body.name]).toEqual([400, 'WEBHOOK_URL_ALREADY_EXISTS'])
    expect((await world.otherMerchant.post(`${root}/webhooks`, body)).status).toBe(201)
  })

  it('have it in any spelling: scheme and host in any case, with the port that goes without saying', async () => {
    const at = (url: string) => create({ url, event_types: [{ name: '*' }] })
    const first = await at('HTTPS://Example.com/Hook')
    expect([first.status, first.body.url]).toEqual([201, 'HTTPS://Example.com/Hook'])
    for (const url of ['https://example.com/Hook', 'https://EXAMPLE.com:443/Hook', 'https://example.com/Hook#top']) {
      const again = await at(url)
      expect([url, again.status, again.body.name]).toEqual([url, 400, 'WEBHOOK_URL_ALREADY_EXISTS'])
    }
    const others = ['https://example.com/hook', 'https://example.com/Hook?a', 'https://example.com:8443/Hook']
    for (const url of others) expect([url, (await at(url)).status]).toEqual([url, 201])

    const raced = await Promise.all(['https://a.test/', 'HTTPS://a.test', 'https://A.test:443'].map(at))
    expect(raced.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })

  describe('that are patched', () => {
    const patch = (id: string, body: unknown): Promise<Response<WebhookBody & ErrorBody>> =>
      world.merchant.patch(`${root}/webhooks/${id}`, body)

    it('change their address and events, all or nothing', async () => {
      const { body: made } = await create()
      const { status, body } = await patch(made.id, [
        { op: 'replace', path: '/url', value: 'https://example.com/new' },
        { op: 'replace', path: '/event_types', value: [{ name: 'PAYMENT.CAPTURE.DENIED' }] },
      ])
      expect(status).toBe(200)
      expect(body).toMatchObject({ url: 'https://example.com/new', event_types: [{ name: 'PAYMENT.CAPTURE.DENIED' }] })

      const half = await patch(made.id, [
        { op: 'replace', path: '/url', value: 'https://example.com/newer' },
        { op: 'replace', path: '/event_types', value: [{ name: 'nonsense' }] },
      ])
      expect(half.status).toBe(400)
      expect((await world.merchant.get<WebhookBody>(`${root}/webhooks/${made.id}`)).body.url).toBe(
        'https://example.com/new',
      )
    })

    it('are refused a change that is none, under the name clients know', async () => {
      const { body: made } = await create()
      const answer = await patch(made.id, [{ op: 'replace', path: '/url', value: made.url }])
      expect([answer.status, answer.body.name]).toEqual([400, 'WEBHOOK_PATCH_REQUEST_NO_CHANGE'])
    })

    it('are refused an address that another webhook has', async () => {
      const [one, other] = [await create(), await create()]
      const answer = await patch(one.body.id, [{ op: 'replace', path: '/url', value: other.body.url }])
      expect([answer.status, answer.body.name]).toEqual([400, 'WEBHOOK_URL_ALREADY_EXISTS'])
      const shouted = other.body.url.replace('https://example.com', 'HTTPS://EXAMPLE.COM')
      const spelt = await patch(one.body.id, [{ op: 'replace', path: '/url', value: shouted }])
      expect([spelt.status, spelt.body.name]).toEqual([400, 'WEBHOOK_URL_ALREADY_EXISTS'])
      const own = await patch(other.body.id, [{ op: 'replace', path: '/url', value: shouted }])
      expect([own.status, own.body.url]).toEqual([200, shouted])
    })

    it('at one moment with others that are made end with an address each', async () => {
      const { body: made } = await create()
      const answers = await Promise.all([
        patch(made.id, [{ op: 'replace', path: '/url', value: 'https://example.com/wanted' }]),
        create({ url: 'HTTPS://example.com/wanted', event_types: [{ name: '*' }] }),
        create({ url: 'https://Example.com/wanted', event_types: [{ name: '*' }] }),
      ])
      const listed = await world.merchant.get<{ webhooks: WebhookBody[] }>(`${root}/webhooks`)

      expect(answers.filter(({ status }) => status < 300).length).toBe(1)
      expect(listed.body.webhooks.filter(({ url }) => new URL(url).pathname === '/wanted').length).toBe(1)
    })

    it.each([
      [[{ op: 'add', path: '/url', value: 'https://example.com/x' }]],
      [[{ op: 'replace', path: '/id', value: 'X' }]],
      [[{ op: 'replace', path: '/url', value: [{ name: '*' }] }]],
      [[{ op: 'replace', path: '/event_types', value: 'https://example.com' }]],
      [[]],
      [{ op: 'replace', path: '/id', value: 'X' }],
    ])('are refused %j', async (body) => {
      const { body: made } = await create()
      const answer = await patch(made.id, body)
      expect([answer.status, answer.body.name]).toEqual([400, 'VALIDATION_ERROR'])
    })

    it('may be so with a single entry', async () => {
      const { body: made } = await create()
      const answer = await patch(made.id, { op: 'replace', path: '/url', value: 'https://example.com/x' })
      expect([answer.status, answer.body.url]).toEqual([200, 'https://example.com/x'])
    })
  })

  it('list their events, and the catalogue needs a token but no scope', async () => {
    const { body: made } = await create({
      url: 'https://example.com/',
      event_types: [{ name: 'INVOICING.INVOICE.PAID' }],
    })
    const own = await world.merchant.get<{ event_types: object[] }>(`${root}/webhooks/${made.id}/event-types`)
    expect(own.body.event_types).toMatchObject([{ name: 'INVOICING.INVOICE.PAID', status: 'ENABLED' }])

    const all = await world.buyer.get<{ event_types: { name: string; status: string; resource_versions: string[] }[] }>(
      `${root}/webhooks-event-types`,
    )
    expect(all.status).toBe(200)
    expect(all.body.event_types.length).toBe(20)
    expect(all.body.event_types.find(({ name }) => name === 'RISK.DISPUTE.CREATED')!.status).toBe('DEPRECATED')
    expect((await world.call('GET', `${root}/webhooks-event-types`)).status).toBe(401)
    expect((await world.buyer.get(`${root}/webhooks`)).status).toBe(403)
  })

  it('are listed for the application, or for the account', async () => {
    await create()
    for (const anchor_type of ['APPLICATION', 'ACCOUNT']) {
      const { body } = await world.merchant.get<{ webhooks: object[] }>(`${root}/webhooks`, { query: { anchor_type } })
      expect(body.webhooks.length).toBe(1)
    }
    const wrong = await world.merchant.get<ErrorBody>(`${root}/webhooks`, { query: { anchor_type: 'NOBODY' } })
    expect([wrong.status, wrong.body.name, wrong.body.details[0]!.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      'anchor_type',
    ])
  })

  it('have lookups, one an app', async () => {
    const made = await world.merchant.post<{ id: string; client_id: string; links: { rel: string }[] }>(
      `${root}/webhooks-lookup`,
    )
    const again = await world.merchant.post<{ id: string }>(`${root}/webhooks-lookup`)
    expect([made.status, again.status, again.body.id]).toEqual([201, 201, made.body.id])
    expect(made.body.client_id).toBe('sandbox-merchant')
    expect(made.body.links.map(({ rel }) => rel)).toEqual(['self', 'delete'])

    const path = `${root}/webhooks-lookup/${made.body.id}`
    expect((await world.merchant.get<{ id: string }>(path)).body.id).toBe(made.body.id)
    expect((await world.otherMerchant.get(path)).status).toBe(404)
    expect((await world.otherMerchant.delete(path)).status).toBe(404)
    expect((await world.merchant.delete(path)).status).toBe(204)
    expect(
      (await world.merchant.get<{ webhooks_lookups: [] }>(`${root}/webhooks-lookup`)).body.webhooks_lookups,
    ).toEqual([])
  })

  it('have one lookup an app, also when many are made at once', async () => {
    const path = `${root}/webhooks-lookup`
    const made = await Promise.all(Array.from({ length: 12 }, () => world.merchant.post<{ id: string }>(path)))

    const { webhooks_lookups } = (await world.merchant.get<{ webhooks_lookups: { id: string }[] }>(path)).body
    expect(webhooks_lookups).toHaveLength(1)
    expect(new Set(made.map(({ body }) => body.id))).toEqual(new Set([webhooks_lookups[0]!.id]))
    expect((await world.merchant.delete(`${path}/${webhooks_lookups[0]!.id}`)).status).toBe(204)
  })

  it('keep their secrets out of the database', async () => {
    const { body: made } = await create()
    const { rows } = await world.app.database.query('select webhooks::text as row from webhooks')
    const secret = Buffer.from(made.signing_secret!.slice('whsec_'.length), 'base64')
    expect(rows[0].row).not.toContain(secret.toString('hex'))
    expect(rows[0].row).not.toContain(made.signing_secret)
  })
})

describe('Webhook subscriptions in live', () => {
  it('take public https addresses and nothing else', async () => {
    const { urlRefusal } = await import('../../../src/outbound/egress.ts')
    const { readSettings } = await import('../../../src/settings.ts')
    const { webhookAllowHttp, webhookAllowPrivate } = readSettings({ QUITTANCE_ENVIRONMENT: 'live' })
    const policy = { allowHttp: webhookAllowHttp, allowPrivate: webhookAllowPrivate }
    expect(urlRefusal('https://example.com/hook', policy)).toBeUndefined()
    expect(urlRefusal('http://example.com/hook', policy)).toContain('https')
    expect(urlRefusal('https://localhost/hook', policy)).toContain('private')
    expect(urlRefusal('https://10.0.0.1/hook', policy)).toContain('not a public address')
  })
})
