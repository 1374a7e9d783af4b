import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { does, open, proof, sees } from '../../scenarios/disputes/people.ts'
import { over, recipient, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ isOwn: true })
  const { database } = world.app
  await database.query('create table seen as select * from jobs limit 0')
  await database.query(`create function see() returns trigger language plpgsql as $$
    begin insert into seen select new.*; return null; end $$`)
  await database.query('create trigger see after insert or update of id on jobs for each row execute function see()')
})
afterAll(() => world.close())

/** Does every job that is done once more, as when its worker had died before it could say so. */
async function doneTwice(): Promise<string[]> {
  const { rows } = await world.app.database.query<{ name: string }>(
    `insert into jobs (id, name, payload, run_at, create_time, class, due, cause)
     overriding system value
     select s.id, s.name, s.payload, s.run_at, s.create_time, s.class, s.due, s.cause from seen s
     where s.run_at <= $1 and not exists (select from jobs j where j.id = s.id) returning name`,
    [world.now()],
  )
  await world.settle()
  return rows.map(({ name }) => name)
}

const mails = async () => (await world.call<{ mails: object[] }>('GET', '/sandbox/mail?limit=200')).body.mails

describe('Jobs that are done twice', () => {
  it('tell nobody twice, and move no money again', async () => {
    const { buyer, merchant, people } = world
    const shop = shopOf(world)
    const customers = {
      primary_recipients: [recipient(people.buyer.email)],
      additional_recipients: ['copy@example.com'],
    }
    await shop.sends(over('30.00', customers, { invoice_date: '2026-03-10' }))
    const { id } = await shop.sends(over('100.00', customers))
    const paid = await world.call<{ payment_id: string; buyer_transaction_id: string }>(
      'POST',
      `/sandbox/invoices/${id}/pay`,
    )
    await world.settle()
    await merchant.post(`/v2/payments/captures/${paid.body.payment_id}/refund`, { amount: usd('10.00') })
    const dispute = await open(buyer, { transaction: paid.body.buyer_transaction_id, amount: usd('60.00') })
    await does(buyer, dispute, 'escalate', {})
    await world.pass('P15D')
    await does(merchant, dispute, 'appeal', proof)
    await does(merchant, dispute, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })
    await world.settle()
    const state = async () => ({
      mails: await mails(),
      invoice: await shop.sees(id),
      dispute: await sees(merchant, dispute),
      balances: (await merchant.get('/v1/reporting/balances')).body,
      events: (await world.events()).map(({ type }) => type),
    })
    const before = await state()

    const done = await doneTwice()

    expect(new Set(done)).toEqual(
      new Set([
        'dispute-deadline',
        'dispute-notice',
        'invoice-service-refund',
        'issue-invoice',
        'refund-notice',
        'send-mail',
      ]),
    )
    expect(await state()).toEqual(before)
  })
})
