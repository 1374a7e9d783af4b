import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { triggerValues } from '../../../src/disputes/routes/triggers.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { newLiveWorld } from '../../support/live.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import {
  canDo,
  DISPUTES,
  does,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
  open,
  type Problem,
  refusal,
  type Shown,
  sees,
} from './people.ts'

interface Page {
  readonly items: readonly Shown[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
  readonly total_items?: number
  readonly total_pages?: number
}

let world: World
const ids: string[] = []
let transaction: { buyer_transaction_id: string; seller_transaction_id: string }

beforeAll(async () => {
  world = await newWorld()
  const paid = await world.merchant.post<typeof transaction>('/sandbox/transactions', {
    amount: usd('40.00'),
    invoice_number: 'INV-1',
  })
  transaction = paid.body
  ids.push(await open(world.buyer, { amount: usd('10.00') }))
  ids.push(await open(world.buyer, { amount: usd('20.00'), reason: NOT_AS_DESCRIBED }))
  await world.pass('PT1H')
  ids.push(await open(world.buyer, { amount: usd('30.00'), reason: 'INCORRECT_AMOUNT' }))
  ids.push(await open(world.buyer, { amount: usd('40.00'), transaction: transaction.buyer_transaction_id }))
  await does(world.buyer, ids[3]!, 'cancel', {})
})
afterAll(() => world.close())

const list = (query: string, who = world.merchant) => who.get<Page>(`${DISPUTES}?${query}`)
const found = async (query: string, who = world.merchant) => {
  const { status, text, body } = await list(query, who)
  expect(status, text).toBe(200)
  return body.items.map(({ dispute_id }) => ids.indexOf(dispute_id))
}

describe('A list of disputes', () => {
  it('is newest first and shows the summary', async () => {
    const { body } = await list('')
    expect(body.items.map(({ dispute_id }) => ids.indexOf(dispute_id))).toEqual([3, 2, 1, 0])
    expect(Object.keys(body.items[1]!)).toEqual(
      expect.arrayContaining([
        ...['dispute_id', 'reason', 'status', 'dispute_state', 'dispute_life_cycle_stage', 'dispute_channel'],
        ...['dispute_amount', 'create_time', 'update_time', 'seller_response_due_date', 'links'],
      ]),
    )
    expect(body.items[0]).toMatchObject({ outcome: 'WON', status: 'RESOLVED' })
    expect(body.items[1]!.links.map(({ rel }) => rel)).toEqual([
      'self',
      'provide_supporting_info',
      'provide-supporting-info',
    ])
  })

  const filters: readonly [query: string, expected: readonly number[]][] = [
    ['dispute_state=REQUIRED_ACTION', [2, 1, 0]],
    ['dispute_state=RESOLVED', [3]],
    ['dispute_state=REQUIRED_ACTION,RESOLVED', [3, 2, 1, 0]],
    ['dispute_state=APPEALABLE', []],
    ['statuses=RESOLVED', [3]],
    [`reasons=${NOT_RECEIVED}`, [3, 0]],
    [`reasons=${NOT_RECEIVED},INCORRECT_AMOUNT&statuses=WAITING_FOR_SELLER_RESPONSE`, [2, 0]],
    ['dispute_channel=INTERNAL', [3, 2, 1, 0]],
    ['dispute_channel=EXTERNAL', []],
    ['dispute_life_cycle_stage=CHARGEBACK', [2]],
    ['dispute_currency=USD', [3, 2, 1, 0]],
    ['dispute_currency=EUR', []],
    ['dispute_amount_gte=20&dispute_amount_lte=30.00', [2, 1]],
    ['create_time_after=2026-03-02T10:00:00Z', [3, 2]],
    ['create_time_before=2026-03-02T10:00:00Z', [1, 0]],
    ['create_time_after=2026-03-02T09:00:00Z&create_time_before=2026-03-02T09:00:00.001Z', [1, 0]],
    ['update_time_after=2026-03-02T10:00:00.000Z', [3, 2]],
    ['update_time_before=2026-03-02T10:00:00%2B00:00', [1, 0]],
    ['start_time=2026-03-02T10:00:00Z', [3, 2]],
    ['response_due_date_before=2026-03-20T00:00:00Z', [2]],
    ['invoice_number=INV-1', [3]],
    ['email=BUYER@example.com', [3, 2, 1, 0]],
    ['name=sandbox%20buyer', [3, 2, 1, 0]],
    ['search_text=INV-1', [3]],
    ['search_text=Sandbox%20Buyer', [3, 2, 1, 0]],
    ['sort_order=asc', [0, 1, 2, 3]],
    ['sort_by=UPDATE_TIME&page_size=2', [3, 2]],
    ['sort_by=RESPONSE_DUE_DATE&sort_order=asc', [2, 0, 1, 3]],
    ['sort_by=RESPONSE_DUE_DATE', [1, 0, 2, 3]],
    ['sort_by=RESPONSE_DUE_DATE&response_due_date_before=2027-01-01T00:00:00Z', [1, 0, 2]],
    ['page=2&page_size=3', [0]],
    ['page=9', []],
    ['nonsense=1', [3, 2, 1, 0]],
  ]
  for (const [query, expected] of filters)
    it(`with ${query} finds what it should`, async () => {
      expect(await found(query)).toEqual(expected)
    })

  it('finds a payment by the ids that each side knows', async () => {
    const { buyer_transaction_id: buyers, seller_transaction_id: sellers } = transaction
    const by = (id: string, who = world.merchant) => found(`disputed_transaction_id=${id}`, who)

    expect([await by(buyers), await by(sellers)]).toEqual([[3], [3]])
    expect([await by(buyers, world.buyer), await by(sellers, world.buyer)]).toEqual([[3], []])
    expect(await by(buyers, world.otherMerchant)).toEqual([])
  })

  it('shows the buyer the mirrored state', async () => {
    expect(await found('dispute_state=REQUIRED_OTHER_PARTY_ACTION', world.buyer)).toEqual([2, 1, 0])
    expect(await found('dispute_state=REQUIRED_ACTION', world.buyer)).toEqual([])
  })

  it('is walked to its end by tokens, and by pages, with the same filters', async () => {
    for (const drop of ['page', 'next_page_token']) {
      const seen: number[] = []
      let next: string | undefined = `${DISPUTES}?page_size=1&dispute_state=REQUIRED_ACTION`
      while (next) {
        const { body }: { body: Page } = await world.merchant.get<Page>(next)
        seen.push(...body.items.map(({ dispute_id }) => ids.indexOf(dispute_id)))
        const link: string | undefined = body.links.find(({ rel }) => rel === 'next')?.href
        const url: URL | undefined = link === undefined ? undefined : new URL(link)
        url?.searchParams.delete(drop)
        next = url && `${url.pathname}${url.search}`
      }
      expect(seen).toEqual([2, 1, 0])
    }
  })

  it('counts when asked to', async () => {
    expect((await list('total_required=true&page_size=3')).body).toMatchObject({ total_items: 4, total_pages: 2 })
    expect((await list('total_required=true&search_text=INV-1')).body).toMatchObject({ total_items: 1 })
    expect((await list('page_size=3')).body).not.toHaveProperty('total_items')
  })

  const refusals: readonly [query: string, answer: string][] = [
    ['page_size=0', '400 VALIDATION_ERROR INVALID_PAGE_SIZE'],
    ['page_size=51', '400 VALIDATION_ERROR INVALID_PAGE_SIZE'],
    ['page_size=ten', '400 VALIDATION_ERROR INVALID_PAGE_SIZE'],
    ['page=51', '400 INVALID_REQUEST INVALID_INTEGER_MAX_VALUE'],
    ['start_time=yesterday', '400 VALIDATION_ERROR INVALID_START_TIME_FORMAT'],
    ['start_time=2025-01-01T00:00:00Z', '400 VALIDATION_ERROR INVALID_START_TIME_RANGE'],
    ['start_time=2027-01-01T00:00:00Z', '400 VALIDATION_ERROR DATE_CAN_NOT_BE_IN_FUTURE'],
    ['update_time_after=2025-01-01T00:00:00Z', '400 VALIDATION_ERROR INVALID_DATE_RANGE'],
    ['create_time_after=soon', '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX'],
    ['dispute_state=ANGRY', '400 INVALID_REQUEST INVALID_PARAMETER_VALUE'],
    ['next_page_token=AAAA', '400 INVALID_REQUEST INVALID_PARAMETER_VALUE'],
    ['start_time=2026-03-01T00:00:00Z&disputed_transaction_id=A', '400 INVALID_REQUEST INVALID_PARAMETER_VALUE'],
  ]
  for (const [query, answer] of refusals)
    it(`refuses ${query}`, async () => {
      expect(refusal(await world.merchant.get<Problem>(`${DISPUTES}?${query}`))).toBe(answer)
    })
})

describe('Trigger values', () => {
  it('simulate every error of the published tables, in the sandbox', async () => {
    const numbers = { show: '', list: '' } as Record<string, string>
    expect(triggerValues).toHaveLength(8 + 12 + 16 + 15 + 16 + 9 * 4)
    for (const { operation, value, answer } of triggerValues) {
      const response =
        operation === 'list'
          ? await world.merchant.get<Problem>(`${DISPUTES}?disputed_transaction_id=${value}`)
          : operation in numbers
            ? await world.merchant.get<Problem>(`${DISPUTES}/${value}`)
            : await does(world.merchant, value, operation, {})
      const expected = typeof answer === 'string' ? [400, 'VALIDATION_ERROR'] : [...answer]
      expect([response.status, response.body.name], value).toEqual(expected)
      if (typeof answer === 'string') expect(response.body.details[0]?.issue).toBe(answer)
    }
  })

  it('belong to their own operation and are case-sensitive', async () => {
    expect((await does(world.merchant, 'ERRDIS035', 'escalate', {})).status).toBe(404)
    expect((await does(world.merchant, 'errdis082', 'escalate', {})).status).toBe(404)
  })
})

describe('In live the words of the sandbox are ordinary words', () => {
  let live: World
  let seller: Person
  beforeAll(async () => {
    live = await newLiveWorld()
    seller = await live.personWithApp(live.people.merchant.id, ['disputes/read-seller', 'disputes/update-seller'])
  })
  afterAll(() => live.close())

  /** A payment that could happen to have these ids and this payer, disputed by its buyer. */
  async function disputed(buyer_transaction_id: string, email: string, notes: string): Promise<string> {
    const { merchant, buyer } = live.people
    await live.app.transact(async (tx) =>
      makeLedger(live.app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: merchant.id },
        buyer: { account_id: buyer.id, email },
        gross: usd('5.50'),
        buyer_transaction_id,
      }),
    )
    const customer = await live.personWithApp(buyer.id, ['disputes/create', 'disputes/read-buyer'])
    return open(customer, { transaction: buyer_transaction_id, amount: usd('5.50'), evidences: [{ notes }] })
  }

