import { Type } from 'typebox'
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
const writing = { ...words, method: 'POST' } as const

/**
 * Each thing that must not compile stands below its twin that does and differs in nothing else: so it is that difference
 * that the compiler refuses. An expectation of an error that is not there is itself an error.
 */
export const pairs = [
  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'proposed', changes: { accelerated: true } }) }),
  // @ts-expect-error an action cannot write the state: only the table can
  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'proposed', changes: { status: 'RESOLVED' } }) }),
  // @ts-expect-error nor where it stands otherwise
  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'proposed', changes: { finality: 'FINAL' } }) }),

  disputeAction('make-offer', {
    ...offer,
    decide: ({ offer: made }) => ({ outcome: 'proposed', changes: { offer: made } }),
  }),
  // @ts-expect-error nor can it smuggle the state in with a spread
  disputeAction('make-offer', { ...offer, decide: (dispute) => ({ outcome: 'proposed', changes: { ...dispute } }) }),

  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'proposed', changes: {} }) }),
  // @ts-expect-error the table has no such outcome for this action
  disputeAction('make-offer', { ...offer, decide: () => ({ outcome: 'exploded', changes: {} }) }),
  // @ts-expect-error the table has no such action
  disputeAction('explode', { ...offer, decide: () => ({ outcome: 'proposed', changes: {} }) }),

  invoiceAction('cancel', { summary: '', decide: () => ({ outcome: 'cancelled', changes: {} }) }),
  // @ts-expect-error an invoice's status is the table's to write, too
  invoiceAction('cancel', { summary: '', decide: () => ({ outcome: 'cancelled', changes: { status: 'PAID' } }) }),

  () => sql`select 'id'`,
  // @ts-expect-error nothing can be interpolated into fixed SQL
  () => sql`select ${input}`,

  route({ ...reading, handle: async ({ db }) => db }),
  route({ ...writing, handle: async ({ tx }) => tx }),
  // @ts-expect-error an operation that only reads is given no unit of work to write with
  route({ ...reading, handle: async ({ tx }) => tx }),

  eventTypes['INVOICING.INVOICE.PAID'],
  // @ts-expect-error only events of the catalogue can be named
  eventTypes['INVOICING.INVOICE.EXPLODED'],
]
