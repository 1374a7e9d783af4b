import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { json, run } from '../../support/command.ts'
import { newLiveWorld } from '../../support/live.ts'
import { usd, type World } from '../../support/world.ts'
import { open, sees } from '../disputes/people.ts'

const invoice = { detail: { currency_code: 'USD' }, items: [{ name: 'A', quantity: '1', unit_amount: usd('10') }] }

describe('What the operator says of an account in live', () => {
  let world: World
  let variables: Record<string, string>
  beforeAll(async () => {
    world = await newLiveWorld()
    const { secret } = { secret: 'a secret of a live service, long enough' }
    variables = { QUITTANCE_ENVIRONMENT: 'live', DATABASE_URL: world.databaseUrl, QUITTANCE_SECRET: secret }
  })
  afterAll(() => world.close())

  it('stands on its templates', async () => {
    const { id } = await json<{ id: string }>(
      ['accounts', 'create', '--email', 'new@example.com', '--name', 'New', '--country', 'DE', '--currency', 'EUR'],
      variables,
    )
    await json(
      ['accounts', 'update', id, '--street', 'Am Markt 1', '--city', 'Bremen', '--postal-code', '28195'],
      variables,
    )
    await json(['accounts', 'update', id, '--phone', '+49 421 5550100', '--city', 'Bremen-Mitte'], variables)
    const merchant = await world.personWithApp(id, ['invoicing'])

    const { body } = await merchant.get('/v2/invoicing/templates')
    expect(body).toMatchObject({
      addresses: [
        { address_line_1: 'Am Markt 1', admin_area_2: 'Bremen-Mitte', postal_code: '28195', country_code: 'DE' },
      ],
      phones: [{ country_code: '49', national_number: '4215550100' }],
    })
  })

  it('decides whether its disputes start as claims, and nothing else changes with it', async () => {
    const { id } = world.people.merchant
    const before = await json<object[]>(['accounts', 'list'], variables)
    expect((await run(['accounts', 'update', id, '--inquiry-opt-out', 'perhaps'], variables)).code).toBe(2)
    await json(['accounts', 'update', id, '--inquiry-opt-out', 'yes'], variables)
    expect(await json(['accounts', 'list'], variables)).toEqual(before)

    const buyer = await world.personWithApp(world.people.buyer.id, defaultScopes('PERSONAL', ['disputes']))
    const { capture } = makeLedger(world.app.service)
    const stageOfNext = async () => {
      const [seller, payer] = [{ account_id: id }, { account_id: world.people.buyer.id }]
      const paid = await world.app.transact(async (tx) =>
        capture(tx, { status: 'COMPLETED', seller, buyer: payer, gross: usd('20.00') }),
      )
      const dispute = await open(buyer, { transaction: paid.buyer_transaction_id })
      return (await sees(buyer, dispute)).dispute_life_cycle_stage
    }
    expect(await stageOfNext()).toBe('CHARGEBACK')
    await json(['accounts', 'update', id, '--inquiry-opt-out', 'no'], variables)
    expect(await stageOfNext()).toBe('INQUIRY')
  })

  it('lets a business invoice, and nobody else', async () => {
    const business = await world.personWithApp(world.people.merchant.id, ['invoicing'])
    const person = await world.personWithApp(world.people.buyer.id, ['invoicing'])

    expect((await business.post('/v2/invoicing/invoices', invoice)).status).toBe(201)
    const refused = await person.post<{ name: string }>('/v2/invoicing/invoices', invoice)
    expect([refused.status, refused.body.name]).toEqual([403, 'NOT_AUTHORIZED'])
  })
})
