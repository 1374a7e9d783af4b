import { type AnyRoute, route, sandboxOnly } from '../http/route.ts'
import type { Fired, Upcoming } from '../jobs/work-source.ts'
import { addDuration, type Instant, parseDuration, parseInstant } from '../kernel/clock.ts'
import type { Happening } from '../kernel/happening.ts'
import { invalid, malformed, refused } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import { scenarioRoutes } from '../scenarios/routes.ts'
import type { SandboxClock } from './clock.ts'
import { inboxRoutes } from './inbox/routes.ts'
import type { SandboxParts } from './parts.ts'
import { keepable } from './reset.ts'
import type { Journey, TimeTravel } from './time-travel.ts'
import { DueShown, dueRoutes, presentDue } from './watch/due-routes.ts'
import { explainRoutes } from './watch/explain-routes.ts'
import { faultRoutes } from './watch/fault-routes.ts'
import { requestLogRoutes } from './watch/request-routes.ts'
import { timelineRoutes } from './watch/timeline-routes.ts'
import { worldRoutes } from './world-routes.ts'

const ClockState = Type.Object({ now: Type.String(), frozen: Type.Boolean() }, { $id: 'Clock' })
const MoveClock = Type.Object({
  advance: Type.Optional(
    Type.String({ maxLength: 64, description: 'An ISO 8601 duration, for example P20D or PT36H.' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 64, description: 'An instant, not before the present one.' })),
  next: Type.Optional(
    Type.Boolean({ description: 'Moves to the next thing that falls due, and does it; the answer says what it was.' }),
  ),
  freeze: Type.Optional(Type.Boolean({ description: 'Whether the clock stands still afterwards.' })),
})
const FiredWork = Type.Object({ work: Type.String(), at: Type.String(), key: Type.Optional(Type.String()) })
const Unanswered = Type.Object({ webhook_id: Type.String(), url: Type.String(), attempts: Type.Integer() })
const Moved = Type.Object({
  now: Type.String(),
  frozen: Type.Boolean(),
  fired: Type.Array(FiredWork),
  next: Type.Optional(Type.Array(DueShown, { description: 'What fell due first, where that was asked for.' })),
  unanswered: Type.Optional(
    Type.Array(Unanswered, {
      description:
        'Receivers that did not answer within `CLOCK_PATIENCE_SECONDS`, and how many attempts timed out with that.',
    }),
  ),
})

/** The operations that only a sandbox has. */
export function sandboxRoutes(parts: SandboxParts): AnyRoute[] {
  const { clock, travel, worlds, scenarios, reset, expireTokens } = parts
  const shared = { ...sandboxOnly, reads: 'free' } as const
  const state = () => ({ now: clock.now(), frozen: clock.frozen })

  return [
    route({
      ...shared,
      method: 'GET',
      url: '/sandbox/clock',
      operation: 'showClock',
      watches: true,
      summary: 'Show the clock of the sandbox',
      success: { 200: ClockState },
      handle: async () => state(),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/clock',
      operation: 'moveClock',
      summary: 'Move or stop the clock; everything that falls due on the way is done before the answer comes',
      body: MoveClock,
      success: { 200: Moved },
      handle: ({ body, transact }) =>
        travel.alone(async () => {
          const from = clock.now()
          const stood = clock.frozen
          const frozen = body.freeze ?? stood
          const before = body.next ? await travel.drain() : []
          const next = body.next ? await nextOf(body, travel, clock) : []
          const here = clock.now()
          const target = next[0]?.at ?? targetOf(body, here)
          const journey: Journey = { fired: before, isMoved: false }
          const { fired } = journey
          try {
            await travel.moveTo(target, frozen, journey)
            // Whoever only waits until all that is due is done does not move the clock, although time goes by meanwhile.
            journey.isMoved = target > here
          } finally {
            // This is noted even for a journey that failed on the way and got only as far as it got.
            const { isMoved } = journey
            const { now: to, frozen: stands } = state()
            if (isMoved || stands !== stood)
              await transact(async (tx) => tx.happened(() => clockMoved(isMoved ? from : to, to, stands, fired)))
          }
          const { unanswered } = travel
          return {
            ...state(),
            fired,
            ...(body.next && { next: next.map(presentDue) }),
            ...(unanswered.length > 0 && { unanswered }),
          }
        }),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/reset',
      operation: 'resetSandbox',
      summary: 'Forget everything but access tokens and keys, and start again with the seeded people',
      body: Type.Object({
        keep: Type.Optional(
          Type.Array(Type.Enum([...keepable]), { maxItems: keepable.length, description: 'What is not forgotten.' }),
        ),
      }),
      bodyOptional: true,
      success: { 200: ClockState },
      handle: ({ body }) => travel.aloneAtOnce(() => reset(body.keep ?? []).then(state)),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/tokens/expire',
      operation: 'expireAccessTokens',
      summary: 'Let every access token expire now; they live on real time, whatever the clock of the sandbox says',
      body: Type.Object({}),
      bodyOptional: true,
      success: { 200: Type.Object({ expired: Type.Integer({ description: 'How many there were.' }) }) },
      handle: async () => ({ expired: await expireTokens() }),
    }),
    ...worldRoutes(worlds),
    ...requestLogRoutes(parts),
    ...scenarioRoutes(scenarios),
    ...timelineRoutes(parts),
    ...dueRoutes(parts),
    ...explainRoutes(parts),
    ...faultRoutes(parts),
    ...inboxRoutes(parts),
  ]
}

