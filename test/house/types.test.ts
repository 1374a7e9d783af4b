import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { sql } from '../../src/database/sql.ts'
import { disputeAction } from '../../src/disputes/machine/action.ts'
import { route } from '../../src/http/route.ts'
import { invoiceAction } from '../../src/invoices/action.ts'
import { eventTypes } from '../../src/kernel/event-types.ts'

const body = Type.Object({})
const offer = { summary: '', scopes: [], body }
const input = 'id'
const words = { url: '', operation: '', summary: '', tag: '', scopes: [], success: {} }
const reading = { ...words, method: 'GET', reads: true } as const

/** Each of these must fail to compile: an unused expectation is itself an error of `npm run check`. */
export const impossible = [
  // @ts-expect-error an action cannot write the state: only the table can
  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'offered', changes: { status: 'RESOLVED' } }) }),

  // @ts-expect-error nor can it smuggle the state in with a spread
  disputeAction('make-offer', { ...offer, decide: (dispute) => ({ outcome: 'offered', changes: { ...dispute } }) }),

  // @ts-expect-error the table has no such outcome for this action
  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'exploded', changes: {} }) }),

  // @ts-expect-error the table has no such action
  disputeAction('explode', { ...offer, decide: () => ({ outcome: 'offered', changes: {} }) }),

  // @ts-expect-error an invoice's status is the table's to write, too
  invoiceAction('cancel', { summary: '', decide: () => ({ outcome: 'cancelled', changes: { status: 'PAID' } }) }),

  // @ts-expect-error nothing can be interpolated into fixed SQL
  () => sql`select ${input}`,

  // @ts-expect-error an operation that only reads is given no unit of work to write with
  route({ ...reading, handle: async ({ tx }) => tx }),

  // @ts-expect-error only events of the catalogue can be named
  eventTypes['INVOICING.INVOICE.EXPLODED'],
]

describe('What must not compile', () => {
  it('is written down, and the compiler agrees', () => {
    expect(impossible.length).toBeGreaterThan(0)
  })
})
