import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tx } from '../../../src/database/transaction.ts'
import type { Money } from '../../../src/kernel/money.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import type { NewPayment } from '../../../src/ledger/schema.ts'
import { findTransaction } from '../../../src/ledger/store.ts'
import { booksOf } from '../../support/books.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PAYMENT_FEE_PERCENT: '2.9' } })
})
afterAll(() => world.close())

/** A currency the seeded people have no money in, so that every book starts empty. */
const pln = (value: string): Money => ({ currency_code: 'PLN', value })
const accountId = () => world.people.merchant.id
const ledger = () => makeLedger(world.app.service)
const inBooks = <T>(work: (tx: Tx) => Promise<T> | T) => world.app.transact(async (tx) => work(tx))
const found = async (tx: Tx, id: string) => (await findTransaction(tx, accountId(), id))!

const captured = (value: string, more: Partial<NewPayment> = {}) =>
  inBooks((tx) =>
    ledger().capture(tx, {
      status: 'COMPLETED',
      seller: { account_id: accountId() },
      buyer: {},
      gross: pln(value),
      ...more,
    }),
  )

async function changeOf(work: () => Promise<unknown>): Promise<Record<string, bigint>> {
  const read = async () =>
    new Map(
      (await booksOf(world.app.database, accountId()))
        .filter(({ currency }) => currency === 'PLN')
        .map(({ book, amount }) => [book, amount]),
    )
  const before = await read()
  await work()
  const after = await read()
  return Object.fromEntries(
    [...after]
      .map(([book, amount]) => [book, amount - (before.get(book) ?? 0n)] as const)
      .filter(([, change]) => change !== 0n),
  )
}

describe('The books of a seller', () => {
  it('take in a payment less the fee of the service', async () => {
    expect(await changeOf(() => captured('100.00'))).toEqual({ payer: -10_000n, balance: 9_710n, fees: 290n })
  })

  it('keep a pending payment apart until it clears, and give it back when it is denied', async () => {
    const first = await captured('10.00', { status: 'PENDING' })
    const second = await captured('20.00', { status: 'PENDING' })

    const cleared = await changeOf(() =>
      inBooks(async (tx) => ledger().settle(tx, await found(tx, first.id), 'COMPLETED')),
    )
    const denied = await changeOf(() =>
      inBooks(async (tx) => ledger().settle(tx, await found(tx, second.id), 'DECLINED')),
    )

    expect(cleared).toEqual({ pending: -1_000n, balance: 971n, fees: 29n })
    expect(denied).toEqual({ pending: -2_000n, payer: 2_000n })
  })

  it('hold what is disputed and release it', async () => {
    const { id } = await captured('50.00')

    const held = await changeOf(() =>
      inBooks(async (tx) => ledger().placeHold(tx, await found(tx, id), pln('80.00'), 'D')),
    )
    const released = await changeOf(() => inBooks(async (tx) => ledger().releaseHold(tx, await found(tx, id), 'D')))

    expect(held).toEqual({ balance: -5_000n, hold: 5_000n })
    expect(released).toEqual({ balance: 5_000n, hold: -5_000n })
  })

  it('refund out of what is held first, and release the rest of it', async () => {
    const { id } = await captured('50.00', { hold: { amount: pln('50.00'), reference: 'D' } })

    const change = await changeOf(() =>
      inBooks(async (tx) => ledger().refund(tx, await found(tx, id), { kind: 'reversal', amount: pln('30.00') })),
    )

    expect(change).toEqual({ hold: -5_000n, balance: 2_000n, payer: 3_000n })
  })

  it('are charged fees even below zero', async () => {
    const charged = await changeOf(() =>
      inBooks((tx) => ledger().chargeFee(tx, accountId(), pln('15.00'), 'DISPUTE_FEE', 'D')),
    )

    expect(charged).toEqual({ balance: -1_500n, fees: 1_500n })
  })

  it('let the service bear a reversal that is cancelled, and the seller again when it stands after all', async () => {
    const { id } = await captured('50.00')
    const { refund } = await inBooks(async (tx) => ledger().refund(tx, await found(tx, id), { kind: 'reversal' }))

    const cancelled = await changeOf(() =>
      inBooks(async (tx) => ledger().turnReversal(tx, await found(tx, id), refund, 'CANCELLED')),
    )
    const reinstated = await changeOf(() =>
      inBooks(async (tx) =>
        ledger().turnReversal(tx, await found(tx, id), { ...refund, status: 'CANCELLED' }, 'COMPLETED'),
      ),
    )

    const again = inBooks(async (tx) => ledger().turnReversal(tx, await found(tx, id), refund, 'COMPLETED'))
    await expect(again).rejects.toThrow('is no reversal that could become COMPLETED')
    expect(cancelled).toEqual({ service: -5_000n, balance: 5_000n })
    expect(reinstated).toEqual({ service: 5_000n, balance: -5_000n })
  })

  it('record a declined payment and move nothing', async () => {
    expect(await changeOf(() => captured('5.00', { status: 'DECLINED' }))).toEqual({})
  })
})
