import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DISPUTES } from '../scenarios/disputes/people.ts'
import { json } from '../support/command.ts'
import { PUBLIC_URL, sentInvoice } from '../support/payer.ts'
import { INVOICES, over, recipient } from '../support/shop.ts'
import { newWorld, type World } from '../support/world.ts'

const EMAIL = 'ann@customer.test'
/** In each of these hers stands too, as a part. */
const others = ['joann@customer.test', 'jo.ann@customer.test', "o'ann@customer.test", 'ann@customer.test.example']

describe('A customer whose address is a part of the addresses of others', () => {
  let world: World
  let variables: Record<string, string>
  const invoices: string[] = []
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
    variables = { DATABASE_URL: world.databaseUrl, PUBLIC_URL }
    for (const email of [...others, EMAIL]) {
      const note = `Sold to:\n${email}. Or so.`
      const { id } = await sentInvoice(world, { primary_recipients: [recipient(email)] }, { note })
      invoices.push(id)
    }
  })
  afterAll(() => world.close())

  const shown = async (id: string) =>
    (
      await world.merchant.get<{
        detail: { note: string }
        primary_recipients: { billing_info: { email_address: string } }[]
      }>(`${INVOICES}/${id}`)
    ).body

  it('is not given what is held about the others', async () => {
    const { records } = await json<{ records: Record<string, { id: string }[]> }>(
      ['people', 'export', EMAIL],
      variables,
    )

    expect(records['invoices']!.map(({ id }) => id)).toEqual(invoices.slice(-1))
    expect(others.filter((email) => JSON.stringify(records).includes(email))).toEqual([])
  })

  it('is erased without a change to the others', async () => {
    const { erased } = await json<{ erased: Record<string, number> }>(['people', 'erase', EMAIL, '--yes'], variables)

    expect(erased).toMatchObject({ invoices: 1 })
    for (const [place, email] of others.entries())
      expect(await shown(invoices[place]!)).toMatchObject({
        detail: { note: `Sold to:\n${email}. Or so.` },
        primary_recipients: [{ billing_info: { email_address: email } }],
      })
    expect((await shown(invoices.at(-1)!)).detail.note).toMatch(/^Sold to:\nerased-\w+@erased\.invalid\. Or so\.$/)
  })
})

describe('A customer who is called, lives or writes as the service writes money and states', () => {
  const MAY = 'may@customer.test'
  const MANY = 'many@customer.test'
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
  })
  afterAll(() => world.close())

  it('is erased without a change to what was sold, paid and disputed, nor to what others were answered', async () => {
    const { merchant, otherMerchant } = world
    const whole = { headers: { prefer: 'return=representation', 'service-request-id': 'of somebody else' } }
    const stranger = over(
      '100.00',
      { primary_recipients: [recipient('june@customer.test')] },
      { note: 'SENT by post.' },
    )
    const kept = await otherMerchant.post<object>(INVOICES, stranger, whole)
    // What one merchant calls them is taken out of what all others have of them.
    const called = {
      business_name: 'USD',
      address: { address_line_1: 'SENT', address_line_2: '100', country_code: 'US' },
    }
    const own = await sentInvoice(world, { primary_recipients: [recipient(MAY, called)] }, { note: 'To SENT, 100.' })
    const made = await otherMerchant.post<{ id: string }>(
      INVOICES,
      over('100.00', { primary_recipients: [recipient(MAY)] }),
      { headers: { prefer: 'return=representation' } },
    )
    await otherMerchant.post(`${INVOICES}/${made.body.id}/send`)
    const paid = await world.call<{ payment_id: string; buyer_transaction_id: string }>(
      'POST',
      `/sandbox/invoices/${made.body.id}/pay`,
    )
    const opened = await otherMerchant.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: paid.body.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      messages: [{ content: 'OPEN' }, { content: '100.00' }],
    })
    const dispute = `${DISPUTES}/${opened.body.links[0]!.href.split('/').at(-1)}`
    const shown = async () => {
      const invoice = await otherMerchant.get<Record<string, unknown>>(`${INVOICES}/${made.body.id}`)
      const { primary_recipients: _, ...sold } = invoice.body
      const { status, reason, dispute_amount, dispute_life_cycle_stage } = (
        await otherMerchant.get<Record<string, unknown>>(dispute)
      ).body
      return { sold, disputed: { status, reason, dispute_amount, dispute_life_cycle_stage } }
    }
    const before = await shown()

    await json(['people', 'erase', MAY, '--yes'], { DATABASE_URL: world.databaseUrl, PUBLIC_URL })

    expect(await shown()).toEqual(before)
    expect((await otherMerchant.post<object>(INVOICES, stranger, whole)).body).toEqual(kept.body)
    expect((await otherMerchant.post(`/v2/payments/captures/${paid.body.payment_id}/refund`)).status).toBe(201)
    expect((await merchant.get(`${INVOICES}/${own.id}`)).body).toMatchObject({
      ...{ status: 'SENT', amount: { currency_code: 'USD' }, detail: { note: 'To (erased), (erased).' } },
    } as object)
  })

  it('is erased soon also where a merchant has a thousand names for them', async () => {
    // Letters alone, as names are.
    const name = (n: number) =>
      [...createHash('sha512').update(String(n)).digest('base64')].filter((one) => /[a-z]/i.test(one)).join('')
    const names = Array.from({ length: 1_200 }, (_, n) => name(n))
    for (let n = 0; n < names.length; n += 100)
      await world.merchant.post(
        INVOICES,
        over('1.00', {
          primary_recipients: names.slice(n, n + 100).map((business_name) => recipient(MANY, { business_name })),
        }),
      )
    const began = performance.now()

    const { erased } = await json<{ erased: Record<string, number> }>(['people', 'erase', MANY, '--yes'], {
      ...{ DATABASE_URL: world.databaseUrl, PUBLIC_URL },
    })

    expect(erased).toMatchObject({ invoices: 12 })
    expect(performance.now() - began).toBeLessThan(60_000)
  })
})
