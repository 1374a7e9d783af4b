import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invoiceBody, PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { INVOICES, issuesOf, type Refusal } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({
    settings: { PUBLIC_URL, MAIL_PER_INVOICE_PER_DAY: '4', MAIL_PER_ACCOUNT_PER_DAY: '20', MAIL_PER_CASE_PER_DAY: '3' },
  })
})
afterAll(() => world.close())

const to = (email: string) => ({ primary_recipients: [{ billing_info: { email_address: email } }] })
const mailsTo = async (email: string) => {
  await world.settle()
  const { body } = await world.call<{ mails: { subject: string; links: string[] }[] }>(
    'GET',
    `/sandbox/mail?to=${email}&limit=200`,
  )
  return body.mails
}

/** A page with a form, in a browser of its own. */
async function open(path: string) {
  const page = await world.call('GET', path)
  const cookie = String(page.headers['set-cookie'] ?? '').split(';')[0]!
  const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
  return (fields: Record<string, string>) =>
    world.call('POST', path, new URLSearchParams({ token, ...fields }).toString(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: PUBLIC_URL, cookie },
    })
}

async function reportedCase(email: string) {
  const { id, path } = await sentInvoice(world, to(email))
  const { body } = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {})
  const send = await open(`${path}/problem`)
  await send({ payment: body.payment_id, reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED', text: 'It never came.' })
  const [mail] = await mailsTo(email)
  return { path, disputeId: /problem\/([^~]+)~/.exec(mail!.links[0]!)![1]! }
}

describe('A mailbox', () => {
  it('is not filled through "mail me the link again"', async () => {
    const { path } = await reportedCase('victim@example.com')
    const before = (await mailsTo('victim@example.com')).length
    const statuses: number[] = []

    const send = await open(`${path}/problem`)
    for (let i = 0; i < 5; i++) statuses.push((await send({ again: 'yes' })).status)
    for (let i = 0; i < 5; i++) {
      await world.settle()
      statuses.push((await (await open(`${path}/problem`))({ again: 'yes' })).status)
    }

    // A form works once, and a link is mailed so often a day.
    expect(statuses).toEqual([200, 403, 403, 403, 403, 200, 200, 422, 422, 422])
    expect((await mailsTo('victim@example.com')).length - before).toBe(3)
  })

  it('is not filled by updates of an invoice', async () => {
    const { id } = await sentInvoice(world, to('updated@example.com'))
    const update = () =>
      world.merchant.put<Refusal>(`${INVOICES}/${id}?send_to_recipient=true`, invoiceBody(to('updated@example.com')))
    const answers = []
    for (let i = 0; i < 6; i++) answers.push(await update())

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429])
    expect(issuesOf(answers.at(-1)!.body)).toEqual(['QUOTA_EXCEEDED'])
    expect(await mailsTo('updated@example.com')).toHaveLength(4)
    const quiet = await world.merchant.put(
      `${INVOICES}/${id}?send_to_recipient=false`,
      invoiceBody(to('updated@example.com')),
    )
    expect(quiet.status).toBe(200)

    await world.pass('P1D')
    world.merchant.signOut()
    expect((await update()).status).toBe(200)
  })

  it('is not filled by messages in a case', async () => {
    const { disputeId } = await reportedCase('written@example.com')
    const before = (await mailsTo('written@example.com')).length
    for (let i = 0; i < 6; i++) {
      await world.merchant.post(`/v1/customer/disputes/${disputeId}/send-message`, { message: `Hello ${i}` })
      await world.settle()
    }

    expect((await mailsTo('written@example.com')).length - before).toBe(3)
  })

  it('is not filled by payments that are denied', async () => {
    const { id } = await sentInvoice(world, to('denied@example.com'))
    for (let i = 0; i < 6; i++) await world.call('POST', `/sandbox/invoices/${id}/pay`, { outcome: 'DENIED' })

    expect(await mailsTo('denied@example.com')).toHaveLength(1 + 3)
  })

  it('is not filled by many invoices of one merchant', async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 23; i++) {
      const { body } = await world.otherMerchant.post<{ id: string }>(INVOICES, invoiceBody(to('many@example.com')))
      statuses.add((await world.otherMerchant.post(`${INVOICES}/${body.id}/send`, {})).status)
    }

    expect([...statuses]).toEqual([200, 429])
    expect(await mailsTo('many@example.com')).toHaveLength(20)
  })

  it('is not filled on one morning by invoices that were scheduled for it', async () => {
    await world.pass('P1D')
    world.otherMerchant.signOut()
    const later = { invoice_date: new Date(Date.parse(world.now()) + 2 * 86_400_000).toISOString().slice(0, 10) }
    const schedule = async (more: Record<string, unknown>) => {
      const { body } = await world.otherMerchant.post<{ id: string }>(INVOICES, invoiceBody(more, later))
      const { status } = await world.otherMerchant.post(`${INVOICES}/${body.id}/send`, {})
      return { id: body.id, status }
    }
    const statuses: number[] = []
    for (let i = 0; i < 23; i++) statuses.push((await schedule(to('morning@example.com'))).status)
    const quiet = await schedule({ primary_recipients: [] })
    const aimed = await world.otherMerchant.put(
      `${INVOICES}/${quiet.id}?send_to_recipient=false`,
      invoiceBody(to('morning@example.com'), later),
    )

    expect(statuses.filter((status) => status === 202)).toHaveLength(20)
    expect(statuses.slice(-3)).toEqual([429, 429, 429])
    expect([quiet.status, aimed.status]).toEqual([202, 429])
    await world.pass('P3D')
    expect(await mailsTo('morning@example.com')).toHaveLength(20)
  })

  it('is not filled by refunds of a cent', async () => {
    const { id } = await sentInvoice(world, to('cents@example.com'))
    const { body } = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {})
    const before = (await mailsTo('cents@example.com')).length
    for (let i = 0; i < 6; i++) {
      const refund = { amount: { currency_code: 'USD', value: '0.01' } }
      const { status } = await world.merchant.post(`/v2/payments/captures/${body.payment_id}/refund`, refund)
      expect(status).toBe(201)
    }

    expect((await mailsTo('cents@example.com')).length - before).toBe(3)
  })
})
