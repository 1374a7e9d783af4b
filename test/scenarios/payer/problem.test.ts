import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSheet, PUBLIC_URL, sentInvoice, shown } from '../../support/payer.ts'
import { guest, payersOf } from '../../support/problem.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
let payers: ReturnType<typeof payersOf>
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL, STORED_MEGABYTES_PER_DAY: '10' } })
  payers = payersOf(world)
})
afterAll(() => world.close())

describe('A payment whose address no mail can go to', () => {
  it('is one without an address: no link is promised', async () => {
    const { id, path } = await sentInvoice(world, guest('Ann <ann@example.com>'))
    expect((await (await openSheet(world, path)).send()).status).toBe(303)
    const payment = (await shown(world, id)).payments!.transactions[0]!.payment_id

    expect((await payers.open(`${path}/problem`)).page.text).toContain('There is no e-mail address with this payment')
    expect((await payers.report(path, payment)).status).toBe(303)
    expect((await payers.open(`${path}/problem`)).page.text).not.toContain('We mailed a private link')
  })
})

describe('A case that its payer took back', () => {
  const disputing = (...payments: string[]) =>
    world.buyer.post<{ details: { issue: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: payments.map((buyer_transaction_id) => ({ buyer_transaction_id })),
      reason: 'UNAUTHORISED',
    })
  const takeBack = async (casePath: string) =>
    expect((await (await payers.open(casePath)).send(`${casePath}/cancel`)).status).toBe(303)

  it('leaves what was taken out of it before disputed, which is possible once', async () => {
    const { email } = world.people.buyer
    const { id } = await sentInvoice(world, {
      ...guest(email),
      configuration: { partial_payment: { allow_partial_payment: true } },
    })
    const pay = async (value: string) =>
      (
        await world.call<{ buyer_transaction_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {
          amount: usd(value),
        })
      ).body.buyer_transaction_id
    const [gone, left] = [await pay('10.00'), await pay('12.00')]
    expect((await disputing(gone, left)).status).toBe(201)
    const casePath = await payers.caseOf(email)
    const disputeId = /problem\/([^~]+)~/.exec(casePath)![1]!
    const part = await world.buyer.post(`/v1/customer/disputes/${disputeId}/cancel`, { transaction_ids: [gone] })
    expect(part.status, part.text).toBe(200)

    await takeBack(casePath)

    const again = await disputing(gone)
    expect([again.status, again.body.details?.[0]?.issue]).toEqual([422, 'DISPUTE_ALREADY_EXISTS'])
    expect((await disputing(left)).status).toBe(201)
  })

  it('is no way to another one once a bank has charged the payment back', async () => {
    const { path, payment, casePath } = await payers.reported()
    await takeBack(casePath)
    const charged = await world.merchant.post('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: payment },
      dispute: {},
    })
    expect(charged.status, charged.text).toBe(201)

    expect((await payers.open(`${path}/problem`)).page.text).not.toContain('<textarea')
    expect((await payers.report(path, payment)).status).toBe(422)
  })
})

