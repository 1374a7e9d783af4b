import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../src/accounts/schema.ts'
import { type ActionDefinition, contextOf } from '../../src/invoices/action.ts'
import { type ActingAction, invoiceActions } from '../../src/invoices/actions/index.ts'
import { serviceLeft } from '../../src/invoices/actions/refund-payment.ts'
import { type InvoiceAction, invoiceLifecycle, refusalOf } from '../../src/invoices/lifecycle.ts'
import { linksOf } from '../../src/invoices/present.ts'
import { statuses } from '../../src/invoices/schema/enums.ts'
import type { Invoice } from '../../src/invoices/schema/invoice.ts'
import { compose } from '../../src/invoices/sums/compose.ts'
import { recordedLeft, settle } from '../../src/invoices/sums/settlement.ts'
import { after, type Instant } from '../../src/kernel/clock.ts'
import { countingIds } from '../../src/kernel/ids.ts'
import { toMinor, toMoney } from '../../src/kernel/money.ts'
import { Problem } from '../../src/kernel/problem.ts'
import { describedService } from '../../src/printed.ts'

const START = '2026-03-02T09:00:00.000Z' as Instant
const account = {
  id: 'M',
  email: 'merchant@example.com',
  time_zone: 'America/Los_Angeles',
  currency_code: 'USD',
} as Account
const ids = countingIds()
const usd = (minor: bigint) => toMoney(minor, 'USD')

function draft(invoice_date: string): Invoice {
  const composed = compose(
    {
      detail: { currency_code: 'USD', invoice_number: '1', invoice_date },
      primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }],
      items: [{ name: 'Work', quantity: '1', unit_amount: usd(10_000n) }],
      configuration: { allow_tip: true, partial_payment: { allow_partial_payment: true } },
    },
    { accountId: account.id, newId: () => ids.next('item') },
  )
  return {
    id: ids.next('invoice'),
    status: 'DRAFT',
    base_status: 'DRAFT',
    ...composed,
    detail: { ...composed.detail, metadata: { create_time: '2026-03-02T09:00:00Z' } },
    due_amount: usd(10_000n),
    payments: [],
    refunds: [],
    reminder_times: [],
    recipient_change_times: [],
  }
}

const roles = ['seller', 'buyer', 'clock'] as const
const actions = Object.keys(invoiceActions) as ActingAction[]

interface Step {
  readonly action: ActingAction
  readonly minor: bigint
  readonly pick: number
  readonly pending: boolean
  readonly hours: number
}
const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions.filter((action) => action !== 'delete')),
  minor: fc.bigInt({ min: 1n, max: 6_000n }),
  pick: fc.nat(5),
  pending: fc.boolean(),
  hours: fc.nat(40),
})

interface History {
  readonly invoice: Invoice
  readonly now: Instant
  readonly steps: readonly { readonly action: ActingAction; readonly emits: string; readonly before: Invoice }[]
}

/** What a caller would send with an action. */
function inputOf(invoice: Invoice, { action, minor, pick, pending }: Step): unknown {
  // Often the whole rest: that is what closes a balance.
  const upTo = (rest: bigint) => usd(pick < 3 && rest > 0n ? rest : minor)
  const named = (list: readonly string[]) => ({ transaction_id: list[pick % Math.max(list.length, 1)] ?? 'none' })
  switch (action) {
    case 'update':
      return {
        ...invoice,
        items: [{ name: 'Work', quantity: '1', unit_amount: usd(10_000n + minor) }],
        send_to_recipient: true,
        send_to_invoicer: true,
      }
    case 'record-payment':
      return { method: 'CASH', amount: upTo(toMinor(invoice.due_amount)) }
    case 'record-refund':
      return { method: 'CASH', amount: upTo(recordedLeft(invoice)) }
    case 'pay':
      return { transaction_id: ids.next('transaction'), amount: upTo(toMinor(invoice.due_amount)), pending }
    case 'refund-payment':
      return { refund_id: ids.next('transaction'), amount: upTo(serviceLeft(invoice)) }
    case 'delete-refund':
      return named(invoice.refunds.map(({ refund_id }) => refund_id))
    case 'delete-payment':
    case 'clear-payment':
    case 'deny-payment':
      return named(invoice.payments.map(({ payment_id }) => payment_id))
    default:
      return {}
  }
}

