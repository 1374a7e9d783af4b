import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, issuesOf, type Refusal, recipient, sample } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

interface Shown {
  status: string
  due_amount: { value: string }
  links: { rel: string }[]
}

let payers = 0
/** A draft over 74.21 on which something was paid before anybody saw it. */
async function withDeposit(value: string, detail: Record<string, unknown> = {}) {
  world.merchant.signOut()
  const email = `payer-${++payers}@example.com`
  const made = await world.merchant.post<{ id: string }>(
    INVOICES,
    sample({ primary_recipients: [recipient(email)] }, detail),
  )
  const { id } = made.body
  const address = `${INVOICES}/${id}`
  const record = () => world.merchant.post(`${address}/payments`, { method: 'CASH', amount: usd(value) })
  return { id, email, address, record, page: `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}` }
}
const shown = async (address: string) => (await world.merchant.get<Shown>(address)).body
const mailsTo = async (to: string) => {
  await world.settle()
  return (await world.call<{ mails: { subject: string }[] }>('GET', `/sandbox/mail?to=${to}`)).body.mails
}

describe('An invoice on which a deposit was recorded before it was sent', () => {
  it('is sent: its page opens, its payer is mailed, subscribers hear of it, and the rest can be paid', async () => {
    const { id, email, address, page, record } = await withDeposit('20.00')
    await record()
    const before = await shown(address)
    expect(before.status).toBe('PARTIALLY_PAID')
    expect((await world.call('GET', page)).status).toBe(404)

    const sent = await world.merchant.post(`${address}/send`, {})

    expect(sent.status).toBe(200)
    expect(before.links.map(({ rel }) => rel)).toContain('send')
    expect(await shown(address)).toMatchObject({ status: 'PARTIALLY_PAID', due_amount: { value: '54.21' } })
    expect((await world.call('GET', page)).text).toContain('$54.21')
    expect(await mailsTo(email)).toHaveLength(1)
    expect((await world.events(id)).map(({ type }) => type).slice(-1)).toEqual(['INVOICING.INVOICE.SENT'])
    expect((await world.call('POST', `/sandbox/invoices/${id}/pay`, {})).status).toBe(201)
    expect(await shown(address)).toMatchObject({ status: 'PAID' })
  })

  it('is neither reminded of nor drawn as a code before, and both after', async () => {
    const { address, record } = await withDeposit('20.00')
    await record()
    const tried = async () =>
      Promise.all(['remind', 'generate-qr-code'].map((path) => world.merchant.post<Refusal>(`${address}/${path}`, {})))

    const [early, rels] = [await tried(), (await shown(address)).links.map(({ rel }) => rel)]
    await world.merchant.post(`${address}/send`, {})
    const late = await tried()

    expect(early.map(({ body }) => issuesOf(body))).toEqual([['CANNOT_REMIND_INVOICE'], ['CANNOT_GENERATE_QR_CODE']])
    expect(rels).not.toContain('remind')
    expect(rels).not.toContain('qr-code')
    expect(late.map(({ status }) => status)).toEqual([204, 200])
  })

  it('is sent also when it was paid in full', async () => {
    const { address, page, record } = await withDeposit('74.21')
    await record()

    expect((await world.merchant.post(`${address}/send`, {})).status).toBe(200)

    expect(await shown(address)).toMatchObject({ status: 'MARKED_AS_PAID' })
    expect((await world.call('GET', page)).text).toContain('Paid in full')
    expect(issuesOf((await world.merchant.post<Refusal>(`${address}/send`, {})).body)).toEqual(['CANNOT_SEND_INVOICE'])
  })

  it('goes out on its date, whether it was paid before or after it was scheduled', async () => {
    for (const [invoice_date, paidFirst] of [
      ['2026-03-20', true],
      ['2026-04-20', false],
    ] as const) {
      const { email, address, page, record } = await withDeposit('20.00', { invoice_date })
      if (paidFirst) await record()
      expect((await world.merchant.post(`${address}/send`, {})).status).toBe(202)
      if (!paidFirst) await record()
      expect(await shown(address)).toMatchObject({ status: 'PARTIALLY_PAID' })
      expect(await mailsTo(email)).toHaveLength(0)
      expect((await world.call('GET', page)).status).toBe(404)

      await world.call('POST', '/sandbox/clock', { to: `${invoice_date}T16:00:00.000Z` })

      world.merchant.signOut()
      expect(await shown(address)).toMatchObject({ status: 'PARTIALLY_PAID' })
      expect((await world.call('GET', page)).status).toBe(200)
      expect(await mailsTo(email)).toHaveLength(1)
    }
  })

  it('can be changed before it is sent without a mail to anybody', async () => {
    const { email, address, record } = await withDeposit('20.00')
    await record()

    const changed = await world.merchant.put(address, sample({ primary_recipients: [recipient(email)] }))

    expect(changed.status).toBe(200)
    expect(await mailsTo(email)).toHaveLength(0)
  })
})