describe('Reporting a problem from a paid invoice', () => {
  it('keeps what was written when a file is refused', async () => {
    const { path, payment } = await payers.paidInvoice(guest('kept@example.com'))
    const { send } = await payers.open(`${path}/problem`)

    const typed = { payment, reason: 'UNAUTHORISED', text: 'It was <not> me.' }
    const { status, text } = await send(`${path}/problem`, { ...typed, file: 'no picture' })

    expect(status).toBe(422)
    expect(text).toContain('It was &lt;not&gt; me.</textarea>')
    expect(text).toContain('<option value="UNAUTHORISED" selected>')
  })

  it('asks again for a report that says nothing, and opens no case for it', async () => {
    const { path, payment } = await payers.paidInvoice(guest('blank@example.com'))
    const { send } = await payers.open(`${path}/problem`)

    const { status, text } = await send(`${path}/problem`, { payment, reason: 'UNAUTHORISED', text: ' \r\n ' })

    expect(status).toBe(422)
    expect(text).toContain('Write something.')
    expect(text).toContain('<option value="UNAUTHORISED" selected>')
    // A payment is disputed once, so nothing was opened.
    expect((await payers.report(path, payment)).status).toBe(303)
  })

  it.each(['Beleg für März (1).PNG', '領収書'])('takes a PDF that is called %s', async (fileName) => {
    const { path, payment } = await payers.paidInvoice(guest('named@example.com'))
    const { send } = await payers.open(`${path}/problem`)
    const said = { payment, reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', text: 'See there.' }

    const { status, text } = await send(`${path}/problem`, { ...said, file: '%PDF-1.4\n%%EOF', fileName })
    expect(status, text).toBe(303)
  })

  it('opens a dispute on that payment, for a payer without an account too, and mails a private link', async () => {
    const { path, payment } = await payers.paidInvoice(guest('first@example.com'))
    expect((await world.call('GET', path)).text).toContain('Report a problem with this payment')

    const answer = await payers.report(path, payment)
    const casePath = await payers.caseOf('first@example.com')
    const page = await world.call('GET', casePath)

    expect([answer.status, answer.headers['location']]).toEqual([303, `${path}/problem`])
    expect(page.text).toContain('Waiting for Example Studio')
    expect(page.text).toContain('It never came.')
    const [mail] = await payers.mailsTo('first@example.com')
    expect(mail!.subject).toMatch(/^You reported a problem with invoice/)
    expect(mail!.links).toEqual([PUBLIC_URL + casePath])
    const listed = await world.merchant.get<{ items: { dispute_id: string; status: string }[] }>(
      '/v1/customer/disputes',
    )
    expect(listed.body.items[0]).toMatchObject({ status: 'WAITING_FOR_SELLER_RESPONSE' })
    const merchant = await payers.mailsTo('merchant@example.com')
    expect(merchant.some(({ subject }) => /^Dispute PP-R-.* was opened$/.test(subject))).toBe(true)
  })

  it('holds the money, and an offer that is accepted gives it back and shows on the invoice', async () => {
    const { id, email, casePath, disputeId } = await payers.reported()
    await world.merchant.post(`/v1/customer/disputes/${disputeId}/make-offer`, {
      note: 'Sorry.',
      offer_type: 'REFUND',
      offer_amount: usd('20.00'),
    })

    const { page, send } = await payers.open(casePath)
    expect(page.text).toContain('Example Studio offers you $20.00')
    const accepted = await send(`${casePath}/accept-offer`)
    await world.settle()

    expect(accepted.status).toBe(303)
    expect((await world.call('GET', casePath)).text).toContain('$20.00 was refunded to you.')
    expect(await shown(world, id)).toMatchObject({
      status: 'PARTIALLY_REFUNDED',
      refunds: { refund_amount: usd('20.00') },
    })
    const subjects = (await payers.mailsTo(email)).map(({ subject }) => subject)
    expect(subjects.some((subject) => /^News about your problem/.test(subject))).toBe(true)
    expect(subjects.some((subject) => /is settled$/.test(subject))).toBe(true)
  })

  it('lets the payer write and the merchant answer', async () => {
    const { casePath, disputeId } = await payers.reported()

    const written = await (await payers.open(casePath)).send(`${casePath}/send-message`, {
      text: 'Where is <b>it</b>?',
    })
    await world.merchant.post(`/v1/customer/disputes/${disputeId}/send-message`, { message: 'On its way.' })
    const { text } = await world.call('GET', casePath)

    expect(written.status).toBe(303)
    expect(text).toContain('Where is &lt;b&gt;it&lt;/b&gt;?')
    expect(text).toContain('On its way.')
  })

  it('takes a megabyte of documents a day where an account may send ten', async () => {
    const { casePath } = await payers.reported()
    const file = `%PDF-1.4\n${'x'.repeat(600_000)}\n%%EOF`
    const evidence = async () => (await payers.open(casePath)).send(`${casePath}/send-message`, { text: 'Look.', file })

    const [first, second] = [await evidence(), await evidence()]

    expect(first.status, first.text).toBe(303)
    expect(second.status).toBe(429)
    expect(second.headers['content-type']).toContain('text/html')
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(80_000)
    expect((await world.call('GET', casePath)).text.match(/Look\./g)).toHaveLength(1)
    const words = await (await payers.open(casePath)).send(`${casePath}/send-message`, { text: 'Without a document.' })
    expect(words.status).toBe(303)
  })

  it('can be done once for a payment; the link can be mailed again', async () => {
    const { path, payment } = await payers.paidInvoice(guest('again@example.com'))
    await payers.report(path, payment)

    const again = await payers.report(path, payment)
    const { page, send } = await payers.open(`${path}/problem`)
    const mailed = await send(`${path}/problem`, { again: 'yes' })

    expect(again.status).toBe(422)
    expect(page.text).toContain('A problem with this payment was reported')
    expect(mailed.text).toContain('We mailed you the link.')
    const links = (await payers.mailsTo('again@example.com')).filter(({ subject }) =>
      /^You reported a problem/.test(subject),
    )
    expect(links).toHaveLength(2)
  })

  it('mails the links of those cases again whose links were not mailed often enough', async () => {
    const partly = { configuration: { partial_payment: { allow_partial_payment: true } } }
    const { id, path } = await sentInvoice(world, { ...guest('𝒷oth@example.com'), ...partly })
    const pay = async (value: string) =>
      (await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`, { amount: usd(value) })).body
    const again = async () => (await payers.open(`${path}/problem`)).send(`${path}/problem`, { again: 'yes' })
    await payers.report(path, (await pay('20.00')).payment_id)
    for (let n = 0; n < 3; n++) {
      expect((await again()).text).toContain('We mailed you the link.')
      await world.settle()
    }
    expect((await again()).status).toBe(422)

    await payers.report(path, (await pay('30.00')).payment_id)
    const mailed = (await payers.mailsTo('𝒷oth@example.com')).length
    const { status, text } = await again()

    expect([status, text]).toEqual([200, expect.stringContaining('We mailed you the link.')])
    expect(text).toContain('to 𝒷•••@example.com')
    expect((await payers.mailsTo('𝒷oth@example.com')).length).toBe(mailed + 1)
  })

  it('hands its private link to nobody but the address of the payer', async () => {
    const { path, casePath, answer } = await payers.reported()
    const key = casePath.split('~')[1]!

    const after = await payers.open(`${path}/problem`)
    const mailed = await after.send(`${path}/problem`, { again: 'yes' })

    for (const { text, headers } of [answer, after.page, mailed, await world.call('GET', path)])
      expect(text + JSON.stringify(headers)).not.toContain(key)
    expect(after.page.text).toContain('We mailed a private link to g•••@example.com')
  })

  it('says before it is sent where the link will go', async () => {
    const { path } = await payers.paidInvoice(guest('hidden@example.com'))

    expect((await payers.open(`${path}/problem`)).page.text).toContain('We mail a private link to h•••@example.com')
  })

  it('can be done again after the payer took the case back on the page', async () => {
    const { id, path, payment, email, casePath } = await payers.reported()
    const payer = await payers.open(casePath)
    expect((await payer.send(`${casePath}/cancel`)).status).toBe(303)

    const again = await payers.report(path, payment, 'It is broken after all.')
    const second = await payers.caseOf(email)

    expect(again.status).toBe(303)
    expect(second).not.toBe(casePath)
    expect((await world.call('GET', second)).text).toContain('It is broken after all.')
    expect((await world.call('GET', casePath)).text).toContain('Settled')
    expect(await shown(world, id)).toMatchObject({ status: 'PAID' })
    expect((await payers.report(path, payment)).status).toBe(422)
  })

  it('can be done again so often and no more', async () => {
    const { path, payment, email } = await payers.reported()
    const statuses: number[] = []
    for (let round = 0; round < 3; round++) {
      const casePath = await payers.caseOf(email)
      await (await payers.open(casePath)).send(`${casePath}/cancel`)
      statuses.push((await payers.report(path, payment)).status)
    }

    expect(statuses).toEqual([303, 303, 422])
  })

  it('asks nobody for words that would be refused: when all was given back, or it is too late', async () => {
    const own = await newWorld({ settings: { PUBLIC_URL } })
    const paid = async () => {
      const { id, path } = await sentInvoice(own)
      const { body } = await own.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`)
      return { path, payment: body.payment_id }
    }
    const [returned, old] = [await paid(), await paid()]
    await own.merchant.post(`/v2/payments/captures/${returned.payment}/refund`)
    await own.settle()
    const problem = async ({ path }: { path: string }) => (await own.call('GET', `${path}/problem`)).text
    const offered = async ({ path }: { path: string }) => (await own.call('GET', path)).text.includes('/problem"')

    expect([await offered(old), await offered(returned)]).toEqual([true, false])
    expect(await problem(old)).toContain('<textarea')
    expect(await problem(returned)).not.toContain('<textarea')
    expect(await problem(returned)).toContain('Refunded')
    await own.pass('P181D')
    expect(await offered(old)).toBe(false)
    expect(await problem(old)).not.toContain('<textarea')
    expect(await problem(old)).toContain('too much time has passed')
    await own.close()
  })

  it('is not offered before anything was paid, or while what was paid has not cleared', async () => {
    const { id, path } = await sentInvoice(world)
    const isOffered = async () => {
      const { text } = await world.call('GET', path)
      expect((await world.call('GET', `${path}/problem`)).status).toBe(text.includes('/problem"') ? 200 : 404)
      return text.includes('Report a problem')
    }

    expect(await isOffered()).toBe(false)
    const { body } = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {
      outcome: 'PENDING',
    })
    expect(await isOffered()).toBe(false)
    await world.call('POST', `/sandbox/captures/${body.payment_id}/settle`, {})
    expect(await isOffered()).toBe(true)
  })

  it('is not offered twice: the invoice then leads to the link of the case, also when all was given back in it', async () => {
    const { path, disputeId } = await payers.reported()
    const invoice = async () => (await world.call('GET', path)).text
    expect(await invoice()).toContain('Follow the problem you reported')
    expect(await invoice()).not.toContain('Report a problem')

    await world.merchant.post(`/v1/customer/disputes/${disputeId}/accept-claim`, { note: 'Sorry.' })
    await world.settle()

    expect(await invoice()).toContain('Refunded')
    expect(await invoice()).toContain('Follow the problem you reported')
    expect((await payers.open(`${path}/problem`)).page.text).toContain('name="again"')
  })
})

