import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql, statementOf } from '../../../src/database/sql.ts'
import type { Tx } from '../../../src/database/transaction.ts'
import { agreed } from '../../../src/invoices/payable.ts'
import { findByRecipientCode } from '../../../src/invoices/store.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { insertAttempt } from '../../../src/payer/pay/attempts.ts'
import { approve, conclude } from '../../../src/payer/pay/pay.ts'
import { openSheet, PUBLIC_URL, sentInvoice, shown } from '../../support/payer.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

const TABS = 50

const collected = async (invoiceId: string) => {
  const rows = await world.app.database.rows<{ sum: bigint | null }>(
    sql`select sum(captured)::bigint as sum from payment_transactions where invoice_id = $1 and body->>'status' = 'COMPLETED'`,
    [invoiceId],
  )
  return rows[0]!.sum ?? 0n
}

describe('Fifty tabs that pay one invoice at once', () => {
  it('collect exactly what is due', async () => {
    const { id, path } = await sentInvoice(world)
    const tabs = await Promise.all(Array.from({ length: TABS }, () => openSheet(world, path)))

    const answers = await Promise.all(tabs.map(({ send }) => send({ outcome: 'COMPLETED' })))

    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(statuses.every((status) => status === 303 || status === 422 || status === 409)).toBe(true)
    expect(await collected(id)).toBe(7421n)
    expect(await shown(world, id)).toMatchObject({ status: 'PAID', due_amount: usd('0.00') })
  })

  it('collect no more than is due when each pays a part', async () => {
    const { id, path } = await sentInvoice(world, {
      configuration: { partial_payment: { allow_partial_payment: true, minimum_amount_due: usd('1.00') } },
    })
    const tabs = await Promise.all(Array.from({ length: 20 }, () => openSheet(world, path, { amount: '10.00' })))

    const answers = await Promise.all(tabs.map(({ send }) => send({ outcome: 'COMPLETED' })))

    const paid = answers.filter(({ status }) => status === 303).length
    expect(paid).toBeGreaterThan(0)
    expect(paid).toBeLessThanOrEqual(7)
    expect(await collected(id)).toBe(1000n * BigInt(paid))
  })

  it('pay once when they all send the same form', async () => {
    const { id, path } = await sentInvoice(world)
    const { send } = await openSheet(world, path)

    const answers = await Promise.all(Array.from({ length: 10 }, () => send({ outcome: 'COMPLETED' })))

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(await collected(id)).toBe(7421n)
  })

  it('collect too much as soon as the guard on the version is taken away', async () => {
    const { id, code } = await sentInvoice(world)
    const { app } = world
    // The log takes one move from each version, which would catch it as well.
    await app.database.query('alter table invoice_transitions drop constraint invoice_transitions_pkey')
    const parts = { service: app.service, ledger: makeLedger(app.service) }
    const loosened = (tx: Tx): Tx =>
      new Proxy(tx, {
        get(target, name) {
          if (name === 'guard')
            return (statement: { text: string }, values: readonly unknown[]) =>
              target.write(statementOf(statement.text.replace('and version = $3', 'and $3::int is not null')), values)
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })

    await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        app.transact(async (real) => {
          const tx = loosened(real)
          const stored = (await findByRecipientCode(tx, code))!
          const attempt = approve(app.service, tx, stored, {
            ...agreed(stored, {}),
            buyer: {},
            nonce: tx.newId('nonce'),
          })
          insertAttempt(tx, (await conclude(parts, tx, stored, attempt, 'COMPLETED')).attempt)
        }),
      ),
    )

    expect(await collected(id)).toBeGreaterThan(7421n)
    await app.database.query('truncate invoices, invoice_transitions cascade')
  })
})