const NEXT_AT_ONCE = 100

/** Everything that falls due at the next instant at which something does. */
async function nextOf(
  { advance, to }: { advance?: string; to?: string },
  travel: TimeTravel,
  clock: SandboxClock,
): Promise<Upcoming[]> {
  if (advance !== undefined || to !== undefined) throw invalid('/next', 'Send next, advance or to, not two of them.')
  const now = clock.now()
  for (let limit = NEXT_AT_ONCE; ; limit *= 2) {
    const found = await travel.upcoming(limit)
    const ahead = found.filter(({ at }) => at > now)
    const first = ahead[0]?.at
    // There may be more of the same instant than were looked at, so more are read.
    if (found.length === limit && ahead.at(-1)?.at === first) continue
    if (first === undefined)
      throw refused('NOTHING_IS_DUE', 'Nothing lies ahead: no deadline, no scheduled invoice, no retry.')
    return ahead.filter(({ at }) => at === first)
  }
}

const FIRED_TOLD_MAX = 50

const clockMoved = (from: Instant, to: Instant, frozen: boolean, fired: readonly Fired[]): Happening => ({
  kind: 'clock',
  accountId: null,
  ref: null,
  details: { from, to, frozen, fell_due: fired.length, fired: fired.slice(0, FIRED_TOLD_MAX) },
})

function targetOf({ advance, to, freeze }: { advance?: string; to?: string; freeze?: boolean }, now: Instant): Instant {
  if (advance !== undefined && to !== undefined) throw invalid('/to', 'Send advance or to, not both.')
  if (advance !== undefined) {
    const duration = parseDuration(advance)
    if (!duration) throw invalid('/advance', 'Send an ISO 8601 duration, for example P20D.', 'INVALID_PARAMETER_SYNTAX')
    if (Math.abs(duration.as('years')) > YEARS_AT_ONCE_MAX) throw tooFar('/advance')
    return forward(addDuration(now, duration), now)
  }
  if (to !== undefined) {
    const target = parseInstant(to)
    if (!target) throw invalid('/to', 'Send an instant, for example 2026-03-01T09:00:00Z.', 'INVALID_PARAMETER_SYNTAX')
    return forward(target, now)
  }
  if (freeze === undefined)
    throw malformed({ issue: 'MISSING_REQUIRED_PARAMETER', description: 'Send advance, to, next or freeze.' })
  return now
}

const YEARS_AT_ONCE_MAX = 100
/** Far enough for every story, and far enough from where years get a fifth digit. */
const LAST_INSTANT = '2500-01-01T00:00:00.000Z'

const tooFar = (field: string) =>
  invalid(field, `The clock moves ${YEARS_AT_ONCE_MAX} years at once at most, and stops at ${LAST_INSTANT}.`)

function forward(target: Instant, now: Instant): Instant {
  if (target > LAST_INSTANT) throw tooFar('/')
  if (target < now)
    throw refused('CLOCK_MOVES_FORWARD_ONLY', `It is ${now} and the clock cannot go back; reset the sandbox instead.`)
  return target
}
