import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { after } from '../../../src/kernel/clock.ts'
import { run } from '../../support/command.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import { does, NOT_AS_DESCRIBED, open, proof } from '../disputes/people.ts'

interface Explanation {
  readonly standing: string
  readonly story: {
    readonly kind: string
    readonly summary: string
    readonly rule?: string
    readonly seq: number
    readonly ref?: string
  }[]
  readonly due: { readonly what: string }[]
  readonly possible?: string[]
}

describe('Watching a sandbox', () => {
  let world: World
  let receiver: Receiver
  let variables: Record<string, string>
  let dispute = ''
  beforeAll(async () => {
    world = await newWorld()
    variables = { QUITTANCE_URL: await world.app.listen() }
    receiver = await Receiver.open()
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('50.00'),
    })
    const opened = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: paid.body.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
      dispute_amount: usd('50.00'),
      messages: [{ content: 'It is broken.' }],
    })
    dispute = opened.body.links[0]!.href.split('/').at(-1)!
    await world.settle()
    await world.pass('PT1H')
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  it('finds what lies ahead for a dispute behind hundreds of other things', async () => {
    const waiting = await world.merchant.get<{ status: string }>(`/v1/customer/disputes/${dispute}`)
    expect(waiting.status).toBe(200)
    await world.app.transact(async (tx) => {
      for (let i = 0; i < 210; i++)
        tx.enqueue({ name: 'no-such-job', payload: { account_id: 'A' }, key: `other ${i}`, runAt: after(tx.now, 60) })
    })

    const due = await world.call<Pick<Explanation, 'due'>>('GET', `/sandbox/due?subject=${dispute}`)
    const told = await world.call<Explanation>('GET', `/sandbox/explain/dispute/${dispute}`)

    expect(due.body.due).toHaveLength(1)
    expect(told.body.due).toEqual(due.body.due)
    await world.app.transact(async (tx) => {
      for (let i = 0; i < 210; i++) tx.withdraw(`other ${i}`)
    })
  })

  const explain = async (kind: string, id: string) => {
    const { status, body, text } = await world.call<Explanation>('GET', `/sandbox/explain/${kind}/${id}`)
    expect(status, text).toBe(200)
    return body
  }

  it('explains a dispute: how it stands, what led there by which rule, what lies ahead and what is possible', async () => {
    const refused = await world.buyer.post(`/v1/customer/disputes/${dispute}/accept-offer`, {})
    expect(refused.status).toBe(422)
    const told = await explain('dispute', dispute)

    expect(told.standing).toBe(`Dispute ${dispute}: the seller is to answer.`)
    expect(told.story.map(({ seq }) => seq)).toEqual(told.story.map(({ seq }) => seq).sort((a, b) => a - b))
    expect(told.story.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['request', 'move', 'money', 'event', 'attempt', 'mail']),
    )
    expect(told.story.flatMap(({ rule }) => rule ?? [])).toEqual(['T2, triage by the clock: seller to answer'])
    expect(told.story.some(({ summary }) => summary.includes('accept-offer was answered with 422'))).toBe(true)
    expect(told.due).toMatchObject([{ what: expect.stringContaining('closed as cancelled by the buyer') }])
    expect(told.possible).toContainEqual(
      expect.stringMatching(/^If nobody acts until 2026-03-22.*closed as cancelled by the buyer\.$/),
    )
    expect(told.possible).toContainEqual(
      expect.stringMatching(
        /^The seller may accept-claim: refunded, then resolved for good\. 50\.00 USD goes to the buyer\./,
      ),
    )
    expect(told.possible).toContainEqual('Not now: accept-offer by the buyer, because it requires an open offer.')
    expect((await world.call('GET', '/sandbox/explain/dispute/PP-R-NOT-00000000')).status).toBe(404)
    expect((await world.call('GET', '/sandbox/explain/cat/1')).status).toBe(400)
  })

  it('explains a request, an event, a delivery and an invoice', async () => {
    const made = await world.merchant.post<{ href: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', reference: 'R', invoice_date: '2026-03-20' },
      primary_recipients: [{ billing_info: { email_address: 'payer@customer.test' } }],
      items: [{ name: 'Hat', quantity: '1', unit_amount: usd('5.00') }],
    })
    const invoice = made.body.href.split('/').at(-1)!
    const sent = await world.merchant.post(`/v2/invoicing/invoices/${invoice}/send`, {})
    expect(sent.status, sent.text).toBeLessThan(300)
    await world.settle()

    const told = await explain('invoice', invoice)
    expect(told.standing).toMatch(/^Invoice \S+: SCHEDULED\.$/)
    expect(told.possible![0]).toBe('If nobody acts: The invoice goes out on 2026-03-20.')
    expect(told.due).toMatchObject([{ what: `Invoice ${invoice} goes out to its recipients.` }])
    const event = told.story.find(({ kind }) => kind === 'event')!.ref!
    const delivery = told.story.find(({ kind }) => kind === 'attempt')!.ref!
    expect((await explain('event', event)).standing).toBe(`Event ${event}: arrived at 1 of 1 webhooks.`)
    expect((await explain('delivery', delivery)).standing).toBe(`Delivery ${delivery}: arrived after one attempt.`)
    const id = String(sent.headers['service-debug-id'])
    expect((await explain('request', id)).standing).toMatch(/^POST .*\/send was answered with 202\.$/)
  })

  it('is done from the command line: clock, due, requests and explain', async () => {
    const said = async (...words: string[]) => {
      const { code, stdout, stderr } = await run(words, variables)
      expect(code, stderr).toBe(0)
      return stdout
    }
    expect(await said('clock')).toBe(`${world.now()}, standing still\n`)
    expect(await said('due')).toContain('goes out to its recipients.')
    expect(await said('due', '--subject', dispute)).toContain('closed as cancelled by the buyer')
    expect(await said('requests', '--failed')).toMatch(
      /422 {2}POST \S+accept-offer .*\n {4}ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE: /,
    )
    expect(await said('explain', 'dispute', dispute)).toMatch(/the seller is to answer\.\n\n.*\nAhead:\n.*\nNow:\n/s)
    const moved = await said('clock', 'next')
    expect(moved).toContain('goes out to its recipients.')
    expect(await said('clock', 'advance', 'P20D')).toContain(
      `Dispute ${dispute}: the time for the parties to agree after the opening is up; closed as cancelled by the buyer.`,
    )
    expect(await said('explain', 'dispute', dispute)).toContain('resolved for good')
    for (const words of [
      ['clock', 'back'],
      ['clock', 'advance'],
      ['explain', 'cat', '1'],
      ['requests', '--limit', '0'],
    ])
      expect((await run(words, variables)).code).toBe(2)
  })

  it('names the rule that a move followed, also where another one leads the same way', async () => {
    const ruleOf = async (id: string, action: string) =>
      (await explain('dispute', id)).story.flatMap(({ rule }) => (rule?.includes(action) ? rule : []))
    const { buyer, merchant } = world

    const replaced = await open(buyer, { reason: NOT_AS_DESCRIBED })
    await does(merchant, replaced, 'make-offer', { note: 'Another one.', offer_type: 'REPLACEMENT_WITHOUT_REFUND' })
    expect((await does(buyer, replaced, 'accept-offer', { note: 'Agreed.' })).status).toBe(200)
    expect(await ruleOf(replaced, 'accept-offer')).toEqual(['T9, accept-offer by the buyer: replaced'])

    const appealed = await open(buyer, { reason: NOT_AS_DESCRIBED })
    await does(merchant, appealed, 'provide-evidence', proof)
    await does(merchant, appealed, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })
    expect((await does(buyer, appealed, 'appeal', proof)).status).toBe(200)
    expect(await ruleOf(appealed, 'appeal')).toContainEqual(
      expect.stringMatching(/^T28, appeal by the buyer, given a decision against the buyer\b.*: appealed$/),
    )
  })
})
