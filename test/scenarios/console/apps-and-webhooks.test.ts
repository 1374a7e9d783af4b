import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { after } from '../../../src/kernel/clock.ts'
import type { SandboxClock } from '../../../src/sandbox/clock.ts'
import { seededApps } from '../../../src/sandbox/people.ts'
import { consoleOf } from '../../support/console.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
  await world.app.listen()
})
afterAll(() => world.close())

const secretIn = (text: string) => {
  const [, clientId, secret] = /Client id.*?data-value>([^<]+)<.*?Secret.*?data-value>([^<]+)</s.exec(text) ?? []
  return { clientId: clientId!, secret: secret! }
}
const opens = async ({ clientId, secret }: { clientId: string; secret: string }) =>
  world.tokenFor(clientId, secret).then(
    () => true,
    () => false,
  )

describe('Apps at the console', () => {
  it('are made with a secret that is shown once, replaced, disabled and enabled', async () => {
    const merchant = consoleOf(world)
    expect(await merchant.page('/console/apps')).toContain('sandbox-merchant')

    const sent = { name: 'Shop <b>floor</b>', 'feature-invoicing': 'true', 'request-id': 'console-app-1' }
    const made = await merchant.send('/console/apps', sent)
    const first = secretIn(made.text)
    expect([made.status, await opens(first)]).toEqual([200, true])
    expect((await merchant.send('/console/apps', sent)).location).toBe('/console/apps')
    const page = await merchant.page('/console/apps')
    expect(page).not.toContain(first.secret)
    expect(page).toContain('Shop &lt;b&gt;floor&lt;/b&gt;')
    expect(page.match(/<h2>Shop &lt;b/g)).toHaveLength(1)

    const at = `/console/apps/${first.clientId}`
    const second = secretIn((await merchant.send(`${at}/rotate`)).text)
    expect([await opens(first), await opens(second)]).toEqual([true, true])
    const third = secretIn((await merchant.send(`${at}/revoke`)).text)
    expect([await opens(first), await opens(second), await opens(third)]).toEqual([false, false, true])
    expect((await merchant.send(`${at}/disable`)).location).toBe('/console/apps')
    expect(await opens(third)).toBe(false)
    await merchant.send(`${at}/enable`)
    expect(await opens(third)).toBe(true)
    await merchant.send(`${at}/hear`)
    expect(await merchant.page('/console/apps')).toContain('all of the account')
    await merchant.send(`${at}/hear-not`)
    expect((await merchant.send('/console/apps', { name: ' ' })).status).toBe(422)
    expect((await merchant.send('/console/apps', { name: 'None' })).status).toBe(422)
  })

  it('are nobody else’s to see or change', async () => {
    const other = consoleOf(world, 'merchant2')
    expect(await other.page('/console/apps')).not.toContain('Shop')
    for (const name of ['rotate', 'revoke', 'disable', 'enable', 'hear', 'hear-not'])
      expect((await other.send(`/console/apps/sandbox-merchant/${name}`)).status, name).toBe(404)
    expect(await consoleOf(world, 'agent').page('/console/apps')).toContain('has no apps')
    expect(await opens({ clientId: 'sandbox-merchant', secret: 'sandbox-merchant-secret' })).toBe(true)
  })

  it('of partners act for a merchant until it takes its consent back', async () => {
    const partner = seededApps.find(({ client_id }) => client_id === 'sandbox-partner')!
    const merchant = consoleOf(world)
    const shown = await merchant.page('/console/apps')
    expect(shown).toContain('/console/consents/sandbox-partner/revoke')

    expect((await merchant.send('/console/consents/sandbox-partner/revoke')).location).toBe('/console/apps')
    expect(await merchant.page('/console/apps')).not.toContain(partner.client_id)
    expect((await merchant.send('/console/consents/sandbox-partner/revoke')).status).toBe(404)
  })
})

