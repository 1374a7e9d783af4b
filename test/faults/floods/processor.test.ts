import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { over } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

const INVOICES = '/v2/invoicing/invoices'
const SMALL_PAGE = `${INVOICES}?page_size=1&fields=none`

const large = over('1.00', {
  items: Array.from({ length: 100 }, (_, i) => ({
    name: `Item ${i}`,
    description: 'words and more words '.repeat(45),
    quantity: '1',
    unit_amount: { currency_code: 'USD', value: '1.00' },
  })),
})

/**
 * A hundredth of a process is ten milliseconds a second, so some large calls are seconds of it, on any machine: also on one whose
 * other processes had most of the time that they took, which is not counted.
 */
describe('With a share of the processor for each account', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { PROCESSOR_SHARE_PERCENT: '1' } })
  })
  afterAll(() => world.close())

  const useUp = async () => {
    const made = await Promise.all(Array.from({ length: 25 }, () => world.merchant.post(INVOICES, large)))
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
  }

  it('whoever used theirs up waits while others call, and is told to come back when too many wait', async () => {
    await useUp()
    await world.otherMerchant.get(SMALL_PAGE)
    const answered: string[] = []
    const ask = async (who: 'merchant' | 'otherMerchant') => {
      const { status, headers } = await world[who].get(SMALL_PAGE)
      answered.push(`${who} ${status}`)
      return { status, after: headers['retry-after'] }
    }
    const asked = Array.from({ length: 104 }, () => ask('merchant'))
    // At once: between one and the next this process may stand still for so long that nobody else counts as there.
    await Promise.all([1, 2, 3].map(() => ask('otherMerchant')))

    const before = answered.slice(0, answered.lastIndexOf('otherMerchant 200') + 1)
    expect(before.filter((line) => line === 'otherMerchant 200')).toHaveLength(3)
    expect(before).not.toContain('merchant 200')

    // Nobody else calls any more, so those who wait go on.
    const answers = await Promise.all(asked)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(answers.filter(({ status }) => status === 429).map(({ after }) => after)).toEqual(['1', '1', '1', '1'])
  })
})
