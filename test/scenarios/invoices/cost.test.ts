import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, over, shopOf } from '../../support/shop.ts'
import { statementsOf } from '../../support/statements.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

describe('What operations cost', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    shop = shopOf(world)
    await shop.drafts()
  })
  afterAll(() => world.close())

  const items = Array.from({ length: 20 }, (_, n) => ({
    name: `Line ${n}`,
    description: 'Something that takes a sentence to describe.',
    quantity: '2',
    unit_amount: usd('9.99'),
    tax: { name: 'VAT', percent: '19' },
  }))

  /** The statements of a call that succeeds. */
  const sentBy = (call: () => Promise<{ status: number }>) =>
    statementsOf(world, async () => expect((await call()).status).toBeLessThan(300))

  /** The least of a few: a token that was just looked up is known, and then the read is all there is. */
  const leastReadBy = async (path: string) => {
    const counts: number[] = []
    for (let n = 0; n < 5; n++)
      counts.push((await statementsOf(world, () => world.merchant.get(path), { lookUps: true })).length)
    return Math.min(...counts)
  }

  it('an invoice of twenty lines with a number is one statement, which writes everything', async () => {
    const statements = await sentBy(() =>
      world.merchant.post(INVOICES, over('1.00', { items }, { invoice_number: 'COST-1' })),
    )

    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatch(/insert into invoices/)
  })

  it('one without a number is one too, and no lock', async () => {
    await shop.drafts()
    const statements = await sentBy(() => world.merchant.post(INVOICES, over('1.00', { items })))

    expect(statements).toHaveLength(1)
    expect(statements.filter((text) => /for (no key )?update|^begin/.test(text))).toEqual([])
  })

  it('showing an invoice is one statement', async () => {
    const { id } = await shop.drafts(over('1.00', { items }))

    expect(await leastReadBy(shop.path(id))).toBe(1)
  })

  it('an action is two, read and write, also where mail is counted', async () => {
    const { id } = await shop.drafts(over('1.00', { items }))

    const sending = await sentBy(() => world.merchant.post(shop.path(id, '/send')))
    expect(sending).toHaveLength(2)
    expect(sending.filter((text) => /into quotas/.test(text))).toHaveLength(1)
    expect(await sentBy(() => world.merchant.post(shop.path(id, '/payments'), { method: 'CASH' }))).toHaveLength(2)
  })

  it('a page is one', async () => {
    expect(await leastReadBy(INVOICES)).toBe(1)
  })
})
