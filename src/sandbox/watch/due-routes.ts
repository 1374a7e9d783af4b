import { type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import type { Upcoming } from '../../jobs/work-source.ts'
import { Type } from '../../kernel/type.ts'
import type { SandboxParts } from '../parts.ts'

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 200

export const DueShown = Type.Object(
  {
    at: Type.String({ description: 'By the clock of the sandbox.' }),
    what: Type.String({ description: 'What will be done, in words.' }),
    work: Type.String({ description: 'The name of the job; `deliver-webhook` is an attempt to deliver an event.' }),
    account_id: Type.String(),
    subject: Type.Optional(Type.String({ description: 'The dispute, invoice, payment or event it is about.' })),
    key: Type.Optional(Type.String()),
    attempts: Type.Integer({ description: 'How often it was tried already.' }),
  },
  { $id: 'Due' },
)

export const presentDue = ({ at, what, work, accountId, subject, key, attempts }: Upcoming) => ({
  at,
  what,
  work,
  account_id: accountId,
  ...(subject !== null && { subject }),
  ...(key !== undefined && { key }),
  attempts,
})

/** What lies ahead: deadlines, scheduled invoices, payments to settle, mails and attempts that wait. */
export const dueRoutes = ({ travel, clock }: SandboxParts): AnyRoute[] => [
  route({
    ...sandboxOnly,
    method: 'GET',
    watches: true,
    url: '/sandbox/due',
    operation: 'listSandboxDue',
    summary: 'List what falls due, soonest first, and what it will do',
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })),
      subject: Type.Optional(Type.String({ maxLength: 255, description: 'Only what is about this.' })),
    }),
    reads: true,
    success: { 200: Type.Object({ now: Type.String(), due: Type.Array(DueShown), has_more: Type.Boolean() }) },
    async handle({ query: { limit = LIMIT_DEFAULT, subject } }) {
      const read = await (subject === undefined
        ? travel.upcoming(limit + 1)
        : travel.upcoming(LIMIT_MAX + 1, [subject]))
      const fitting = read.filter((one) => subject === undefined || one.subject === subject)
      return { now: clock.now(), due: fitting.slice(0, limit).map(presentDue), has_more: fitting.length > limit }
    },
  }),
]
