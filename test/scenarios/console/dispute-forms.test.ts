import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf, withFiles } from '../../support/console.ts'
import { newWorld, type World } from '../../support/world.ts'
import { DISPUTES, does, NOT_AS_DESCRIBED, open, type Shown } from '../disputes/people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const opened = async (body: object = {}) => {
  const id = await open(world.buyer, body)
  await world.settle()
  return { id, at: `/console/disputes/${id}` }
}
const claimed = async () => {
  const one = await opened()
  await does(world.buyer, one.id, 'escalate', {})
  return one
}
const shown = async (id: string) => (await world.merchant.get<Shown>(`${DISPUTES}/${id}`)).body
const seenOn = (page: string) => /name="seen" value="([^"]*)"/.exec(page)![1]!

const noticeOf = ({ headers }: { headers: Record<string, unknown> }) =>
  decodeURIComponent(/console-notice=([^;]*)/.exec(String(headers['set-cookie']))?.[1] ?? '')

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const said = { '/evidences/0/evidence_type': 'OTHER', '/evidences/0/notes': 'The driver remembers it.' }
const tracked = (carrier: string) => ({
  '/evidences/0/evidence_type': 'PROOF_OF_FULFILLMENT',
  '/evidences/0/evidence_info/tracking_info/0/carrier_name': carrier,
  '/evidences/0/evidence_info/tracking_info/0/tracking_number': '122533485',
})
const address = (country: string) => ({
  '/offer_type': 'REFUND_WITH_RETURN',
  '/offer_amount/value': '20.00',
  '/offer_amount/currency_code': 'USD',
  '/note': 'Send it back.',
  '/return_shipping_address/address_line_1': '14 Return Road',
  '/return_shipping_address/admin_area_2': 'San Jose',
  '/return_shipping_address/country_code': country,
})