describe('Webhooks at the console', () => {
  it('lead to an inbox that keeps what arrives, checks it and answers as told; an event tells who heard it', async () => {
    const merchant = consoleOf(world)
    const inbox = '/console/inbox/sandbox-merchant'
    expect((await merchant.send(inbox)).location).toBe(inbox)
    await merchant.send(inbox)
    await merchant.send(`${inbox}/answer`, { status: '503' })
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
    })
    await world.merchant.post(`/v2/invoicing/invoices/${body.id}/send`, {})
    await world.settle()

    const page = await merchant.page(inbox)
    expect(page).toContain('signed by a webhook of yours')
    expect(page).not.toContain('not signed by us')
    const event = /href="(\/console\/events\/[^"]+)"/.exec(page)![1]!
    const shown = await merchant.page(event)
    expect(shown).toContain('/sandbox/inbox/sandbox-merchant')
    expect(shown).toContain('503')
    expect(shown).toMatch(/Cause.*?\/console\/requests\/[\da-f]+/s)
    // The timeline leads there whoever looks; what is another's says so.
    expect(await consoleOf(world, 'merchant2').page(event)).toContain('It was not for you')
    expect((await consoleOf(world, 'merchant2').send(`${event}/resend`)).status).toBe(404)
    expect((await world.call('GET', `/console/search?q=${event.split('/').at(-1)}`)).headers['location']).toBe(event)

    await merchant.send(`${inbox}/answer`, { status: '200' })
    expect((await merchant.send(`${event}/resend`)).location).toBe(event)
    const strange = await world.call('POST', '/sandbox/inbox/sandbox-merchant', { id: 'WH-X', event_type: '<script>' })
    expect(strange.status).toBe(200)
    expect(await merchant.page(inbox)).toContain('not signed by us')
  })

  it('lead to an inbox that takes the largest of events', async () => {
    const chair = (n: number) => ({
      name: `Chair ${n}`,
      description: 'o'.repeat(1_000),
      quantity: '1',
      unit_amount: usd('9.00'),
    })
    const { status, text } = await world.merchant.post('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: Array.from({ length: 100 }, (_, n) => chair(n)),
    })
    expect(status, text).toBe(201)
    await world.settle()

    const { body } = await world.call<{ arrivals: { body: string; verified: boolean }[] }>(
      'GET',
      '/sandbox/inbox/sandbox-merchant',
    )
    expect(body.arrivals[0]!.body.length).toBeGreaterThan(100_000)
    expect(body.arrivals[0]!.verified).toBe(true)
  })

  it('lead to an inbox that knows them in whatever spelling the machine is named', async () => {
    const { port } = new URL(world.app.service.publicUrl)
    const subscribed = await Promise.all(
      [`HTTP://127.0.0.1:${port}`, `http://127.1:${port}`].map((origin, i) =>
        world.otherMerchant.post('/v1/notifications/webhooks', {
          url: `${origin}/sandbox/inbox/spelt-${i}`,
          event_types: [{ name: 'INVOICING.INVOICE.CREATED' }],
        }),
      ),
    )
    expect(subscribed.map(({ status }) => status)).toEqual([201, 201])
    await world.otherMerchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await world.settle()

    for (const name of ['spelt-0', 'spelt-1']) {
      const path = `/sandbox/inbox/${name}`
      const { body } = await world.call<{ arrivals: { verified: boolean }[] }>('GET', path)
      expect([name, ...body.arrivals.map(({ verified }) => verified)]).toEqual([name, true])
    }
  })

  it('are told to be attempted again now, where the time for that has come and nobody did it yet', async () => {
    const receiver = await Receiver.open()
    receiver.behaviour = { status: 500 }
    const types = [{ name: 'INVOICING.INVOICE.CREATED' }]
    const hook = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: receiver.url(),
      event_types: types,
    })
    await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await world.settle()
    const page = () => consoleOf(world).page(`/console/webhooks/${hook.body.id}`)
    const clock = world.app.clock as SandboxClock
    expect(await page()).toMatch(/again <time [^>]*data-away="ahead">in /)

    await clock.set(after(clock.now(), 86_400), true)

    expect(await page()).toMatch(/again <time [^>]*data-away="ahead">now</)
    expect(await page()).toMatch(/next <time [^>]*data-away="ahead">now</)
    await world.merchant.delete(`/v1/notifications/webhooks/${hook.body.id}`)
    await receiver.close()
  })

  it('say how many a span would send again before it is sent; are changed, stopped and signed anew', async () => {
    const merchant = consoleOf(world)
    const list = await merchant.page('/console/webhooks')
    const at = /href="(\/console\/webhooks\/[A-Z0-9]{17})"/.exec(list)![1]!
    expect(list).toContain('A handler to begin with')
    for (const _ of [1, 2]) await merchant.send(`${at}/sample`)
    await world.pass('PT1H')

    const counted = await merchant.page(`${at}/replay?include=ALL`)
    const [, count] = />(\d+) events would be sent again</.exec(counted)!
    const fields = Object.fromEntries(
      [...counted.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, n, v]) => [n, v]),
    )
    const sent = await merchant.send(`${at}/replay`, fields as Record<string, string>)
    expect(decodeURIComponent(String(sent.headers['set-cookie']))).toContain(`${count} events are sent again.`)
    const nothing = await merchant.page(`${at}/replay?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z`)
    expect(nothing).toContain('Nothing to send again')
    expect(nothing).not.toMatch(/<section class="sheet">\s*<\/section>/)
    const problemAt = (page: string, name: string) => new RegExp(`id="span-${name}-problem">([^<]*)<`).exec(page)?.[1]
    const none = await merchant.page(`${at}/replay?from=never&to=+2026-03-01T09:00:00Z&include=ALL`, 422)
    expect(none).toMatch(/id="span-from"[^>]* value="never"[^>]* aria-invalid="true"/)
    expect(none).toMatch(/value="ALL" checked/)
    expect([problemAt(none, 'from'), problemAt(none, 'to')]).toEqual([
      expect.stringMatching(/^Write a day and a time, such as \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.$/),
      undefined,
    ])
    const backwards = await merchant.page(`${at}/replay?from=2026-03-02T09:00:00Z&to=2026-03-01T09:00:00Z`, 422)
    expect(problemAt(backwards, 'from')).toContain('It begins after it ends.')

    const secretOf = async () => /data-value>(whsec_[^<]+)</.exec(await merchant.page(at))![1]
    const before = await secretOf()
    expect(await merchant.told(await merchant.send(`${at}/rotate`))).toMatchObject({ tone: 'good', role: 'status' })
    expect(await secretOf()).not.toBe(before)
    expect(await merchant.told(await merchant.send(`${at}/rotate`))).toEqual({
      tone: 'bad',
      role: 'alert',
      said: 'Nothing was changed: the earlier secret still signs. Replace this one when it does not, or at once.',
    })
    const refused = await merchant.send(`${at}/edit`, { '/url': 'ftp://x', '/event_types': '*' })
    expect([refused.status, /id="edit-url-problem"/.test(refused.text)]).toEqual([422, true])
    await merchant.send(`${at}/edit`, {
      '/url': 'http://127.0.0.1:4998/h',
      '/event_types': 'INVOICING.INVOICE.PAID\nINVOICING.INVOICE.SENT',
    })
    expect(await merchant.page(at)).toContain('INVOICING.INVOICE.PAID, INVOICING.INVOICE.SENT')
    await merchant.send(`${at}/disable`)
    expect(await merchant.page(at)).toContain('Disabled: nothing is sent')
    await merchant.send(`${at}/enable`)
    for (const name of ['replay', 'rotate', 'replace', 'disable', 'edit', 'delete'])
      expect((await consoleOf(world, 'merchant2').send(`${at}/${name}`)).status, name).toBe(404)
    await consoleOf(world, 'merchant2').page(`${at}/replay`, 404)
  })
})

