import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { over } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

const INVOICES = '/v2/invoicing/invoices'
const SMALL_PAGE = `${INVOICES}?page_size=1&fields=none`

/** With a number of its own, so that it waits for no other. */
const large = (number: string) =>
  over('1.00', {
    detail: { currency_code: 'USD', invoice_number: number },
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
  afterAll(() => {
    vi.restoreAllMocks()
    return world.close()
  })

  const useUp = async () => {
    const made = await Promise.all(Array.from({ length: 50 }, (_, i) => world.merchant.post(INVOICES, large(`L${i}`))))
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
  }

  it('whoever used theirs up waits while others call, and is told to come back when too many wait', async () => {
    await useUp()
    // Slower than it is goes the time in which a share comes back and whoever called is forgotten: on a busy machine a call may
    // take seconds.
    const began = performance.now()
    const real = performance.now.bind(performance)
    const time = vi.spyOn(performance, 'now').mockImplementation(() => began + (real() - began) / 5)
    await world.otherMerchant.get(SMALL_PAGE)
    const answered: string[] = []
    const ask = async (who: 'merchant' | 'otherMerchant') => {
      const { status, headers } = await world[who].get(SMALL_PAGE)
      answered.push(`${who} ${status}`)
      return { status, after: headers['retry-after'] }
    }
    const asked = Array.from({ length: 104 }, () => ask('merchant'))
    await Promise.all([1, 2, 3].map(() => ask('otherMerchant')))

    const before = answered.slice(0, answered.lastIndexOf('otherMerchant 200') + 1)
    expect(before.filter((line) => line === 'otherMerchant 200')).toHaveLength(3)
    expect(before).not.toContain('merchant 200')

    // Nobody else calls any more, so those who wait go on.
    time.mockRestore()
    const answers = await Promise.all(asked)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(answers.filter(({ status }) => status === 429).map(({ after }) => after)).toEqual(['1', '1', '1', '1'])
  })
})
