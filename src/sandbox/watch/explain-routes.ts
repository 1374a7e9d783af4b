import type { Reader } from '../../database/transaction.ts'
import { disputeConsequences, ifNobodyActs } from '../../disputes/machine/consequences.ts'
import type { Rules } from '../../disputes/machine/rules.ts'
import { nodeName } from '../../disputes/machine/step.ts'
import { findDispute } from '../../disputes/store.ts'
import { SEQ_END } from '../../http/keyset.ts'
import { type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import { invoiceConsequences, invoiceUnattended } from '../../invoices/consequences.ts'
import { recipientCode } from '../../invoices/schema/codes.ts'
import { findByRecipientCode } from '../../invoices/store.ts'
import type { Role } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { SandboxParts } from '../parts.ts'
import { DueShown, presentDue } from './due-routes.ts'
import { findRequest } from './request-log.ts'
import { findThreads, type HappeningRow } from './timeline.ts'
import { presentHappening } from './timeline-routes.ts'
import { nodeWords, ruleOf } from './words.ts'

const kinds = ['dispute', 'invoice', 'event', 'delivery', 'request'] as const
type Kind = (typeof kinds)[number]

const THREADS_MAX = 500
const DUE_MAX = 200

const Story = Type.Object({
  seq: Type.Integer(),
  kind: Type.String(),
  time: Type.String(),
  real_time: Type.String(),
  summary: Type.String(),
  trouble: Type.Boolean(),
  account_id: Type.Optional(Type.String()),
  ref: Type.Optional(Type.String()),
  details: Type.Object({}, { additionalProperties: true }),
  thread: Type.String({ description: 'What led to it: the debug id of a request, or that and a number.' }),
  rule: Type.Optional(Type.String({ description: 'Of a move: the row of the table it followed.' })),
})
const Explanation = Type.Object(
  {
    kind: Type.Enum([...kinds]),
    id: Type.String(),
    standing: Type.String({ description: 'How it stands now, in words.' }),
    story: Type.Array(Story, { description: 'All that led there, oldest first, as far as the sandbox remembers.' }),
    due: Type.Array(DueShown, { description: 'What lies ahead for it.' }),
    possible: Type.Optional(
      Type.Array(Type.String(), {
        description: 'What each party may do now and where it leads, and what nobody doing anything does.',
      }),
    ),
  },
  { $id: 'Explanation' },
)

/** Why something is as it is. */
export const explainRoutes = ({ recorder, travel, disputeRules: rules }: SandboxParts): AnyRoute[] => [
  route({
    ...sandboxOnly,
    method: 'GET',
    watches: true,
    url: '/sandbox/explain/:kind/:id',
    operation: 'explainInSandbox',
    summary: 'Tell why something is as it is: requests, rules, timers, money, mails and attempts in the order of time',
    params: Type.Object({ kind: Type.Enum([...kinds]), id: Type.String({ minLength: 1, maxLength: 255 }) }),
    reads: true,
    success: { 200: Explanation },
    async handle({ db, params, now }) {
      await recorder?.flush()
      // The schema has checked that it is one of the kinds.
      const kind = params.kind as Kind
      const threads = await findThreads(db, { subject: params.id }, SEQ_END, THREADS_MAX)
      const rows = threads.flatMap((thread) => thread.rows).sort((a, b) => (a.seq < b.seq ? -1 : 1))
      const subjects = new Set([params.id, ...(kind === 'request' ? refsOf(rows) : [])])
      const due = (await travel.upcoming(DUE_MAX, [...subjects])).filter(
        ({ subject, key }) => subjects.has(subject ?? '') || key === params.id,
      )
      const { standing, possible } = await tellers[kind](db, params.id, { now, rules, rows })
      return {
        kind,
        id: params.id,
        standing,
        story: rows.map((row) => {
          const rule = ruleOf(row)
          return { ...presentHappening(row), thread: row.thread, ...(rule !== undefined && { rule }) }
        }),
        due: due.map(presentDue),
        ...(possible && { possible }),
      }
    },
  }),
]

const refsOf = (rows: readonly HappeningRow[]) => rows.flatMap(({ ref }) => ref ?? [])

interface Told {
  readonly standing: string
  readonly possible?: readonly string[]
}
interface Known {
  readonly now: Instant
  readonly rules: Rules
  readonly rows: readonly HappeningRow[]
}

/** What somebody may do now and where it leads, or why they may not. */
type Consequence<Outcome> = { readonly action: string } & (
  | { readonly allowed: true; readonly outcomes: readonly Outcome[] }
  | { readonly allowed: false; readonly because: string }
)

function sayConsequence<Outcome extends { readonly outcome: string; readonly money: string }>(
  role: Role,
  consequence: Consequence<Outcome>,
  standingOf: (outcome: Outcome) => string,
): string {
  const { action } = consequence
  if (!consequence.allowed) return `Not now: ${action} by the ${role}, because it ${consequence.because}`
  const ways = consequence.outcomes.map((one) => `${one.outcome}, then ${standingOf(one)}. ${one.money}`)
  return `The ${role} may ${action}: ${ways.join(' Or ')}`
}

const tellers: { readonly [K in Kind]: (db: Reader, id: string, known: Known) => Promise<Told> } = {
  async dispute(db, id, { now, rules }) {
    const found = await findDispute(db, id)
    if (!found) throw notFound(`Dispute ${id}`)
    const { dispute } = found
    const unattended = ifNobodyActs(dispute, rules)
    const possible = (['seller', 'buyer', 'partner', 'agent'] as const).flatMap((role) =>
      disputeConsequences(dispute, [role], { now, rules }).map((one) =>
        sayConsequence(role, one, ({ standing }) => standing),
      ),
    )
    return {
      standing: `Dispute ${id}: ${nodeWords(nodeName(dispute))}.`,
      possible: [...(unattended ? [`If nobody acts until ${unattended.at}: ${unattended.next}.`] : []), ...possible],
    }
  },
  async invoice(db, id) {
    const found = await findByRecipientCode(db, recipientCode(id))
    if (!found) throw notFound(`Invoice ${id}`)
    const unattended = invoiceUnattended(found.invoice)
    const possible = (['seller', 'buyer'] as const).flatMap((role) =>
      invoiceConsequences(found.invoice, [role]).map((one) => sayConsequence(role, one, ({ status }) => status)),
    )
    return {
      standing: `Invoice ${found.invoice.detail.invoice_number}: ${found.invoice.status}.`,
      possible: [...(unattended === undefined ? [] : [`If nobody acts: ${unattended}`]), ...possible],
    }
  },
  async event(_db, id, { rows }) {
    const event = rows.find(({ kind, ref }) => kind === 'event' && ref === id)
    if (!event) throw notFound(`Event ${id} among what the sandbox remembers`)
    const attempts = rows.filter(({ kind, details }) => kind === 'attempt' && details['event_id'] === id)
    const arrived = new Set(attempts.filter(({ trouble }) => !trouble).map(({ ref }) => ref)).size
    const all = new Set(attempts.map(({ ref }) => ref)).size
    return {
      standing: `Event ${id}: ${all === 0 ? 'no webhook was called for it' : `arrived at ${arrived} of ${all} webhooks`}.`,
    }
  },
  async delivery(_db, id, { rows }) {
    const attempts = rows.filter(({ kind, ref }) => kind === 'attempt' && ref === id)
    const last = attempts.at(-1)
    if (!last) throw notFound(`Delivery ${id} among what the sandbox remembers`)
    const next = last.details['next_time']
    const end = last.trouble ? (next === undefined ? 'failed for good' : `waits for ${String(next)}`) : 'arrived'
    return {
      standing: `Delivery ${id}: ${end} after ${attempts.length === 1 ? 'one attempt' : `${attempts.length} attempts`}.`,
    }
  },
  async request(db, id) {
    const found = await findRequest(db, id)
    if (!found) throw notFound(`Request ${id}`)
    const { problem } = found.details
    const why = problem
      ? `: ${problem.details.map(({ description }) => description).join(' ') || problem.message}`
      : '.'
    return { standing: `${found.method} ${found.path} was answered with ${found.status}${why}` }
  },
}
