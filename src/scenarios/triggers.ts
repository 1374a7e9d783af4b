import { type EventType, eventTypes } from '../kernel/event-types.ts'
import { libraryScenario } from './library.ts'
import type { Scenario } from './scenario.ts'

/** How an event is made to happen: by a scenario up to the step that has it, or, for what never happens, by a simulation. */
type Recipe = readonly [scenario: string, until: string] | 'simulated'

/** One recipe for every event there is. None of these stories waits, so no clock is moved. */
// biome-ignore format: a table reads best as a table
const recipes = {
  'CHECKOUT.ORDER.APPROVED':            ['approval-reversed', 'reversed'],
  'CHECKOUT.ORDER.COMPLETED':           'simulated',
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED': ['approval-reversed', 'reversed'],
  'PAYMENT.CAPTURE.PENDING':            ['pending-payment-denied', 'pending'],
  'PAYMENT.CAPTURE.COMPLETED':          ['approval-reversed', 'pay'],
  'PAYMENT.CAPTURE.DENIED':             ['pending-payment-denied', 'deny'],
  'PAYMENT.CAPTURE.DECLINED':           'simulated',
  'PAYMENT.CAPTURE.REFUNDED':           ['partial-payments-and-refunds', 'give_back'],
  'PAYMENT.CAPTURE.REVERSED':           ['seller-loses-and-appeals', 'lose'],
  'CUSTOMER.DISPUTE.CREATED':           ['seller-wins', 'open'],
  'CUSTOMER.DISPUTE.UPDATED':           ['offer-accepted', 'talk'],
  'CUSTOMER.DISPUTE.RESOLVED':          ['seller-wins', 'decide'],
  'RISK.DISPUTE.CREATED':               'simulated',
  'INVOICING.INVOICE.CREATED':          ['scheduled-invoice', 'draft'],
  'INVOICING.INVOICE.SENT':             ['changed-and-cancelled', 'send'],
  'INVOICING.INVOICE.SCHEDULED':        ['scheduled-invoice', 'schedule'],
  'INVOICING.INVOICE.UPDATED':          ['changed-and-cancelled', 'change'],
  'INVOICING.INVOICE.PAID':             ['approval-reversed', 'pay'],
  'INVOICING.INVOICE.REFUNDED':         ['partial-payments-and-refunds', 'give_back'],
  'INVOICING.INVOICE.CANCELLED':        ['changed-and-cancelled', 'cancel'],
} as const satisfies Record<EventType, Recipe>

export const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name)

/** What makes the event happen: a scenario to play to its end. Undefined for an event that can only be simulated. */
export function recipeFor(event: EventType): Scenario | undefined {
  const recipe: Recipe = recipes[event]
  if (recipe === 'simulated') return undefined
  const [name, until] = recipe
  const scenario = libraryScenario(name)
  const last = scenario.steps.findIndex(({ step }) => step === until)
  return { ...scenario, name: event, steps: scenario.steps.slice(0, last + 1) }
}

/** Thrown for an override that fits no step; the message says what does fit. */
export class NoSuchOverride extends Error {}

/**
 * The scenario, with other values in what its steps send: `open.dispute_amount.value=12.00`. What its author expected no longer
 * applies.
 */
export function overridden(scenario: Scenario, overrides: readonly string[]): Scenario {
  const steps = scenario.steps.map((step) => ({ ...step, expect: {} }))
  for (const override of overrides) {
    const [, path = '', value = ''] = /^([^=]+)=(.*)$/s.exec(override) ?? []
    const [name, ...keys] = path.split('.')
    const i = steps.findIndex(({ step, call }) => step === name && call !== undefined)
    if (i < 0 || keys.length === 0)
      throw new NoSuchOverride(
        `An override is step.path=value, such as ${steps.find(({ body }) => body !== undefined)?.step ?? 'step'}.note=text; the steps are ${steps.map(({ step }) => step).join(', ')}.`,
      )
    steps[i] = { ...steps[i]!, body: withValue(steps[i]!.body ?? {}, keys, readValue(value)) }
  }
  return { ...scenario, steps }
}

/** Read as JSON when it looks like a structure, and taken as text otherwise: an amount is text on the wire. */
function readValue(text: string): unknown {
  if (!/^(\{|\[|"|true$|false$|null$)/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function withValue(given: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(given))
    return Object.assign([...given], { [key]: withValue(given[Number(key)], rest, value) }) as unknown[]
  const fields = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  return { ...fields, [key]: withValue(fields[key] ?? {}, rest, value) }
}
