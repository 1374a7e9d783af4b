import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newLiveWorld } from '../../support/live.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import { DISPUTES, does, open, type Problem, refusal, type Shown, sees } from './people.ts'

interface Page {
  readonly items: readonly Shown[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

const at = ({ links }: Page, rel: string): string | undefined => {
  const href = links.find((link) => link.rel === rel)?.href
  return href && `${new URL(href).pathname}${new URL(href).search}`
}

describe('The pages of a list', () => {
  const LAST_NUMBER = 50
  const PAGES = LAST_NUMBER + 4
  let world: World
  const ids: string[] = []
  beforeAll(async () => {
    world = await newWorld()
    for (let n = 0; n < PAGES; n++) {
      ids.unshift(await open(world.buyer))
      await world.pass('PT1S')
    }
    // Some have no due date any more.
    for (const id of [ids[1]!, ids[20]!, ids[52]!]) await does(world.buyer, id, 'cancel', {})
  })
  afterAll(() => world.close())

  /** Page by page of one dispute each, to the end or for so many steps. */
  async function walk(rel: 'next' | 'prev', from: string, steps = Number.POSITIVE_INFINITY) {
    const seen: string[] = []
    let last = from
    for (let next: string | undefined = from; next !== undefined && seen.length < steps; ) {
      const { body }: { body: Page } = await world.merchant.get<Page>(next)
      seen.push(...body.items.map(({ dispute_id }) => dispute_id))
      last = next
      next = at(body, rel)
    }
    return { seen, last }
  }
  const from = (page: number, query: string) => `${DISPUTES}?page_size=1&page=${page}&${query}`

  it.each([
    ['', 'in summary'],
    ['fields=all', 'whole'],
    ['sort_by=RESPONSE_DUE_DATE', 'by due date, those without one at the end'],
    ['sort_by=RESPONSE_DUE_DATE&sort_order=asc', 'by due date, the first to answer first'],
  ])('lead forth and back past the last number, with %s (%s)', async (query) => {
    const isWhole = query === ''
    const first = isWhole ? 1 : LAST_NUMBER - 3
    const large = (page: number) => world.merchant.get<Page>(`${DISPUTES}?page_size=50&page=${page}&${query}`)
    const order = [await large(1), await large(2)].flatMap(({ body }) => body.items.map(({ dispute_id }) => dispute_id))

    const forth = await walk('next', from(first, query))
    const back = await walk('prev', forth.last, isWhole ? undefined : forth.seen.length)

    expect(new Set(order)).toEqual(new Set(ids))
    expect(order).toHaveLength(PAGES)
    expect(forth.seen).toEqual(order.slice(first - 1))
    expect(back.seen).toEqual(forth.seen.toReversed())
    if (query.includes('DUE_DATE')) expect(order.slice(-3).sort()).toEqual([ids[1], ids[20], ids[52]].sort())
    else expect(order).toEqual(ids)
  })

  it('lead on again from a page that was reached backwards', async () => {
    const { last } = await walk('next', from(LAST_NUMBER, ''))
    const { body } = await world.merchant.get<Page>(last)
    const before = await world.merchant.get<Page>(at(body, 'prev')!)

    expect(before.body.items[0]!.dispute_id).toBe(ids[PAGES - 2])
    const again = await world.merchant.get<Page>(at(before.body, 'next')!)
    expect(again.body.items[0]!.dispute_id).toBe(ids[PAGES - 1])
  })
})

describe('A list without bounds', () => {
  it('holds what changed within 180 days', async () => {
    const world = await newWorld()
    const old = await open(world.buyer, { evidences: [{ notes: 'HOLD_IN_REVIEW' }] })
    const changed = await open(world.buyer, { evidences: [{ notes: 'HOLD_IN_REVIEW' }] })
    await world.pass('P100D')
    await does(world.buyer, changed, 'escalate', {})
    await world.pass('P81D')
    const found = async (query = '') =>
      (await world.merchant.get<Page>(`${DISPUTES}?${query}`)).body.items.map(({ dispute_id }) => dispute_id)

    expect(await found()).toEqual([changed])
    expect(await found('fields=all')).toEqual([changed])
    expect(await found(`update_time_before=${world.now()}`)).toEqual([changed])
    expect((await sees(world.merchant, old)).dispute_id).toBe(old)
    const counted = await world.merchant.get<{ total_items: number }>(`${DISPUTES}?total_required=true`)
    expect(counted.body.total_items).toBe(1)
    await world.close()
  })
})

describe('Bounds of an amount', () => {
  let world: World
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    world = await newWorld()
    for (const [currency_code, value] of [
      ['JPY', '500'],
      ['USD', '5.00'],
      ['KWD', '5.000'],
      ['KWD', '0.500'],
      ['JPY', '5'],
    ] as const)
      ids[`${currency_code} ${value}`] = await open(world.buyer, { amount: { currency_code, value } })
  })
  afterAll(() => world.close())

  const found = async (query: string) => {
    const { body } = await world.merchant.get<Page>(`${DISPUTES}?${query}`)
    return body.items.map(({ dispute_id }) => Object.keys(ids).find((name) => ids[name] === dispute_id)).sort()
  }

  it.each([
    ['dispute_amount_gte=5', ['JPY 5', 'JPY 500', 'KWD 5.000', 'USD 5.00']],
    ['dispute_amount_lte=5', ['JPY 5', 'KWD 0.500', 'KWD 5.000', 'USD 5.00']],
    ['dispute_amount_gte=4.5&dispute_amount_lte=5.5', ['JPY 5', 'KWD 5.000', 'USD 5.00']],
    ['dispute_amount_gte=0.501&dispute_amount_lte=4.9999', []],
    ['dispute_amount_gte=6&dispute_amount_lte=999999999999999', ['JPY 500']],
    ['dispute_amount_gte=999999999999999.9999', []],
    ['dispute_currency=JPY,KWD&dispute_amount_gte=6', ['JPY 500']],
    ['dispute_currency=KWD&dispute_amount_lte=0.5', ['KWD 0.500']],
    ['dispute_currency=JPY&dispute_amount_gte=4.5&dispute_amount_lte=5.4', ['JPY 5']],
  ])('mean the same in every currency: %s', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  it('are asked for in up to ten currencies, and refused for more', async () => {
    const others = ['AUD', 'BRL', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD']
    expect(await found(`dispute_currency=${[...others, 'jpy', 'JPY'].join()}`)).toEqual(['JPY 5', 'JPY 500'])

    const { status, body } = await world.merchant.get<{ details: object[] }>(
      `${DISPUTES}?dispute_currency=${[...others, 'USD', 'JPY'].join()}`,
    )
    expect([status, body.details]).toEqual([
      400,
      [expect.objectContaining({ field: 'dispute_currency', description: 'Ask for at most 10 currencies at once.' })],
    ])
  })

  it('find amounts as large as can be disputed', async () => {
    const own = await newWorld()
    const amount = { currency_code: 'JPY', value: '9000000000000000' }
    const id = await open(own.buyer, { amount })

    for (const query of ['dispute_amount_gte=5', 'dispute_amount_gte=5&dispute_currency=JPY,USD']) {
      const { status, body, text } = await own.merchant.get<Page>(`${DISPUTES}?${query}`)
      expect(status, text).toBe(200)
      expect(body.items.map(({ dispute_id }) => dispute_id)).toEqual([id])
    }
    await own.close()
  })
})

describe('Several payments that nobody authorised', () => {
  it('are disputed for the amount that the buyer names, shared among them', async () => {
    const world = await newWorld()
    const paid = async (value: string) =>
      (await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', { amount: usd(value) }))
        .body
    const payments = [await paid('10.00'), await paid('20.00')]
    const dispute = (value: string) =>
      world.buyer.post<Problem & Page>(DISPUTES, {
        reason: 'UNAUTHORISED',
        disputed_transactions: payments.map(({ buyer_transaction_id }) => ({ buyer_transaction_id })),
        dispute_amount: usd(value),
      })

    expect(refusal(await dispute('30.01'))).toBe('400 VALIDATION_ERROR INVALID_DISPUTE_AMOUNT')
    const opened = await dispute('15.00')

    expect(opened.status, opened.text).toBe(201)
    const id = opened.body.links[0]!.href.split('/').at(-1)!
    expect((await sees(world.merchant, id)).dispute_amount).toEqual(usd('15.00'))
    await does(world.merchant, id, 'accept-claim', { note: 'Right.' })
    const closed = await sees(world.merchant, id)
    expect(closed.refund_details?.transactions?.map(({ gross_amount }) => gross_amount)).toEqual([
      usd('5.00'),
      usd('10.00'),
    ])
    await world.close()
  })
})

describe('A simulated chargeback in live', () => {
  it('is forbidden whatever stands in the body', async () => {
    const live = await newLiveWorld()
    const seller = await live.personWithApp(live.people.merchant.id, ['disputes/update-seller'])

    for (const body of [{}, { transaction: 'none' }, { transaction: { id_enc: 'A' }, dispute: {} }]) {
      const answer = await seller.post<Problem>('/v2/customer-support/process-chargeback', body)
      expect(refusal(answer)).toBe('403 NOT_AUTHORIZED PERMISSION_DENIED')
    }
    await live.close()
  })
})
