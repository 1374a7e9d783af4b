import { pageLinks, seqForm, seqOf, seqQuery } from '../../http/keyset.ts'
import { type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import { type HappeningKind, happeningKinds } from '../../kernel/happening.ts'
import { Links } from '../../kernel/links.ts'
import { invalid } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { SandboxParts } from '../parts.ts'
import type { Following } from './following.ts'
import {
  type Changes,
  findChanges,
  findThreads,
  type HappeningRow,
  lastTold,
  type Thread,
  type TimelineFilter,
} from './timeline.ts'
import { sentenceFor } from './words.ts'

const url = '/sandbox/timeline'
const PAGE_SIZE_DEFAULT = 50
const PAGE_SIZE_MAX = 200
const WAIT_SECONDS_MAX = 30

const Happening = Type.Object(
  {
    seq: Type.Integer(),
    kind: Type.Enum([...happeningKinds]),
    time: Type.String({ description: 'By the clock of the sandbox.' }),
    real_time: Type.String(),
    summary: Type.String({ description: 'In words.' }),
    trouble: Type.Boolean({ description: 'Refused, failed or not accepted.' }),
    account_id: Type.Optional(Type.String()),
    ref: Type.Optional(
      Type.String({ description: 'What it is about: a request, invoice, dispute, payment, event, delivery or mail.' }),
    ),
    details: Type.Object({}, { additionalProperties: true, description: 'As the kind has them.' }),
  },
  { $id: 'Happening' },
)
const ThreadShown = Type.Object(
  {
    id: Type.String({ description: 'The debug id of the request; with `@` and a number what followed at its time.' }),
    cause: Type.String({ description: 'The debug id of the request it all goes back to.' }),
    seq: Type.Integer({ description: 'Where it stands in the timeline.' }),
    last_seq: Type.Integer({ description: 'The last thing that was told of it.' }),
    time: Type.String(),
    real_time: Type.String(),
    summary: Type.String({ description: 'What led to it, in words.' }),
    trouble: Type.Boolean(),
    happenings: Type.Array(Happening, { description: 'What led to it, and what came of it.' }),
  },
  { $id: 'Thread' },
)
const Query = Type.Object({
  kind: Type.Optional(
    Type.String({ maxLength: 80, description: `Only threads with one of these: ${happeningKinds.join(', ')}.` }),
  ),
  person: Type.Optional(Type.String({ maxLength: 127, description: 'The id of an account, or a client id.' })),
  subject: Type.Optional(Type.String({ maxLength: 255, description: 'The id of what it is about.' })),
  trouble: Type.Optional(Type.Boolean({ description: 'Only where something was refused or failed.' })),
  ...seqQuery(PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX),
  after: Type.Optional(
    Type.String({
      ...seqForm,
      description: 'Follows: what was told after this `seq` of an earlier answer, oldest first.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: WAIT_SECONDS_MAX, description: 'With after: seconds to wait for something.' }),
  ),
})

/** What happened in a sandbox, each thing under what led to it. */
export const timelineRoutes = ({ service, recorder, following }: SandboxParts): AnyRoute[] => [
  route({
    ...sandboxOnly,
    method: 'GET',
    watches: true,
    url,
    operation: 'listSandboxTimeline',
    summary: 'List what happened in the sandbox under what led to it, newest first; or follow it',
    query: Query,
    reads: true,
    success: {
      200: Type.Object({
        threads: Type.Array(ThreadShown),
        seq: Type.Integer({ description: 'Until where all was told; give it as `after` to hear the rest.' }),
        links: Links,
      }),
    },
    async handle({ db, query }) {
      const filter = filterOf(query)
      const { page_size: size = PAGE_SIZE_DEFAULT, page_token, after, wait = 0 } = query
      await recorder?.flush()
      const self = `${service.publicUrl}${url}`
      if (after !== undefined) {
        const ask = () => findChanges(db, filter, BigInt(after), size)
        const found = await asSoonAsThereAre(ask, wait * 1000, following)
        return {
          threads: found.threads.map(presentThread),
          seq: Number(found.seq),
          links: pageLinks(self, query, undefined),
        }
      }
      // This is read first, so that what is told meanwhile is heard twice rather than not at all.
      const seq = await lastTold(db)
      const read = await findThreads(db, filter, seqOf(page_token), size + 1)
      const threads = read.slice(0, size)
      const last = read.length > size ? threads.at(-1) : undefined
      const links = pageLinks(self, query, last?.first.toString())
      return { threads: threads.map(presentThread), seq: Number(seq), links }
    },
  }),
]

/** Asks again whenever something was told, until there is an answer, the time is up, or the service ends. */
async function asSoonAsThereAre(
  ask: () => Promise<Changes>,
  withinMs: number,
  following: Following | undefined,
): Promise<Changes> {
  const until = performance.now() + withinMs
  for (;;) {
    // Looked at before the question: what is told while it is being answered must end the wait.
    const heard = following?.heard ?? 0
    const found = await ask()
    const left = until - performance.now()
    if (found.threads.length > 0 || left <= 0 || !following || following.closed) return found
    await following.wait(left, heard)
  }
}

function filterOf({ kind, person, subject, trouble }: Static<typeof Query>): TimelineFilter {
  const kinds = kind?.split(',').map((one) => one.trim())
  const unknown = kinds?.find((one) => !happeningKinds.some((known) => known === one))
  if (unknown !== undefined) throw invalid('kind', `Send ${happeningKinds.join(', ')}, or several with commas.`)
  return { kinds: kinds as HappeningKind[] | undefined, person, subject, trouble }
}

const roots: readonly HappeningKind[] = ['request', 'due', 'clock']

/** Puts what led to the thread first: a request is told only once it was answered, which is after what it did. */
export function presentThread({ id, first, last, rows }: Thread) {
  const root = rows.find(({ kind }) => roots.includes(kind)) ?? rows[0]!
  const ordered = [root, ...rows.filter((row) => row !== root)]
  return {
    id,
    cause: id.split('@', 1)[0]!,
    seq: Number(first),
    last_seq: Number(last),
    time: root.create_time,
    real_time: root.real_time,
    summary: sentenceFor(root),
    trouble: rows.some(({ trouble }) => trouble),
    happenings: ordered.map(presentHappening),
  }
}

export const presentHappening = (row: HappeningRow) => ({
  seq: Number(row.seq),
  kind: row.kind,
  time: row.create_time,
  real_time: row.real_time,
  summary: sentenceFor(row),
  trouble: row.trouble,
  ...(row.account_id !== null && { account_id: row.account_id }),
  ...(row.ref !== null && { ref: row.ref }),
  details: row.details,
})
