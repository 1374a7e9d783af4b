import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statementOf } from '../../../src/database/sql.ts'
import type { Tx } from '../../../src/database/transaction.ts'
import { toMinor } from '../../../src/kernel/money.ts'
import { Problem } from '../../../src/kernel/problem.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { payFromService } from '../../../src/ledger/movements.ts'
import { findTransaction } from '../../../src/ledger/store.ts'
import { booksOf } from '../../support/books.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const seller = () => ({ account_id: world.people.merchant.id })
const ledger = () => makeLedger(world.app.service)

const paid = (value: string) =>
  world.app.transact(async (tx) =>
    ledger().capture(tx, { status: 'COMPLETED', seller: seller(), buyer: {}, gross: usd(value) }),
  )

async function outcomes(count: number, work: (tx: Tx) => Promise<unknown>): Promise<Record<string, number>> {
  const results = await Promise.all(
    Array.from({ length: count }, () =>
      world.app.transact(work).then(
        () => 'done',
        (error: unknown) => (error instanceof Problem ? (error.details[0]?.issue ?? error.name) : String(error)),
      ),
    ),
  )
  return Object.fromEntries([...new Set(results)].map((name) => [name, results.filter((r) => r === name).length]))
}

describe('Refunds that race', () => {
  it('for one payment give back exactly what was paid', async () => {
    const { id } = await paid('100.00')

    const counted = await outcomes(60, async (tx) => {
      const found = await findTransaction(tx, seller().account_id, id)
      ledger().refund(tx, found!, { kind: 'refund', amount: usd('30.00') })
    })

    expect(counted['done']).toBe(3)
    expect((await findTransaction(world.app.database, seller().account_id, id))!.transaction.refunded).toEqual(
      usd('90.00'),
    )
  })

  it('give back more than was paid as soon as the guard on the version is taken away', async () => {
    const { id } = await paid('100.00')
    const unguarded = (tx: Tx): Tx => {
      const loose = (statement: { text: string }, values: readonly unknown[]) =>
        tx.write(statementOf(statement.text.replace(' and version = $3', ' and $3::int is not null')), values)
      return new Proxy(tx, {
        get: (target, name) => {
          if (name === 'guard') return loose
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    }

    const counted = await outcomes(20, async (tx) => {
      const found = await findTransaction(tx, seller().account_id, id)
      await Promise.resolve()
      ledger().refund(unguarded(tx), found!, { kind: 'refund', amount: usd('100.00') })
    })
    const broken = await world.app.database.rows<{ refunds: bigint }>(
      statementOf('select sum(amount)::bigint as refunds from payment_refunds where transaction_id = $1'),
      [id],
    )

    expect(counted['done']).toBeGreaterThan(1)
    expect(broken[0]!.refunds).toBeGreaterThan(toMinor(usd('100.00')))
    await world.app.database.query('truncate ledger_entries, ledger_balances, payment_refunds, payment_transactions')
  })

  it('for several payments never overdraw the seller', async () => {
    const accountId = world.people.otherMerchant.id
    const payments = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.app.transact(async (tx) =>
          ledger().capture(tx, {
            status: 'COMPLETED',
            seller: { account_id: accountId },
            buyer: {},
            gross: { currency_code: 'PLN', value: '50.00' },
          }),
        ),
      ),
    )
    // Most of the money is gone elsewhere, so that only three refunds are covered.
    await world.app.transact(async (tx) =>
      ledger().chargeFee(tx, accountId, { currency_code: 'PLN', value: '350.00' }, 'TEST_FEE', 'test'),
    )

    const results = await Promise.all(
      payments.map(({ id }) =>
        outcomes(1, async (tx) => {
          const found = await findTransaction(tx, accountId, id)
          ledger().refund(tx, found!, { kind: 'refund' })
        }),
      ),
    )
    const balances = await booksOf(world.app.database, accountId)

    expect(results.filter((counted) => counted['done'] === 1)).toHaveLength(3)
    expect(results.filter((counted) => counted['REFUND_FAILED_INSUFFICIENT_FUNDS'] === 1)).toHaveLength(7)
    expect(balances.find(({ book, currency }) => book === 'balance' && currency === 'PLN')!.amount).toBe(0n)
  })
})

describe('Ledger entries', () => {
  const one = (entry: string) => statementOf(`insert into ledger_entries values ${entry}`)
  const now = "'2026-03-02T09:00:00.000Z'"

  it('are refused when a transaction does not add up to zero', async () => {
    await expect(
      world.app.database.rows(one(`('A', 'T', 1, 'balance', 'USD', 5, 'K', 'R', false, ${now})`)),
    ).rejects.toThrow(/does not balance/)
  })

  it('cannot be changed or deleted', async () => {
    await world.app.transact(async (tx) =>
      payFromService(tx, seller().account_id, usd('1.00'), { kind: 'K', reference: 'R', to: 'balance' }),
    )

    await expect(world.app.database.rows(statementOf('update ledger_entries set amount = 1'))).rejects.toThrow(
      /never changed/,
    )
    await expect(world.app.database.rows(statementOf('delete from ledger_entries'))).rejects.toThrow(/never changed/)
  })
})
