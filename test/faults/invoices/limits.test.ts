import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { act } from '../../../src/invoices/act.ts'
import { createTemplate } from '../../../src/invoices/templates/routes.ts'
import { Problem } from '../../../src/kernel/problem.ts'
import { INVOICES, type Listed, over, recipient, shopOf } from '../../support/shop.ts'
import { times } from '../../support/size.ts'
import { withoutGuard } from '../../support/unguarded.ts'
import { newWorld, type World } from '../../support/world.ts'

const AT_ONCE = times(24, 200)

/** Sends many requests at the same time and counts the answers by status. One that was put off is sent again. */
async function storm(call: (n: number) => Promise<{ status: number }>): Promise<Record<number, number>> {
  const insist = async (n: number): Promise<{ status: number }> => {
    const answer = await call(n)
    if (answer.status !== 503) return answer
    await new Promise((resolve) => setTimeout(resolve, 20 + n))
    return insist(n)
  }
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => insist(n)))
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** The same for work that goes around HTTP: a refusal counts by its status, success as 200. */
const attempt = async (work: Promise<unknown>): Promise<{ status: number }> =>
  work.then(
    () => ({ status: 200 }),
    (error: unknown) => ({ status: error instanceof Problem ? error.status : 500 }),
  )

describe(`Under ${AT_ONCE} requests at once`, () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  let accountId: string
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
    accountId = world.people.merchant.id
  })
  afterAll(() => world.close())

  const reminders = async (id: string) => (await shop.mails(id)).filter(({ kind }) => kind === 'reminder').length

  it('two reminders of an invoice go out in a day', async () => {
    const { id } = await shop.sends()

    const answers = await storm(() => world.merchant.post(shop.path(id, '/remind')))

    expect(answers).toEqual({ 204: 2, 422: AT_ONCE - 2 })
    expect(await reminders(id)).toBe(2)
  })

  it('and more than two would without the guard of the version', async () => {
    const { id } = await shop.sends()

    await storm(() =>
      attempt(
        world.app.transact((tx) => act(world.app.service, withoutGuard(tx), 'seller', { accountId, id }, 'remind', {})),
      ),
    )

    expect(await reminders(id)).toBeGreaterThan(2)
  })

  const to = (n: number) => over('100.00', { primary_recipients: [recipient(`customer-${n}@example.com`)] })

  it('the recipients of an invoice change twice in 72 hours', async () => {
    const { id } = await shop.drafts()

    const answers = await storm((n) => world.merchant.put(shop.path(id), to(n)))

    expect(answers).toEqual({ 200: 2, 422: AT_ONCE - 2 })
    expect(await shop.events(id)).toEqual(['CREATED', 'UPDATED', 'UPDATED'])
  })

  it('and would change more often without the guard of the version', async () => {
    const { id } = await shop.drafts()

    const answers = await storm((n) =>
      attempt(
        world.app.transact((tx) =>
          act(world.app.service, withoutGuard(tx), 'seller', { accountId, id }, 'update', {
            ...to(n),
            send_to_recipient: false,
            send_to_invoicer: false,
          }),
        ),
      ),
    )

    expect(answers[200]).toBeGreaterThan(2)
  })

  const countTemplates = async () => {
    const { rows } = await world.app.database.query<{ count: number }>(
      'select count(*)::int from invoice_templates where account_id = $1',
      [accountId],
    )
    return rows[0]!.count
  }

  it('a merchant with 45 templates gets five more', async () => {
    await world.app.transact(async (tx) => {
      for (let n = 0; n < 45; n++) await createTemplate(tx, accountId, { name: `Before ${n}` })
    })

    const answers = await storm((n) => world.merchant.post('/v2/invoicing/templates', { name: `Storm ${n}` }))

    expect(answers).toEqual({ 201: 5, 422: AT_ONCE - 5 })
    expect(await countTemplates()).toBe(50)
  })

  it('and more than that without holding the merchant', async () => {
    await world.app.database.query("delete from invoice_templates where body->>'name' like 'Storm%'")

    await storm((n) => attempt(world.app.transact((tx) => createTemplate(tx, accountId, { name: `Mutant ${n}` }))))

    expect(await countTemplates()).toBeGreaterThan(50)
  })

  const numbers = async () => {
    const { rows } = await world.app.database.query<{ number: string }>(
      "select body#>>'{detail,invoice_number}' as number from invoices where account_id = $1 and number_key like 'storm%'",
      [accountId],
    )
    return rows.map(({ number }) => number).sort()
  }
  const following = (first: number) =>
    Array.from({ length: AT_ONCE }, (_, n) => `STORM-${String(first + n).padStart(4, '0')}`)

  it('every invoice without a number gets its own, one after the other, and none is refused', async () => {
    await shop.drafts(over('1.00', {}, { invoice_number: 'STORM-0000' }))

    const answers = await storm((n) => world.merchant.post(INVOICES, over(`${n + 1}.00`)))

    expect(answers).toEqual({ 201: AT_ONCE })
    expect(await numbers()).toEqual(['STORM-0000', ...following(1)])
  })

  it('one of those that want the same number gets it', async () => {
    const answers = await storm(() => world.merchant.post(INVOICES, over('1.00', {}, { invoice_number: 'THE-ONE' })))

    expect(answers).toEqual({ 201: 1, 422: AT_ONCE - 1 })
    const { body } = await world.merchant.post<Listed>('/v2/invoicing/search-invoices', { invoice_number: 'the-one' })
    expect(body.items).toHaveLength(1)
  })

  it('and all of them would without the unique index', async () => {
    const { rows } = await world.app.database.query<{ indexdef: string }>(
      "select indexdef from pg_indexes where indexname = 'invoices_number'",
    )
    await world.app.database.query('drop index invoices_number')

    const answers = await storm(() => world.merchant.post(INVOICES, over('1.00', {}, { invoice_number: 'MANY' })))

    expect(answers).toEqual({ 201: AT_ONCE })
    await world.app.database.query("delete from invoices where number_key = 'many'")
    await world.app.database.query(rows[0]!.indexdef)
  })

  it('an invoice is paid by as many payments as cover it, never by more', async () => {
    const { id } = await shop.sends(over('5.00'))

    const answers = await storm(() =>
      world.merchant.post(shop.path(id, '/payments'), {
        method: 'CASH',
        amount: { currency_code: 'USD', value: '1.00' },
      }),
    )

    expect(answers[200]).toBe(5)
    expect(await shop.sees(id)).toMatchObject({
      status: 'MARKED_AS_PAID',
      payments: { paid_amount: { value: '5.00' } },
    })
  })

  it('an invoice is sent once and deleted once', async () => {
    const [sent, deleted] = [await shop.drafts(), await shop.drafts()]

    expect(await storm(() => world.merchant.post(shop.path(sent.id, '/send')))).toEqual({ 200: AT_ONCE })
    expect(await storm(() => world.merchant.delete(shop.path(deleted.id)))).toEqual({ 204: 1, 404: AT_ONCE - 1 })

    expect(await shop.events(sent.id)).toEqual(['CREATED', 'SENT'])
    expect(await shop.mails(sent.id)).toHaveLength(1)
  })
})