describe('A form of a dispute at the console', () => {
  it.each([
    ['cancel', 'Nothing at the moment.'],
    ['escalate', 'Accept the claim'],
  ])('says why nothing was sent and shows what was written, after the other side chose to %s', async (action, rest) => {
    const { id, at } = await opened()
    const merchant = consoleOf(world)
    const seen = seenOn(await merchant.page(at))
    await world.pass('PT1M')
    await does(world.buyer, id, action, { note: 'Enough.' })

    const late = await merchant.send(`${at}/send-message`, { seen, '/message': 'Where is <it>?\nTell me.' })

    expect(late.status).toBe(422)
    expect(late.text).toContain('Somebody was faster')
    expect(late.text).toContain('Where is &lt;it&gt;?')
    expect(late.text).toContain(rest)
    expect(late.text.match(/role="alert"/g)).toHaveLength(1)
  })

  it('keeps what was typed when a file is too large', async () => {
    const { at } = await claimed()
    const large = Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)])
    const { payload, headers } = withFiles(said, { 'scan.png': large })

    const { status, text } = await consoleOf(world).send(`${at}/provide-evidence`, payload, headers)

    expect(status).toBe(422)
    expect(text).toContain('must be smaller than 10 MiB')
    // The hint beside the field says it in the same unit.
    expect(text).toContain('under 10 MiB each')
    expect(text).not.toMatch(/\d MB\b/)
    expect(text).toContain(said['/evidences/0/notes'])
  })

  it('takes files whatever they are called, and each of them once', async () => {
    const { id, at } = await claimed()
    const { payload, headers } = withFiles(said, { 'Fotos März (2).png': png, '写真.png': png, 'scan.jpg': png })
    const sent = await consoleOf(world).send(`${at}/provide-evidence`, payload, headers)

    expect(sent.status).toBe(303)
    const names = (await shown(id)).evidences?.at(-1)?.documents?.map(({ name }) => name)
    expect(names).toEqual(['Fotos Marz _2_.png', 'document.png', 'scan.png'])
  })

  it.each([
    ['dhl', { carrier_name: 'DHL' }, 'DHL'],
    ['Royal Mail', { carrier_name: 'ROYAL_MAIL' }, 'ROYAL_MAIL'],
    ['DE_HERMES', { carrier_name: 'DE_HERMES' }, 'DE_HERMES'],
    ['Müller & Sohn', { carrier_name: 'OTHER', carrier_name_other: 'Müller & Sohn' }, 'Müller &amp; Sohn'],
  ])('takes the carrier %s by what it is called, and tells it so', async (carrier, stored, told) => {
    const { id, at } = await claimed()
    const merchant = consoleOf(world)
    expect((await merchant.send(`${at}/provide-evidence`, tracked(carrier))).status).toBe(303)

    const { evidence_info } = (await shown(id)).evidences!.at(-1)!
    expect(evidence_info).toEqual({ tracking_info: [{ ...stored, tracking_number: '122533485' }] })
    expect(await merchant.page(at)).toContain(`(${told} 122533485)`)
  })

  it('says what a return address needs, and shows it to both sides once it is agreed on', async () => {
    const { at } = await opened({ reason: NOT_AS_DESCRIBED })
    const [merchant, buyer] = [consoleOf(world), consoleOf(world, 'buyer')]
    const refused = await merchant.send(`${at}/make-offer`, address('Mexico'))
    expect([refused.status, refused.text.includes('a country as two capital letters')]).toEqual([422, true])

    expect((await merchant.send(`${at}/make-offer`, address('us'))).status).toBe(303)
    expect((await buyer.send(`${at}/accept-offer`)).status).toBe(303)

    for (const one of [merchant, buyer]) expect(await one.page(at)).toContain('14 Return Road, San Jose, US')
  })

  it('does not say that a return was confirmed which is contested', async () => {
    const { id, at } = await opened({ reason: NOT_AS_DESCRIBED })
    const [merchant, buyer] = [consoleOf(world), consoleOf(world, 'buyer')]
    await merchant.send(`${at}/make-offer`, address('US'))
    await buyer.send(`${at}/accept-offer`)
    const proof = { ...tracked('DHL'), '/evidences/0/evidence_type': 'PROOF_OF_RETURN' }
    expect((await buyer.send(`${at}/provide-evidence`, proof)).status).toBe(303)

    const contested = await merchant.send(`${at}/acknowledge-return-item`, {
      '/acknowledgement_type': 'DAMAGED',
      '/note': 'It came back broken.',
    })

    expect((await shown(id)).status).toBe('UNDER_REVIEW')
    expect([contested.status, noticeOf(contested)]).toEqual([303, 'It is noted what came back.'])
  })

  it('says that a claim was accepted once it is, and not while a part of it waits for the buyer', async () => {
    const accepted = async (typed: object) => {
      const { at } = await claimed()
      return noticeOf(await consoleOf(world).send(`${at}/accept-claim`, { ...typed, '/note': 'Here it is.' }))
    }

    expect(await accepted({ '/accept_claim_type': 'REFUND' })).toBe('The claim was accepted.')
    expect(
      await accepted({
        '/accept_claim_type': 'PARTIAL_REFUND',
        '/refund_amount/value': '5.00',
        '/refund_amount/currency_code': 'USD',
      }),
    ).toBe('The claim was answered; it waits for the buyer now.')
  })

  it('offers the kinds of evidence that are taken, to each side theirs', async () => {
    const { id, at } = await opened({ reason: NOT_AS_DESCRIBED })
    await does(world.buyer, id, 'escalate', {})
    const page = await consoleOf(world).page(at)
    const [, choices] = /name="\/evidences\/0\/evidence_type"[^>]*>(.*?)<\/select>/s.exec(page)!

    expect([...choices!.matchAll(/value="(\w+)"/g)].map(([, kind]) => kind)).toEqual(['OTHER', 'PROOF_OF_REFUND'])
  })

  it('tells amounts that follow as all others, and each way in which something would be possible', async () => {
    const { at } = await claimed()
    const merchant = consoleOf(world)
    const before = await merchant.page(at)
    await merchant.send(`${at}/provide-evidence`, said)

    expect(before).toContain('$20.00 goes to the buyer.')
    expect(before).not.toContain('20.00 USD')
    expect(await merchant.page(at)).toContain(
      '<span>Provide evidence</span><span>needs the seller’s turn, or a return that was sent</span>',
    )
  })

  it('asks only the buyer why they escalate', async () => {
    const { at } = await opened()
    const asks = async (as: 'merchant' | 'buyer') =>
      (await consoleOf(world, as).page(at)).includes('/buyer_escalation_reason')
    expect([await asks('merchant'), await asks('buyer')]).toEqual([false, true])
  })

  it('opens a dispute in the currency that was paid', async () => {
    const paid = await world.call<{ buyer_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: { currency_code: 'JPY', value: '5000' },
    })
    const buyer = consoleOf(world, 'buyer')
    expect(await buyer.page('/console/disputes/new')).toMatch(
      /<input class="boxed"[^>]*name="\/dispute_amount\/currency_code"/,
    )
    const { location } = await buyer.send('/console/disputes/new', {
      '/reason': NOT_AS_DESCRIBED,
      '/disputed_transactions/0/buyer_transaction_id': paid.body.buyer_transaction_id,
      '/dispute_amount/value': '1000',
      '/dispute_amount/currency_code': 'JPY',
    })
    expect(await buyer.page(location)).toContain('<h1 class="sum">¥1,000</h1>')
  })

  it('takes as much as its field does, however many lines that is', async () => {
    const { id, at } = await opened()
    const lines = Array.from({ length: 400 }, () => 'abcd')
    // As a browser sends what fills a field of 2000 characters.
    const sent = await consoleOf(world).send(`${at}/send-message`, { '/message': lines.join('\r\n') })

    expect(sent.status, sent.text.slice(0, 300)).toBe(303)
    expect((await shown(id)).messages?.at(-1)?.content).toBe(lines.join('\n'))
  })
})

