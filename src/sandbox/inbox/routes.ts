import { seqForm, seqOf } from '../../http/keyset.ts'
import { Answer, type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import { Type } from '../../kernel/type.ts'
import { makeSeal, type Seal } from '../../webhooks/signing/seal.ts'
import { standardHeaders } from '../../webhooks/signing/signature.ts'
import type { SandboxParts } from '../parts.ts'
import { answerIn, arrivalsOf, keepArrival, tellAnswer, webhooksLeadingTo } from './store.ts'

const url = '/sandbox/inbox/:name'
const Name = Type.Object({ name: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }) })
const Arrived = Type.Object(
  {
    seq: Type.Integer(),
    time: Type.String({ description: 'By the clock of the sandbox.' }),
    verified: Type.Boolean({ description: 'Whether a webhook of this sandbox that leads here signed it.' }),
    status: Type.Integer({ description: 'What was answered.' }),
    event_type: Type.Optional(Type.String({ description: 'The kind of event, where it was one.' })),
    event_id: Type.Optional(Type.String({ description: 'Its id, where it was one.' })),
    headers: Type.Object({}, { additionalProperties: true, description: 'As they arrived.' }),
    body: Type.String({ description: 'As it arrived.' }),
  },
  { $id: 'InboxArrival' },
)
const Inbox = Type.Object(
  {
    name: Type.String(),
    url: Type.String({ description: 'The address to subscribe.' }),
    status: Type.Integer({ description: 'What it answers.' }),
    arrivals: Type.Array(Arrived, { description: 'The newest first.' }),
    has_more: Type.Boolean(),
  },
  { $id: 'Inbox' },
)
const PAGE_SIZE = 50

const pathOf = (name: string) => `/sandbox/inbox/${name}`

/** Stands in for a handler that is not written yet: keeps what arrives, checks who signed it, answers as told. */
export function inboxRoutes({ service }: SandboxParts): AnyRoute[] {
  const shared = { ...sandboxOnly, watches: true, url, params: Name } as const
  let seal: Seal | undefined
  return [
    route({
      ...shared,
      method: 'POST',
      operation: 'receiveInInbox',
      summary: 'Take a delivery in: it is kept, checked, and answered as the inbox was told',
      reads: 'free',
      body: Type.Unsafe<unknown>({ type: 'object' }),
      bodyOptional: true,
      success: { 200: null },
      async handle({ db, transact, params, headers, raw }) {
        const body = raw ?? Buffer.alloc(0)
        const status = await answerIn(db, params.name)
        seal ??= makeSeal(service.settings.secrets!)
        const given = Object.fromEntries(
          Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
        )
        const secrets = (await webhooksLeadingTo(db, pathOf(params.name))).flatMap(({ id, secret, previous_secret }) =>
          [secret, ...(previous_secret ? [previous_secret] : [])].map((one) => seal!.open(one, id)),
        )
        const verified = isSigned(given, body, secrets)
        await transact(async (tx) =>
          keepArrival(tx, params.name, { headers: given, body: body.toString(), verified, status }),
        )
        return new Answer(status)
      },
    }),
    route({
      ...shared,
      method: 'GET',
      operation: 'showInbox',
      summary: 'Show what arrived at an inbox, the newest first',
      reads: true,
      query: Type.Object({
        before: Type.Optional(Type.String({ ...seqForm, description: 'The last one that was seen.' })),
      }),
      success: { 200: Inbox },
      async handle({ db, params, query }) {
        const found = await arrivalsOf(db, params.name, seqOf(query.before), PAGE_SIZE + 1)
        return {
          name: params.name,
          url: service.publicUrl + pathOf(params.name),
          status: await answerIn(db, params.name),
          arrivals: found.slice(0, PAGE_SIZE).map(({ seq, create_time, ...rest }) => ({
            seq: Number(seq),
            time: create_time,
            ...rest,
            ...eventIn(rest.body),
          })),
          has_more: found.length > PAGE_SIZE,
        }
      },
    }),
    route({
      ...shared,
      method: 'PUT',
      operation: 'setInboxAnswer',
      summary: 'Tell an inbox what to answer from now on',
      body: Type.Object({ status: Type.Integer({ minimum: 200, maximum: 599 }) }),
      success: { 200: Type.Object({ name: Type.String(), status: Type.Integer() }) },
      async handle({ tx, params, body }) {
        tellAnswer(tx, params.name, body.status)
        return { name: params.name, status: body.status }
      },
    }),
  ]
}

/** Whether one of these secrets made one of the signatures, over exactly what arrived. */
function isSigned(headers: Readonly<Record<string, string>>, body: Buffer, secrets: readonly Uint8Array[]): boolean {
  const [id, seconds, signatures] = [headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature']]
  if (id === undefined || signatures === undefined) return false
  const made = standardHeaders({ id, seconds: Number(seconds), body }, secrets)['webhook-signature']!.split(' ')
  return signatures.split(' ').some((one) => one !== '' && made.includes(one))
}

function eventIn(body: string): { event_type?: string; event_id?: string } {
  try {
    const { event_type, id } = JSON.parse(body) as { event_type?: unknown; id?: unknown }
    return { ...(typeof event_type === 'string' && { event_type }), ...(typeof id === 'string' && { event_id: id }) }
  } catch {
    return {}
  }
}
