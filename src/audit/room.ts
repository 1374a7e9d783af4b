import { operatorScope } from '../accounts/scopes.ts'
import { keysetQuery, pageOf, placeOf } from '../http/keyset.ts'
import { type AnyRoute, route } from '../http/route.ts'
import { parseInstant } from '../kernel/clock.ts'
import { Links } from '../kernel/links.ts'
import { invalid } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import type { OpenRoom, Service } from '../room.ts'
import { type AuditEntry, type AuditFilter, findEntries, sweepAudit } from './store.ts'

const url = '/v1/operator/audit'
const PAGE_SIZE_DEFAULT = 50
const PAGE_SIZE_MAX = 500

const text = (description: string, maxLength = 255) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))

const Query = Type.Object({
  account_id: text('Only what concerns things of this account.'),
  actor: text('Only what this one did, written as in the entries: `app:<app id>`, `command:apps create`, `payer`.'),
  resource_id: text('Only what was done to this.'),
  cause: text('Only what followed from the request with this debug id.'),
  start_time: text('Only what was done at this instant or later.', 64),
  ...keysetQuery(PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX),
})

const maybe = (description: string) => Type.Optional(Type.String({ description }))

const Entry = Type.Object(
  {
    time: Type.String(),
    actor: Type.String({
      description:
        'Who did it: an app, a person at the console, a command, a job, or a payer or gateway without a token.',
    }),
    actor_name: maybe('What the console calls them, where a person did it.'),
    action: Type.String({ description: 'The operation, command or job.' }),
    account_id: maybe('Whose the thing is that it was done to.'),
    resource_id: maybe('What it was done to.'),
    address: maybe('Where the call came from; of a command, the user and machine.'),
    request_id: maybe('The request id that the caller chose.'),
    cause: Type.String({ description: 'The debug id of the request, also of what a job did because of it.' }),
    arguments: Type.Optional(Type.Array(Type.String(), { description: 'Of a command, without names and addresses.' })),
  },
  { $id: 'AuditEntry' },
)

/** The log of who did what: the operator reads it, and it goes when its time is over. */
export const openAudit: OpenRoom = (service) => ({
  routes: [listAudit(service)],
  sweeps: { 'audit-log': (parts) => sweepAudit(parts, service.settings.auditRetentionDays) },
})

const listAudit = (service: Service): AnyRoute =>
  route({
    method: 'GET',
    url,
    operation: 'listAuditLog',
    summary: 'List who did what, newest first',
    tag: 'Operator',
    scopes: [operatorScope],
    query: Query,
    success: { 200: Type.Object({ entries: Type.Array(Entry), links: Links }) },
    reads: true,
    fromReplica: true,
    async handle({ db, query }) {
      const { page_token, start_time, page_size: size = PAGE_SIZE_DEFAULT, ...rest } = query
      const filter: AuditFilter = { ...rest, ...(start_time !== undefined && { since: readInstant(start_time) }) }
      const read = await findEntries(db, filter, size + 1, placeOf(page_token))
      const { rows, links } = pageOf(read, size, { url: `${service.publicUrl}${url}`, query })
      return { entries: rows.map(presentEntry), links }
    },
  })

/** An entry without the fields that are not known. */
const presentEntry = ({ create_time: time, seq: _, ...entry }: AuditEntry) => ({
  time,
  ...Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)),
})

function readInstant(text: string) {
  const instant = parseInstant(text)
  if (!instant)
    throw invalid('start_time', 'Send an instant, for example 2026-03-01T09:00:00Z.', 'INVALID_PARAMETER_SYNTAX')
  return instant
}
