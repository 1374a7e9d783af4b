import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNTS_AT_ONCE_MAX } from '../../../src/accounts/consent.ts'
import { DISPUTES, open } from '../../scenarios/disputes/people.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'

const states = 'OPEN_INQUIRIES,REQUIRED_ACTION,REQUIRED_OTHER_PARTY_ACTION,UNDER_REVIEW,APPEALABLE,RESOLVED'

interface Page {
  readonly items: readonly { readonly dispute_id: string }[]
  readonly total_items?: number
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

describe('A partner of as many merchants as it is shown at once', () => {
  let world: World
  let partner: Person
  /** Newest first; of the first merchant, of the last, and of the first again. */
  const disputes: string[] = []
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    partner = await world.personWithApp(world.people.otherMerchant.id, ['disputes/read-partner'])
    const { rows } = await world.app.database.query<{ id: string }>(
      'select id from apps where account_id = $1 and not sandbox',
      [world.people.otherMerchant.id],
    )
    await world.app.database.query(
      `with made as (
         insert into accounts (id, body, create_time)
         select 'MANY' || lpad(n::text, 9, '0'),
           body || jsonb_build_object('id', 'MANY' || lpad(n::text, 9, '0'), 'email', 'many-' || n || '@example.com'), create_time
         from accounts, generate_series(1, $2::int) as n where id = $1 returning id, create_time)
       insert into consents (account_id, app_id, scopes, create_time)
       select id, $3, '{disputes/read-partner}', create_time from made`,
      [world.people.merchant.id, ACCOUNTS_AT_ONCE_MAX, rows[0]!.id],
    )
    for (const merchant of [1, ACCOUNTS_AT_ONCE_MAX, 1]) {
      await world.pass('PT1S')
      const { body } = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
        amount: usd('20.00'),
        seller_email: `many-${merchant}@example.com`,
      })
      disputes.unshift(await open(world.buyer, { transaction: body.buyer_transaction_id }))
    }
  })
  afterAll(() => world.close())

  const asks = (query: string) => partner.get<Page>(query.startsWith(DISPUTES) ? query : `${DISPUTES}?${query}`)
  const listed = async (query: string) => {
    const { status, body } = await asks(query)
    return [status, body.items?.map(({ dispute_id }) => dispute_id)]
  }

  it('lists the disputes of all of them by any states, in any order', async () => {
    expect(await listed('')).toEqual([200, disputes])
    expect(await listed(`dispute_state=${states}`)).toEqual([200, disputes])
    expect(await listed(`dispute_state=${states}&sort_order=asc`)).toEqual([200, disputes.toReversed()])
    expect(await listed(`dispute_state=${states}&sort_by=RESPONSE_DUE_DATE`)).toEqual([200, disputes])
    expect(await listed(`dispute_state=${states}&fields=all`)).toEqual([200, disputes])
  })

  it('finds one among all of them', async () => {
    expect(await listed(`dispute_state=${states}&search_text=${disputes[1]}`)).toEqual([200, [disputes[1]]])
    expect(await listed(`dispute_state=${states}&search_text=nobody&sort_by=RESPONSE_DUE_DATE`)).toEqual([200, []])
  })

  it('goes through them page by page, and is told how many there are', async () => {
    const seen: string[] = []
    let next: string | undefined = 'page_size=1&total_required=true'
    while (next) {
      const { body } = await asks(next)
      expect(body.total_items).toBe(disputes.length)
      seen.push(...body.items.map(({ dispute_id }) => dispute_id))
      const { pathname, search } = new URL(body.links.find(({ rel }) => rel === 'next')?.href ?? 'http://none.test')
      next = search ? pathname + search : undefined
    }

    expect(seen).toEqual(disputes)
  })
})
