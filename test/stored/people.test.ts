import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  address,
  DISPUTES,
  does,
  multipart,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
  open,
  png,
  tracking,
} from '../scenarios/disputes/people.ts'
import { booksOf } from '../support/books.ts'
import { json, run } from '../support/command.ts'
import { PUBLIC_URL, sentInvoice } from '../support/payer.ts'
import { Receiver } from '../support/receiver.ts'
import { INVOICES, over, recipient } from '../support/shop.ts'
import { newWorld, usd, type World } from '../support/world.ts'

const EMAIL = 'Jane.Doe@customer.test'
/** Everything that would tell who she is. */
const canaries = /jane\.doe@customer|jane doe|doe, jane|hafenstr|5550199|my own words|warehouse of jane/i

const jane = {
  ...recipient(EMAIL, {
    name: { given_name: 'Jane', surname: 'Doe' },
    address: { address_line_1: 'Hafenstr. 8', admin_area_2: 'Anytown', country_code: 'DE' },
    phones: [{ country_code: '49', national_number: '5550199', phone_type: 'MOBILE' }],
  }),
  shipping_info: { name: { full_name: 'Warehouse of Jane' } },
}
const copy = over('5.00', { primary_recipients: [jane] })
const copying = { headers: { 'service-request-id': 'copied', prefer: 'return=representation' } }

