import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf } from '../../support/console.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ works: true, settings: { FORKS_MAX: '1' } })
})
afterAll(() => world.close())

const standing = async () =>
  (await world.call<{ faults: object[] }>('GET', '/sandbox/faults')).body.faults as { id: string }[]
const at = '/console/faults'
const listed = (page: string) =>
  [...page.matchAll(/<b>([^<]*)<\/b><small>(.*?)<\/small><\/td><td class="num whole[^"]*">([^<]*)</g)].map(
    ([, what, where, count]) => [what, where!.replace(/<[^>]*>/g, ''), count],
  )
const inNavigation = (page: string) => /href="\/console\/faults"[^>]*>Faults(.*?)<\/a>/.exec(page)![1]!

describe('Faults at the console', () => {
  it('are added, come about, are counted and removed', async () => {
    const merchant = consoleOf(world)
    const empty = await merchant.page(at)
    expect(empty).toContain('Nothing goes wrong')
    expect(inNavigation(empty)).toBe('')

    const added = [
      { '/fault': '503', '/operation': 'listInvoices', '/seconds': '7', '/times': '1' },
      { '/fault': 'latency', '/method': 'POST', '/path': '/v2/invoicing/none', '/client_id': 'sandbox-merchant' },
      { '/fault': 'delay', '/event_type': 'INVOICING.INVOICE.PAID', '/url': 'http://127.0.0.1:1/' },
      { '/fault': 'out-of-order', '/url': 'http://127.0.0.1:1/' },
    ]
    for (const fields of added) {
      // What is left empty is sent along by a browser.
      const sent = await merchant.send(at, {
        '/operation': '',
        '/path': '',
        '/event_type': '',
        '/times': '',
        ...fields,
      })
      expect([sent.status, sent.location], sent.text).toEqual([303, at])
    }
    expect(inNavigation(await merchant.page('/console'))).toContain('>, </span>4<span')
    const calls = [
      await world.merchant.get('/v2/invoicing/invoices'),
      await world.merchant.get('/v2/invoicing/invoices'),
    ]

    expect(calls.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '7'],
      [200, undefined],
    ])
    const page = await merchant.page(at)
    expect(listed(page)).toEqual([
      ['Answered 503, to be asked again after 7 s', 'calls of listInvoices', 'over after 1'],
      ['Answered 1000 ms late', 'calls with POST /v2/invoicing/none…, of the client sandbox-merchant', 'not yet'],
      ['Delivered 60 s late', 'deliveries of INVOICING.INVOICE.PAID, to http://127.0.0.1:1/…', 'not yet'],
      ['Delivered after a later one', 'deliveries to http://127.0.0.1:1/…', 'not yet'],
    ])
    expect(inNavigation(page)).toContain('>, </span>3<span')

    const [first] = await standing()
    const removed = [await merchant.send(`${at}/${first!.id}/remove`), await merchant.send(`${at}/${first!.id}/remove`)]
    expect(removed.map(({ location }) => location)).toEqual([at, at])
    expect(await standing()).toHaveLength(3)
    expect(await merchant.told(await merchant.send(`${at}/clear`))).toMatchObject({
      said: 'Nothing goes wrong any more.',
    })
    expect(await standing()).toEqual([])
  })

  it('are added once, however often a button is clicked', async () => {
    const merchant = consoleOf(world)
    const typed = { '/fault': '500', '/path': '/nowhere', 'request-id': 'console-fault-1' }
    const clicks = await Promise.all([0, 1, 2].map(() => merchant.send(at, typed)))
    expect(clicks.map(({ location }) => location)).toEqual([at, at, at])
    expect(await standing()).toHaveLength(1)
    await merchant.send(`${at}/clear`)
  })

  it('let a delivery come twice', async () => {
    const merchant = consoleOf(world)
    const receiver = await Receiver.open()
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: receiver.url(),
      event_types: [{ name: '*' }],
    })
    await merchant.send(at, { '/fault': 'duplicate', '/url': receiver.url(), '/times': '1' })

    await merchant.send(`/console/webhooks/${body.id}/sample`)
    await receiver.has(2)

    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1)
    await merchant.send(`/console/webhooks/${body.id}/delete`)
    await merchant.send(`${at}/clear`)
    await receiver.close()
  })

  it('that cannot be are refused beside their field, in the form that was sent', async () => {
    const merchant = consoleOf(world)
    const calls = await merchant.send(at, { '/fault': '429', '/operation': 'createInvoice', '/times': 'often' })
    const deliveries = await merchant.send(at, { '/fault': 'delay', '/seconds': '-1' })

    expect([calls.status, deliveries.status]).toEqual([422, 422])
    expect(calls.text).toMatch(/id="calls-times"[^>]*aria-invalid="true"[^>]*value="often"/)
    expect(calls.text).toMatch(/<option value="429" selected>/)
    expect(calls.text).toMatch(/<option value="createInvoice" selected>/)
    expect(calls.text).not.toContain('deliveries-times-problem')
    expect(deliveries.text).toMatch(/id="deliveries-seconds"[^>]*aria-invalid="true"[^>]*value="-1"/)
    expect(deliveries.text).toMatch(/value="delay" checked/)
    expect(await standing()).toEqual([])
  })

  it('stand for operations that can go wrong, and none that cannot', async () => {
    const page = await consoleOf(world).page(at)
    const names = [...page.matchAll(/<option value="(\w+)">\1<\/option>/g)].map(([, name]) => name)
    expect(names).toEqual(expect.arrayContaining(['createInvoice', 'disputeMakeOffer', 'createAccessToken']))
    expect(names.filter((name) => /^console|Fault|Snapshot|Clock/.test(name!))).toEqual([])
  })
})

describe('Forks at the console', () => {
  it('are made, led to and ended; more than there may be are refused in place', async () => {
    const merchant = consoleOf(world)
    const typed = { 'request-id': 'console-fork-1' }
    const clicks = await Promise.all([0, 1].map(() => merchant.send('/console/forks', typed)))
    expect(clicks.map(({ location }) => location)).toEqual(['/console/scenarios', '/console/scenarios'])
    const page = await merchant.page('/console/scenarios')
    const [, url, name] = /href="(http:\/\/127\.0\.0\.1:\d+)".*?<small>(fork_\w+|\w+)<\/small>/.exec(page)!
    expect((await fetch(`${url}/console`)).status).toBe(200)

    const another = await merchant.send('/console/forks')
    expect([another.status, another.text.includes('Nothing was changed.</b> There are 1 forks already')]).toEqual([
      422,
      true,
    ])
    expect(another.text).toMatch(/aria-label="Console"/)

    const end = `/console/forks/${name}/end`
    expect(page).toContain(`href="${end}"`)
    const ended = [await merchant.send(end), await merchant.send(end)]
    expect(ended.map(({ location }) => location)).toEqual(['/console/scenarios', '/console/scenarios'])
    expect(await merchant.page('/console/scenarios')).not.toContain(name!)
  })
})
