import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleServicePayment } from '../../src/invoices/act.ts'
import { invoiceLifecycle } from '../../src/invoices/lifecycle.ts'
import { assertInvariants } from '../support/invariants.ts'
import { INVOICES, over, shopOf } from '../support/shop.ts'
import { statementsOf } from '../support/statements.ts'
import { newWorld, usd, type World } from '../support/world.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await newWorld()
  shop = shopOf(world)
})
afterAll(() => world.close())

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The moves of an invoice as the log tells them, oldest first. */
async function movesOf(id: string, { app }: World = world): Promise<string[]> {
  const { rows } = await app.database.query<{ move: string }>(
    `select concat_ws(' ', from_status, action, coalesce(to_status, 'gone')) as move
     from invoice_transitions where invoice_id = $1 order by version`,
    [id],
  )
  return rows.map(({ move }) => move)
}

/** The statements of a call that succeeds. */
const sentBy = (call: () => Promise<{ status: number }>) =>
  statementsOf(world, async () => expect((await call()).status).toBeLessThan(300))

describe('The log of an invoice', () => {
  it('has every move of its history, in order, and nothing that left it where it was', async () => {
    const { id } = await shop.drafts()
    expect(await movesOf(id)).toEqual([])

    await world.merchant.put(shop.path(id), over('100.00'))
    await world.merchant.post(shop.path(id, '/send'))
    await world.merchant.post(shop.path(id, '/send'))
    await world.merchant.post(shop.path(id, '/remind'))
    const first = await shop.records(id, '40.00')
    await shop.records(id, '10.00')
    await shop.isPaid(id, '50.00')
    const refund = await shop.refunds(id, '50.00')
    await shop.isRefunded(id, '50.00')
    await world.merchant.delete(shop.path(id, `/refunds/${refund}`))
    await world.merchant.delete(shop.path(id, `/payments/${first}`))

    expect(await movesOf(id)).toEqual([
      'DRAFT send SENT',
      'SENT record-payment PARTIALLY_PAID',
      'PARTIALLY_PAID pay PAID',
      'PAID record-refund PARTIALLY_REFUNDED',
      'PARTIALLY_REFUNDED refund-payment REFUNDED',
      'REFUNDED delete-refund PARTIALLY_REFUNDED',
    ])
  })

  it('has what time does, what a pending payment does, and the end of an invoice', async () => {
    const own = await newWorld()
    const its = shopOf(own)
    const accountId = own.people.merchant.id
    const [due, deleted] = [await its.has('SCHEDULED'), await its.has('SCHEDULED')]
    await own.merchant.delete(its.path(deleted.id))
    await its.pass('P31D')
    const cleared = await its.isPaid(due.id, '100.00', { pending: true })
    const settle = (transaction_id: string, isCleared: boolean) =>
      own.app.transact(async (tx) =>
        settleServicePayment(own.app.service, tx, { accountId, id: due.id }, { transaction_id, cleared: isCleared }),
      )
    await settle(cleared, false)
    await own.merchant.post(its.path(due.id, '/cancel'))

    expect(await movesOf(deleted.id, own)).toEqual(['DRAFT send SCHEDULED', 'SCHEDULED delete gone'])
    expect(await movesOf(due.id, own)).toEqual([
      'DRAFT send SCHEDULED',
      'SCHEDULED issue SENT',
      'SENT pay PAYMENT_PENDING',
      'PAYMENT_PENDING deny-payment SENT',
      'SENT cancel CANCELLED',
    ])
    await own.close()
  })

  it('says nothing of what was refused', async () => {
    const { id } = await shop.has('PARTIALLY_PAID')
    const before = await movesOf(id)

    expect((await world.merchant.post(shop.path(id, '/cancel'))).status).toBe(422)
    expect((await world.merchant.delete(shop.path(id))).status).toBe(422)
    const tooMuch = { method: 'CASH', amount: usd('99.00') }
    expect((await world.merchant.post(shop.path(id, '/payments'), tooMuch)).status).toBe(422)

    expect(await movesOf(id)).toEqual(before)
  })

  it('costs a creation nothing, and a move no statement', async () => {
    const { id } = await shop.drafts()
    const numbered = over('1.00', {}, { invoice_number: 'WITHOUT-A-MOVE' })

    const created = await sentBy(() => world.merchant.post(INVOICES, numbered))
    const updated = await sentBy(() => world.merchant.put(shop.path(id), over('2.00')))
    const sent = await sentBy(() => world.merchant.post(shop.path(id, '/send')))

    expect([...created, ...updated].join()).not.toContain('invoice_transitions')
    expect(sent.filter((text) => text.includes('insert'))).toHaveLength(1)
    expect(sent.at(-1)).toContain('update invoices')
    expect(sent.at(-1)).toContain('insert into invoice_transitions')
  })

  it('is compared with the very moves that the table has', () => {
    const [, listed] = /one that its table has[\s\S]*?\(values([\s\S]*?)\) as allowed/.exec(textOf('invariants.sql'))!
    const allowed = [...listed!.matchAll(/\('([a-z-]+)',\s+'([\w ]+)',\s+'([\w ]+)'\)/g)].flatMap(
      ([, action, starts, ends]) =>
        starts!.split(' ').flatMap((from) => ends!.split(' ').map((to) => `${from} ${action} ${to}`)),
    )
    const moves = invoiceLifecycle.rows.flatMap(({ action, from, outcome, to }) =>
      from.status.flatMap((status) => {
        const end = outcome === 'gone' ? 'gone' : 'status' in to ? to.status : status
        return end === status ? [] : [`${status} ${action} ${end}`]
      }),
    )
    const isMove = (move: string) => move.split(' ')[0] !== move.split(' ')[2]

    expect([...new Set(allowed.filter(isMove))].sort()).toEqual([...new Set(moves)].sort())
  })

  it('begins where they stand for invoices that are older than it', async () => {
    const own = await newWorld()
    const its = shopOf(own)
    const [paid, draft] = [await its.has('PARTIALLY_PAID'), await its.has('DRAFT')]
    await own.app.database.query('truncate invoice_transitions')
    const [backfill] = /insert into invoice_transitions[\s\S]*$/.exec(
      textOf('migrations/0010_invoice_transitions.sql'),
    )!

    await own.app.database.query(backfill)
    await its.records(paid.id)
    await its.records(draft.id)

    expect(await movesOf(paid.id, own)).toEqual([
      'create PARTIALLY_PAID',
      'PARTIALLY_PAID record-payment MARKED_AS_PAID',
    ])
    expect(await movesOf(draft.id, own)).toEqual(['DRAFT record-payment MARKED_AS_PAID'])
    await own.close()
  })

  it('cannot be changed, and an invoice that moves past it is found', async () => {
    const own = await newWorld()
    const { id } = await shopOf(own).has('SENT')
    const { query } = own.app.database
    for (const change of ["update invoice_transitions set to_status = 'PAID'", 'delete from invoice_transitions'])
      await expect(query(change)).rejects.toThrow('never changed')
    const broken = () => expect(assertInvariants(own.app.database)).rejects
    const put = (status: string) =>
      query(`update invoices set body = body || jsonb_build_object('status', $1::text, 'base_status', $1::text)`, [
        status,
      ])
    const log = (version: number, action: string, from: string, to: string) =>
      query(
        `insert into invoice_transitions select account_id, id, $2, $3, $4, $5, create_time from invoices where id = $1`,
        [id, version, action, from, to],
      )

    await put('SCHEDULED')
    await broken().toThrow('stands where its last move led')
    await log(3, 'send', 'DRAFT', 'SCHEDULED')
    await broken().toThrow('starts where the one before it ended')

    await query('truncate invoice_transitions')
    await broken().toThrow('stands where its last move led')
    await log(2, 'update', 'DRAFT', 'SCHEDULED')
    await broken().toThrow('one that its table has')

    await query('truncate invoices cascade')
    await broken().toThrow('only a deletion leaves moves alone')
    await query('truncate invoice_transitions')
    await own.close()
  })
})