  it('so a value that would be a trigger names nothing, or whatever has that id', async () => {
    const id = await disputed('ERRDIS023', 'buyer@example.com', 'It never came.')

    for (const { operation, value } of triggerValues) {
      if (operation === 'list') {
        const { status, body } = await seller.get<Page>(`${DISPUTES}?disputed_transaction_id=${value}`)
        expect([status, body.items.map(({ dispute_id }) => dispute_id)], value).toEqual([
          200,
          value === 'ERRDIS023' ? [id] : [],
        ])
        continue
      }
      const answer =
        operation === 'show'
          ? await seller.get<Problem>(`${DISPUTES}/${value}`)
          : await does(seller, value, operation, {})
      expect(refusal(answer), value).toBe('404 RESOURCE_NOT_FOUND INVALID_RESOURCE_ID')
    }
  })

  it('so neither the address of a buyer nor the words of a statement change the rules', async () => {
    const agent = await live.personWithApp(live.people.buyer.id, ['operator'])
    const usual = await disputed('USUAL', 'buyer@example.com', 'It never came.')
    const odd = await disputed('ODD', 'noappeal@example.com', 'ACCELERATED_RESPONSE_ENABLED')
    const answers = async (id: string) => {
      const before = await sees(seller, id)
      await does(seller, id, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'Sent.' }] })
      await does(agent, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })
      return [before.seller_response_due_date?.slice(0, 10), await canDo(seller, id)]
    }

    const [first, second] = [await answers(usual), await answers(odd)]
    expect(second).toEqual(first)
    expect(second[1]).toContain('appeal')
  })
})