describe('A deadline', () => {
  it.each([
    ['winter', '-01-05T12:00:00Z'],
    ['summer', '-07-06T12:00:00Z'],
  ])('is said to be the end of a day in Los Angeles, in %s', async (_, day) => {
    const own = await newWorld({ isOwn: true })
    const year = Number(own.now().slice(0, 4)) + 1
    await own.call('POST', '/sandbox/clock', { to: `${year}${day}` })
    const id = await open(own.buyer)
    await does(own.buyer, id, 'escalate', {})

    const page = await consoleOf(own).page(`/console/disputes/${id}`)
    await own.close()

    expect(page).toMatch(/Answer by <time[^>]*>[^<]*<\/time>.*the day ends in Los Angeles then/s)
  })

  it('of a review is told where a rule decides, and nothing is said to happen where none does', async () => {
    const own = await newWorld({ settings: { DISPUTE_AUTO_ADJUDICATE: 'BUYER_FAVOR' } })
    const pages: string[] = []
    for (const one of [own, world]) {
      const id = await open(one.buyer)
      await does(one.buyer, id, 'escalate', {})
      await does(one.merchant, id, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'It came.' }] })
      pages.push(await consoleOf(one, 'agent').page(`/console/disputes/${id}`))
    }
    await own.close()

    expect(pages.map((page) => page.includes('nothing happens by itself'))).toEqual([false, true])
    expect(pages[0]).toMatch(/Waiting for a decision <span>a rule decides <time[^>]*>in \d/)
  })
})

describe('What waits for a decision', () => {
  it('is listed page by page for the agent of a sandbox', async () => {
    const ids: string[] = []
    for (let i = 0; i < 27; i++) {
      const id = await open(world.buyer)
      await does(world.buyer, id, 'escalate', {})
      await does(world.merchant, id, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'It came.' }] })
      ids.push(id)
    }
    const agent = consoleOf(world, 'agent')
    const first = await agent.page('/console/disputes')
    const older = /href="([^"]*)" rel="next"/.exec(first)![1]!.replaceAll('&amp;', '&')

    const both = first + (await agent.page(older))

    expect(ids.filter((id) => !both.includes(`/console/disputes/${id}"`))).toEqual([])
  })
})

describe('The disputes of an account', () => {
  it('are a file with the other side and how each ended, and a year is one of the account', async () => {
    const merchant = consoleOf(world)
    const { id } = await claimed()
    await does(world.merchant, id, 'accept-claim', { accept_claim_type: 'REFUND', note: 'You are right.' })

    const [head, ...rows] = (await merchant.page('/console/disputes/csv?view=all')).trimEnd().split('\r\n')
    const cells = rows.find((row) => row.startsWith(`${id},`))!.split(',')
    const cell = (name: string) => cells[head!.split(',').indexOf(name)]
    expect([cell('outcome'), cell('buyer')]).toEqual(['RESOLVED_BUYER_FAVOUR', 'Sandbox Buyer'])

    // In Los Angeles the year is not over yet.
    const year = Number(world.now().slice(0, 4))
    await world.call('POST', '/sandbox/clock', { to: `${year + 1}-01-01T03:00:00Z` })
    expect(await merchant.page('/console/disputes')).toContain('Decided for you')
    await world.call('POST', '/sandbox/clock', { to: `${year + 1}-01-01T08:00:00Z` })
    expect(await merchant.page('/console/disputes')).not.toContain('Decided for you')
  })
})
