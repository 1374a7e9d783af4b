import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json } from '../../support/command.ts'
import { PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { newWorld, type World } from '../../support/world.ts'

type Stage = 'connect' | 'from' | 'recipient' | 'data'

describe('A mail that the mail server refuses', () => {
  let refusal: { at: Stage; code: number; says: string } | undefined
  let arrived = 0
  let server: SMTPServer
  let world: World
  beforeAll(async () => {
    const answer = (stage: Stage) =>
      refusal?.at === stage ? Object.assign(new Error(refusal.says), { responseCode: refusal.code }) : null
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onConnect: (_session, done) => done(answer('connect')),
      onMailFrom: (_address, _session, done) => done(answer('from')),
      onRcptTo: (_address, _session, done) => done(answer('recipient')),
      onData(stream, _session, done) {
        stream.resume()
        stream.on('end', () => {
          if (!refusal) arrived++
          done(answer('data'))
        })
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    world = await newWorld({ settings: { PUBLIC_URL, SMTP_URL: `smtp://127.0.0.1:${port}` } })
  })
  afterAll(async () => {
    await world.close()
    await new Promise<void>((resolve) => server.close(resolve))
  })

  const parked = () =>
    json<{ id: string; name: string; attempts: number; error: string }[]>(['jobs', 'parked'], {
      DATABASE_URL: world.databaseUrl,
    })

  /** What is parked once such a refusal was met, and how many mails arrive when there is none any more. */
  async function afterwards(code: number, says: string, at: Stage) {
    refusal = { at, code, says }
    await sentInvoice(world)
    await world.settle()
    const found = await parked()
    for (const { id } of found) await json(['jobs', 'drop', id], { DATABASE_URL: world.databaseUrl })
    refusal = undefined
    const before = arrived
    await world.pass('PT1M')
    return { found, arrived: arrived - before }
  }

  it.each([
    [550, 'no such user'],
    [550, '5.1.1 <buyer@example.com>: Recipient address rejected: User unknown in virtual mailbox table'],
    [550, 'Requested action not taken: mailbox unavailable'],
    [556, '5.1.10 Recipient address has null MX'],
  ])('for its recipient, for good, is not tried again: %i %s', async (code, says) => {
    const { found, arrived } = await afterwards(code, says, 'recipient')

    expect([found.length, arrived]).toEqual([1, 0])
    expect(found[0]).toMatchObject({ name: 'send-mail', attempts: 1 })
    const said = says.replace('buyer@example.com', '(address)')
    expect(found[0]!.error).toBe(`The mail server does not take mail for this recipient: ${code} ${said}`)
  })

  it('in more words than anybody reads keeps nobody waiting', async () => {
    const began = performance.now()
    const { found } = await afterwards(550, `no such user ${'x'.repeat(100_000)}`, 'recipient')

    expect(found[0]!.error).toMatch(/^The mail server does not take mail for this recipient: 550 no such user x+$/)
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it.each([
    [450, 'no such user now', 'recipient'],
    [450, '4.1.1 unverified address', 'recipient'],
    [552, '5.2.2 Mailbox full', 'recipient'],
    [550, 'relay not permitted', 'recipient'],
    [554, '5.7.1 Relay access denied', 'recipient'],
    [550, '5.7.1 Client host blocked', 'recipient'],
    [553, "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'recipient'],
    [530, 'Authentication required', 'recipient'],
    [550, '5.1.8 Sender address rejected: Domain not found', 'recipient'],
    [550, 'no such user', 'from'],
    [554, 'no service for you', 'connect'],
    [550, 'this looks like spam', 'data'],
  ] as const)('for now, or because of us, is tried again: %i %s (%s)', async (code, says, at) => {
    expect(await afterwards(code, says, at)).toEqual({ found: [], arrived: 1 })
  })

  it('is tried again for two days, also one about a dispute', async () => {
    const { id } = await sentInvoice(world)
    const paid = await world.call<{ buyer_transaction_id: string }>('POST', `/sandbox/invoices/${id}/pay`)
    await world.settle()
    refusal = { at: 'connect', code: 421, says: 'closed for the weekend' }
    const { buyer_transaction_id } = paid.body
    await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    })
    await world.pass('PT40H')
    refusal = undefined
    const before = arrived
    await world.pass('PT8H')

    expect(await parked()).toEqual([])
    // The buyer and the seller hear that it was opened.
    expect(arrived - before).toBe(2)
  })
})
