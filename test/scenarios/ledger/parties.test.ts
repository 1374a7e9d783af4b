import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/schema.ts'
import { addAccount, findAccount, saveAccount } from '../../../src/accounts/store.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

interface Paid {
  readonly seller: { readonly merchant_id: string; readonly email: string }
  readonly buyer: { readonly email?: string; readonly name?: string }
}

async function pay(parties: { readonly seller_email?: string; readonly buyer_email?: string } = {}): Promise<Paid> {
  const { status, body } = await world.call<Paid>('POST', '/sandbox/transactions', { amount: usd('25.00'), ...parties })
  expect(status).toBe(201)
  return body
}

const change = (id: string, changes: Partial<Account>) =>
  world.app.transact(async (tx) => {
    const found = (await findAccount(tx, id))!
    saveAccount(tx, found, { ...found, ...changes })
  })

describe('A payment that a sandbox makes', () => {
  it('is from and to those who are there, as they are now', async () => {
    const { merchant, buyer } = world.people
    const before = await pay()
    expect(before.seller.merchant_id).toBe(merchant.id)

    await change(merchant.id, { email: 'new-merchant@example.com' })
    await change(buyer.id, { name: 'Another Name' })

    expect(await pay()).toMatchObject({
      seller: { merchant_id: merchant.id, email: 'new-merchant@example.com' },
      buyer: { name: 'Another Name' },
    })
  })

  it('is by the account whose address it names, from the moment there is one', async () => {
    const address = 'passer-by@example.com'
    expect((await pay({ buyer_email: address })).buyer).toEqual({ email: address, name: 'passer-by' })

    await world.app.transact(async (tx) => {
      const like = (await findAccount(tx, world.people.buyer.id))!
      addAccount(tx, { ...like, id: 'PASSERBYAAAAA', email: address, name: 'Known By Now', create_time: tx.now })
    })

    expect((await pay({ buyer_email: address })).buyer).toEqual({ email: address, name: 'Known By Now' })
  })

  it('is refused only until there is a business with the address it names', async () => {
    const address = 'new-shop@example.com'
    const paid = () => world.call('POST', '/sandbox/transactions', { amount: usd('25.00'), seller_email: address })
    expect(await paid()).toMatchObject({ status: 422, body: { details: [{ issue: 'SELLER_NOT_FOUND' }] } })

    await world.app.transact(async (tx) => {
      const like = (await findAccount(tx, world.people.merchant.id))!
      addAccount(tx, { ...like, id: 'NEWSHOPAAAAAA', email: address, name: 'New Shop', create_time: tx.now })
    })

    expect(await paid()).toMatchObject({ status: 201, body: { seller: { merchant_id: 'NEWSHOPAAAAAA' } } })
  })
})