/** One more step of a history; one that is refused leaves everything as it was. */
function take(history: History, next: Step): History {
  const { invoice } = history
  const now = after(history.now, next.hours * 3600)
  const role = roles.find((role) => invoiceLifecycle.allows(invoice, [role], next.action))
  if (!role) return { ...history, now }
  const definition = invoiceActions[next.action] as unknown as ActionDefinition<ActingAction, unknown>
  try {
    const context = contextOf({ now, newId: (kind) => ids.next(kind) }, account)
    const { outcome, changes } = definition.decide(invoice, inputOf(invoice, next), context)
    const { to, emits } = invoiceLifecycle.follow(invoice, [role], next.action, outcome)
    const changed = { ...invoice, ...changes, ...to } as Invoice
    return { now, invoice: changed, steps: [...history.steps, { action: next.action, emits, before: invoice }] }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { ...history, now }
  }
}

const anyHistory = fc
  .tuple(fc.constantFrom('2026-03-01', '2026-03-05'), fc.array(step, { maxLength: 40 }))
  .map(([date, steps]) => steps.reduce(take, { invoice: draft(date), now: START, steps: [] as History['steps'] }))

describe('After any history of actions', () => {
  it('the status is what the base and the money say', () => {
    fc.assert(
      fc.property(anyHistory, ({ invoice }) => {
        const { outcome } = settle(invoice)
        if (invoice.status === 'CANCELLED') expect(outcome).toBe('unpaid')
        else if (outcome === 'unpaid') expect(invoice.status).toBe(invoice.base_status)
        else expect(['DRAFT', 'SCHEDULED', 'SENT', 'CANCELLED']).not.toContain(invoice.status)
      }),
      { numRuns: 400 },
    )
  })

  it('no more is paid than the total and no more refunded than paid, and what is due is the rest', () => {
    fc.assert(
      fc.property(anyHistory, ({ invoice }) => {
        const { paid, refunded, due } = settle(invoice)
        expect(paid <= toMinor(invoice.amount) && refunded <= paid).toBe(true)
        expect(invoice.due_amount).toEqual(usd(due))
      }),
      { numRuns: 400 },
    )
  })

  it('every change of the money or the status is told, by one event', () => {
    fc.assert(
      fc.property(anyHistory, ({ invoice, steps }) => {
        for (const [i, { emits, before }] of steps.entries()) {
          const after = steps[i + 1]?.before ?? invoice
          const isTold = emits !== 'nothing'
          const isChanged =
            before.status !== after.status || before.payments !== after.payments || before.refunds !== after.refunds
          if (isChanged) expect(isTold).toBe(true)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('what a link offers is allowed, and what is never allowed has no link', () => {
    const actionOf: Record<string, InvoiceAction> = {
      replace: 'update',
      send: 'send',
      delete: 'delete',
      cancel: 'cancel',
      remind: 'remind',
      'record-payment': 'record-payment',
      'record-refund': 'record-refund',
      'qr-code': 'qr-code',
    }
    fc.assert(
      fc.property(anyHistory, ({ invoice }) => {
        for (const { rel } of linksOf(describedService, invoice))
          if (rel !== 'self') expect(refusalOf(invoice.status, actionOf[rel]!)).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })

  it('every status can be reached, so the walks see the whole table', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyHistory, ({ invoice, steps }) => {
        for (const { status } of [invoice, ...steps.map(({ before }) => before)]) seen.add(status)
      }),
      { numRuns: 1_500, seed: 3 },
    )
    expect([...seen].sort()).toEqual([...statuses].sort())
  })
})