describe('A customer', () => {
  let world: World
  let variables: Record<string, string>
  let ids: { invoice: string; dispute: string; payment: string }
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
    variables = { DATABASE_URL: world.databaseUrl, PUBLIC_URL }
    ids = await herStory()
  })
  afterAll(() => world.close())

  /** She is invoiced, reminded, pays and disputes, writes and uploads; a receiver that is down is told of all of it. */
  async function herStory() {
    const { merchant } = world
    const receiver = await Receiver.open()
    receiver.behaviour = { status: 500 }
    await merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    const { id: invoice } = await sentInvoice(world, { primary_recipients: [jane] }, { note: 'For Jane Doe.' })
    await merchant.post(`${INVOICES}/${invoice}/remind`, {}, { headers: { 'service-request-id': 'reminded' } })
    await merchant.post(INVOICES, copy, copying)
    const paid = await world.call<{ payment_id: string; buyer_transaction_id: string }>(
      'POST',
      `/sandbox/invoices/${invoice}/pay`,
    )
    const { payload, headers } = multipart(
      {
        disputed_transactions: [{ buyer_transaction_id: paid.body.buyer_transaction_id }],
        reason: NOT_RECEIVED,
        dispute_amount: usd('20.00'),
        messages: [{ content: `My own words. ${EMAIL}` }],
        evidences: [{ notes: 'My own words again.' }],
      },
      [{ name: 'passport of jane doe.png', bytes: png }],
    )
    const opened = await merchant.post<{ links: { href: string }[] }>(DISPUTES, payload, { headers })
    const dispute = opened.body.links[0]!.href.split('/').at(-1)!
    await does(merchant, dispute, 'send-message', { message: 'Dear Jane Doe, we are sorry.' })
    await world.settle()
    await receiver.close()
    return { invoice, dispute, payment: paid.body.payment_id }
  }

  /** Every row of every table as text, files too. */
  async function everything(): Promise<string[]> {
    const { query } = world.app.database
    const { rows: tables } = await query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = current_schema()',
    )
    const all = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await query<{ row: string }>(`select t::text as row from ${name} t`)
        return rows.map(({ row }) => `${name}: ${row}`)
      }),
    )
    return all.flat()
  }

  it('can be given everything that is held about them', async () => {
    expect((await everything()).filter((row) => canaries.test(row)).length).toBeGreaterThan(10)

    const exported = await json<{ email: string; records: Record<string, { id?: string }[]> }>(
      ['people', 'export', EMAIL],
      variables,
    )

    expect(exported.email).toBe(EMAIL.toLowerCase())
    const { records } = exported
    expect(records['invoices']!.map(({ id }) => id)).toContain(ids.invoice)
    expect(records['payment_transactions']!.map(({ id }) => id)).toEqual([ids.payment])
    expect(records['disputes']!.map(({ id }) => id)).toEqual([ids.dispute])
    expect(Object.keys(records)).toEqual(expect.arrayContaining(['events', 'mails', 'idempotency', 'ledger_entries']))
    expect(records['dispute_documents']).toMatchObject([{ bytes: png.toString('base64') }])
    expect(JSON.stringify(records['disputes'])).toContain('My own words.')
    const audit = await json<{ action: string; arguments: string[] }[]>(['audit', '--limit', '1'], variables)
    expect(audit[0]).toMatchObject({ action: 'people export', arguments: ['(not kept)'] })
  })

  it('is not erased by mistake, and a merchant not at all', async () => {
    const unsure = await run(['people', 'erase', EMAIL], variables)
    const merchant = await run(['people', 'erase', 'merchant@example.com', '--yes'], variables)

    expect([unsure.code, unsure.stderr]).toEqual([1, expect.stringContaining('--yes')])
    expect([merchant.code, merchant.stderr]).toEqual([1, expect.stringContaining('business account')])
    expect((await run(['people', 'erase', 'nobody', '--yes'], variables)).code).toBe(2)
  })

  it('is gone from every table once erased, and what was bought, paid and decided is not', async () => {
    const { merchant, people } = world
    const before = (await merchant.get<{ amount: object; items: object[] }>(`${INVOICES}/${ids.invoice}`)).body
    const books = await booksOf(world.app.database, people.merchant.id)
    // What the sandbox answered in the last half second is kept when somebody looks.
    await world.call('GET', '/sandbox/requests')

    const { erased } = await json<{ erased: Record<string, number> }>(['people', 'erase', EMAIL, '--yes'], variables)

    expect(erased).toMatchObject({ invoices: 2, disputes: 1, dispute_documents: 1, payment_transactions: 1 })
    expect((await everything()).filter((row) => canaries.test(row))).toEqual([])
    const after = (await merchant.get<Record<string, never>>(`${INVOICES}/${ids.invoice}`)).body
    expect(after).toMatchObject({
      ...before,
      detail: { note: 'For (erased).' },
      primary_recipients: [{ billing_info: { email_address: expect.stringMatching(/^erased-\w+@erased\.invalid$/) } }],
    } as object)
    expect(await booksOf(world.app.database, people.merchant.id)).toEqual(books)
    const dispute = (
      await merchant.get<{ messages: { posted_by: string; content: string }[] }>(`${DISPUTES}/${ids.dispute}`)
    ).body
    expect(dispute.messages.map(({ posted_by, content }) => `${posted_by}: ${content}`)).toEqual([
      'BUYER: (erased)',
      'BUYER: (erased)',
      'SELLER: Dear (erased), we are sorry.',
    ])
    const found = await merchant.post<{ items: object[] }>('/v2/invoicing/search-invoices', { recipient_email: EMAIL })
    expect(found.body.items ?? []).toEqual([])
    // Kept answers are sealed, so that no search of the tables shows what they say.
    const again = await merchant.post<object>(INVOICES, copy, copying)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.text).not.toMatch(canaries)
    expect(again.body).toMatchObject({ amount: { value: '5.00' } })
    // The sandbox keeps the requests it answered: the search and the copy above, which name them again, are all there is.
    await world.call('GET', '/sandbox/requests')
    expect(
      (await json<{ erased: Record<string, number> }>(['people', 'erase', EMAIL, '--yes'], variables)).erased,
    ).toEqual({ invoices: 0, request_log: 2 })
  })

  it('gets no mail any more, and events that still wait go out without them, signed as they are now', async () => {
    const receiver = await Receiver.open()
    const [hook] = (await world.merchant.get<{ webhooks: { id: string }[] }>('/v1/notifications/webhooks')).body
      .webhooks
    await world.merchant.patch(`/v1/notifications/webhooks/${hook!.id}`, [
      { op: 'replace', path: '/url', value: receiver.url() },
    ])
    await world.merchant.post(`${INVOICES}/${ids.invoice}/refunds`, { method: 'CASH', amount: usd('1.00') })
    await world.pass('P1D')

    const mails = await world.call<{ mails: { to: string[] }[] }>('GET', '/sandbox/mail')
    expect(mails.body.mails.flatMap(({ to }) => to).filter((to) => to.includes('erased'))).toEqual([])
    expect(receiver.received.length).toBeGreaterThan(0)
    for (const { body } of receiver.received) expect(body).not.toMatch(canaries)
    await receiver.close()
  })

  it('with an account is shut out, and stands in no other table either', async () => {
    const { buyer, merchant } = world
    await open(buyer, { messages: [{ content: 'From Sandbox Buyer.' }] })
    const described = { merchandize_dispute_properties: { product_details: { description: 'Only I describe it so.' } } }
    const told = await open(buyer, { extensions: described })
    const item_info = [{ item_id: 'I1', notes: 'Only I note it so.' }]
    await does(buyer, told, 'change-reason', { reason: NOT_AS_DESCRIBED, note: 'Only I change it so.', item_info })
    await does(buyer, told, 'cancel', { note: 'Only I take it back so.' })
    const escalated = await open(buyer)
    await does(buyer, escalated, 'escalate', { note: 'Only I complain so.' })
    const returned = await open(buyer, { reason: NOT_AS_DESCRIBED })
    const back = { note: 'Send it.', accept_claim_type: 'REFUND_WITH_RETURN', return_shipping_address: address }
    await does(merchant, returned, 'accept-claim', back)
    const proof = { evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }
    await does(buyer, returned, 'provide-evidence', { evidences: [proof] })
    await does(buyer, returned, 'return-compensation', { amount: usd('9.00'), note: 'Only I ask for it so.' })
    const hers = /buyer@example\.com|sandbox buyer|only i \w+/i
    expect(new Set((await everything()).flatMap((row) => /only i \w+/i.exec(row)?.[0] ?? [])).size).toBeGreaterThan(4)
    expect((await buyer.get(DISPUTES)).status).toBe(200)
    await world.call('GET', '/sandbox/requests')

    const { erased } = await json<{ erased: Record<string, number> }>(
      ['people', 'erase', 'buyer@example.com', '--yes'],
      variables,
    )

    expect(erased).toMatchObject({ accounts: 1, disputes: 4, payment_transactions: 4 })
    expect((await everything()).filter((row) => hers.test(row))).toEqual([])
    expect((await buyer.get(DISPUTES)).status).toBe(401)
  })
})