describe('A dispute about a payment without an invoice', () => {
  it('is told to both sides by mail', async () => {
    const { body } = await world.call<{ buyer_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: usd('9.00'),
    })
    await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: body.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    })

    for (const address of ['buyer@example.com', 'merchant@example.com'])
      expect((await payers.mailsTo(address))[0]!.subject).toMatch(/^Dispute PP-R-.* was opened$/)
  })
})

describe('The private link', () => {
  it('cannot be guessed or changed to another case', async () => {
    const { casePath } = await payers.reported()

    for (const guess of [
      casePath.slice(0, -1),
      casePath.replace(/problem\/[^~]+/, 'problem/PP-R-AAA-00000001'),
      '/invoice/problem/x',
    ])
      expect((await world.call('GET', guess)).status).toBe(404)
  })

  it('takes no form from another site, without its cookie or with a foreign token', async () => {
    const { casePath } = await payers.reported()
    const { send } = await payers.open(casePath)

    expect((await send(`${casePath}/cancel`, {}, 'https://evil.example')).status).toBe(403)
    expect((await send(`${casePath}/cancel`, { token: 'x' })).status).toBe(403)
    expect((await world.call('GET', casePath)).text).toContain('Waiting for')
  })

  it('says so when something cannot be done any more', async () => {
    const { casePath } = await payers.reported()
    const [tab, other] = [await payers.open(casePath), await payers.open(casePath)]
    expect((await tab.send(`${casePath}/cancel`)).status).toBe(303)

    const late = await other.send(`${casePath}/send-message`, { text: 'Hello?' })

    expect(late.status).toBe(422)
    expect(late.text).toContain('This cannot be done any more.')
  })
})