describe('A signing secret that somebody else knows', () => {
  it('is replaced at once, also while the one before it still signs', async () => {
    const merchant = consoleOf(world)
    const receiver = await Receiver.open()
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: receiver.url(),
      event_types: [{ name: '*' }],
    })
    const at = `/console/webhooks/${body.id}`
    const signatures = async () => {
      receiver.received.length = 0
      await merchant.send(`${at}/sample`)
      await world.settle()
      return String(receiver.received[0]!.headers['webhook-signature']).split(' ').length
    }
    await merchant.send(`${at}/rotate`)
    const both = await signatures()
    expect(await merchant.page(at)).toContain('The earlier secret')

    const page = await merchant.page(at)
    expect(page).toContain(`action="${at}/replace"`)
    const told = await merchant.told(await merchant.send(`${at}/replace`))

    expect(told).toMatchObject({ tone: 'good', said: 'There is a new secret, and no earlier one signs any more.' })
    expect([both, await signatures()]).toEqual([2, 1])
    expect(await merchant.page(at)).not.toContain('The earlier secret')
    await merchant.send(`${at}/delete`)
    await receiver.close()
  })
})

describe('A change of a webhook that is refused', () => {
  it('says so where it is seen, with what was typed', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'http://127.0.0.1:4000/changed',
      event_types: [{ name: '*' }],
    })

    const refused = await merchant.send(`/console/webhooks/${body.id}/edit`, { '/url': 'nowhere', '/event_types': '*' })

    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/<details class="folded" open>(?:(?!<\/details>)[\s\S])*value="nowhere"/)
  })
})

describe('What was not delivered', () => {
  const noticeOf = ({ headers }: { headers: Record<string, unknown> }) =>
    decodeURIComponent(/console-notice=([^;]*)/.exec(String(headers['set-cookie']))?.[1] ?? '')

  it('is sent anew once, and not at all where nothing can be sent', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'http://127.0.0.1:4999/down',
      event_types: [{ name: '*' }],
    })
    const at = `/console/webhooks/${body.id}`
    await merchant.send(`${at}/sample`)
    await world.pass('P10D')
    const failed = /href="(\/console\/deliveries\/[^"]*)"/.exec(await merchant.page(at))![1]!
    expect(await merchant.page(failed)).toContain('connection refused')
    // Nobody answered, so nothing is said of how quickly.
    await merchant.send(`${at}/sample`)
    await world.settle()
    const silent = await merchant.page(at)
    expect([silent.includes('0 of 1'), silent.includes('Answers in')]).toEqual([true, false])
    expect(await merchant.page(failed)).not.toMatch(/<h3>Answered<\/h3>[\s\S]*<summary>[\s\S]*Headers/)

    const anew = [await merchant.send(`${failed}/resend`), await merchant.send(`${failed}/resend`)]
    expect(anew.map(noticeOf)).toEqual(['It was sent anew.', 'It is under way already.'])
    expect(anew[0]!.location).not.toBe(failed)

    await merchant.send(`${at}/disable`)
    for (const [path, action] of [
      [at, `${at}/replay`],
      [at, `${at}/sample`],
      [failed, `${failed}/attempt`],
      [failed, `${failed}/resend`],
    ] as const) {
      expect(await merchant.page(path), action).not.toContain(`action="${action}"`)
      expect((await merchant.send(action)).location, action).toBe(path)
    }
    await world.settle()
    // Why it failed is not forgotten either.
    expect(await merchant.page(failed)).toMatch(/connection refused.*Its webhook is disabled/s)
    await merchant.send(`${at}/delete`)
    expect(await merchant.page(failed)).toMatch(/href="\/console\/webhooks".*Its webhook was deleted/s)
    expect((await merchant.send(`${failed}/resend`)).location).toBe(failed)
  })
})

describe('An address for an event that is none', () => {
  it('is added, and the page says what was meant perhaps', async () => {
    const merchant = consoleOf(world)
    const said = async (path: string, fields: Record<string, string>) => {
      const sent = await merchant.send(path, fields)
      expect(sent.status, sent.text).toBe(303)
      return { at: sent.location, words: decodeURIComponent(String(sent.headers['set-cookie'])) }
    }
    const url = 'https://handler.example.com/payed'
    const added = await said('/console/webhooks', { '/url': url, '/event_types': 'INVOICING.INVOICE.PAYED' })
    expect(added.words).toMatch(/unknown value INVOICING\.INVOICE\.PAYED .*did you mean INVOICING\.INVOICE\.PAID/)
    expect(added.words).not.toContain('Whatever happens')
    const known = { '/url': url, '/event_types': 'INVOICING.INVOICE.PAID' }
    expect((await said(`${added.at}/edit`, known)).words).toContain('The webhook was changed.')
  })
})
