import { setTimeout as pause } from 'node:timers/promises'
import { addDuration, type Instant, parseDuration } from '../kernel/clock.ts'
import { openReceiver, type WebhookReceiver } from '../outbound/receiver.ts'
import { type ClientAnswer, type Person, problemText, Refused, type SandboxClient } from './client.ts'
import { differences } from './match.ts'
import { type Observation, Observer } from './observe.ts'
import { operations } from './operations.ts'
import type { Scenario, Step } from './scenario.ts'
import { expand, NoSuchValue, type Variables } from './variables.ts'

/** What came of a step. */
export interface Played extends Observation {
  readonly step: string
  readonly says: string
  readonly as?: string
  readonly call?: {
    readonly operation: string
    readonly method: string
    readonly path: string
    readonly status: number
  }
  readonly answer?: unknown
  /** How far the clock was moved, and what fell due on the way. */
  readonly waited?: {
    readonly from: string
    readonly to: string
    readonly fired: readonly { work: string; at: string }[]
  }
  /** What reached the receiver of the story, and how the receiver answered. */
  readonly received: readonly { readonly event_type: string; readonly status: number }[]
  /** What the clock says now. */
  readonly now: string
  /** What is not as expected, one sentence each; empty when all is. */
  readonly failures: readonly string[]
}

export interface PlayOptions {
  /** The last step to play. */
  readonly until?: string
  /** How long to pause between two steps. */
  readonly pauseMs?: number
  /** Ends it before its next step. */
  readonly signal?: AbortSignal
  /** An address to which the events of the story are sent too, signed, while it is played. */
  readonly forwardTo?: string
  /** Called with the webhook that forwards; its signatures are made with this id and secret. */
  onForward?(webhook: { id: string; signing_secret: string }): void
}

interface Stage {
  readonly client: SandboxClient
  readonly scenario: Scenario
  readonly observer: Observer
  readonly answers: Record<string, unknown>
  readonly received: { event_type: string; status: number }[]
  receiver: { answers: number; open: WebhookReceiver } | undefined
  now: Instant
}

/**
 * Plays a scenario with real calls, step by step. Ends after the last step, or after the first that does not come out as
 * expected. Other things may go on in the sandbox, but whatever happens there meanwhile is observed as well.
 */
export async function* play(
  scenario: Scenario,
  client: SandboxClient,
  options: PlayOptions = {},
): AsyncGenerator<Played> {
  const protagonist = Object.values(scenario.people)[0]!
  const observer = new Observer(client, protagonist)
  const now = await settle(client)
  const stage: Stage = { client, scenario, observer, answers: {}, received: [], receiver: undefined, now }
  const forward = await subscribe(client, protagonist, options)
  try {
    await observer.begin(now)
    if (tellsOfReceiver(scenario)) await raiseReceiver(stage)
    for (const [i, step] of scenario.steps.entries()) {
      if (i > 0 && options.pauseMs) await pause(options.pauseMs, undefined, { signal: options.signal })
      options.signal?.throwIfAborted()
      const played = await playStep(stage, step)
      yield played
      if (played.failures.length > 0 || step.step === options.until) return
    }
  } finally {
    await stage.receiver?.open.close()
    await forward?.end()
  }
}

/** Does everything that is due, so that what a step started is over when it is looked at. */
async function settle(client: SandboxClient): Promise<Instant> {
  return (await moveClock(client, { advance: 'PT0S' })).now
}

async function moveClock(client: SandboxClient, body: object) {
  const answer = await client.call({ method: 'POST', path: '/sandbox/clock', body })
  if (answer.status !== 200) throw new Refused(`the clock did not move: ${problemText(answer)}`)
  return answer.body as { now: Instant; fired: { work: string; at: string }[] }
}

async function subscribe(client: SandboxClient, as: Person, { forwardTo, onForward }: PlayOptions) {
  if (forwardTo === undefined) return undefined
  const body = { url: forwardTo, event_types: [{ name: '*' }] }
  const answer = await client.call({ method: 'POST', path: '/v1/notifications/webhooks', as, body })
  if (answer.status >= 400) throw new Refused(`events cannot be forwarded to ${forwardTo}: ${problemText(answer)}`)
  const webhook = answer.body as { id: string; signing_secret: string }
  onForward?.(webhook)
  return { end: () => client.call({ method: 'DELETE', path: `/v1/notifications/webhooks/${webhook.id}`, as }) }
}

const tellsOfReceiver = ({ steps }: Scenario) => JSON.stringify(steps).includes('receiver')

async function raiseReceiver(stage: Stage): Promise<void> {
  const open = await openReceiver(async ({ body }) => {
    const { event_type } = JSON.parse(body.toString()) as { event_type: string }
    const status = stage.receiver?.answers ?? 200
    stage.received.push({ event_type, status })
    return { status }
  })
  stage.receiver = { answers: 200, open }
  stage.answers['receiver'] = { url: open.url }
}

type Done = Pick<Played, 'call' | 'answer' | 'waited'> & { readonly failures: string[] }

async function playStep(stage: Stage, step: Step): Promise<Played> {
  const before = stage.now
  const variables: Variables = { now: before, answers: stage.answers }
  const done = await carryOut(stage, step, variables).catch((error: unknown): Done => {
    if (error instanceof NoSuchValue) return { failures: [error.message] }
    throw error
  })
  stage.now = await settle(stage.client)
  const seen = await stage.observer.look(before)
  const received = stage.received.splice(0)
  const found = { ...seen, received, answer: done.answer }
  const failures = done.failures.length > 0 ? done.failures : unmet(step.expect, found, variables)
  return {
    step: step.step,
    says: step.says,
    ...(step.as !== undefined && { as: step.as }),
    ...done,
    ...seen,
    received,
    now: stage.now,
    failures: failures.map((failure) => `${step.at}: step ${step.step}: ${failure}`),
  }
}

async function carryOut(stage: Stage, step: Step, variables: Variables): Promise<Done> {
  const { client, scenario } = stage
  if (step.receiver) {
    stage.receiver!.answers = step.receiver.answers
    return { failures: [] }
  }
  if (step.call === undefined) return travel(stage, step, variables)
  const { method, path: pattern } = operations().get(step.call)!
  const place = expand(step.path ?? {}, variables) as Record<string, unknown>
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(place[name])))
  const texts = (given: unknown) =>
    Object.fromEntries(
      Object.entries(expand(given ?? {}, variables) as object).map(([key, value]) => [key, String(value)]),
    )
  const as = step.as === undefined ? undefined : scenario.people[step.as]
  const answer = await client.call({
    method,
    path,
    as,
    query: texts(step.query),
    headers: texts(step.headers),
    ...(step.body !== undefined && { body: expand(step.body, variables) }),
    ...(step.files && { files: step.files }),
  })
  const body = withId(answer)
  stage.answers[step.step] = body
  stage.observer.follow(step.call, body)
  return {
    call: { operation: step.call, method, path, status: answer.status },
    answer: body,
    failures: refusals(step, answer),
  }
}

async function travel({ client }: Stage, step: Step, variables: Variables): Promise<Done> {
  const target = step.wait === undefined ? expand(step.wait_until, variables) : undefined
  const body = step.wait === undefined ? { to: target } : { to: addDuration(variables.now, parseDuration(step.wait)!) }
  const { now, fired } = await moveClock(client, body)
  return { waited: { from: variables.now, to: now, fired }, failures: [] }
}

function refusals({ expect: { status }, call }: Step, answer: ClientAnswer): string[] {
  if (status !== undefined)
    return answer.status === status ? [] : [`${call} should answer ${status} and answers ${problemText(answer)}`]
  return answer.status < 400 ? [] : [`${call} was refused with ${problemText(answer)}`]
}

/** The answer with its `id`, which some operations give only in their first link. */
function withId({ body }: ClientAnswer): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'id' in body) return body
  const { dispute_id, href, links } = body as { dispute_id?: string; href?: string; links?: { href: string }[] }
  const id = dispute_id ?? (href ?? links?.[0]?.href)?.split('?')[0]?.split('/').at(-1)
  return id === undefined ? body : { ...body, id }
}

type Found = Observation & Pick<Played, 'received' | 'answer'>

function unmet(expected: Step['expect'], found: Found, variables: Variables): string[] {
  try {
    return differencesIn(expand(expected, variables) as Step['expect'], found)
  } catch (error) {
    if (error instanceof NoSuchValue) return [error.message]
    throw error
  }
}

function differencesIn(expected: Step['expect'], found: Found): string[] {
  const { answer, events, money, mail, received, status: _status, ...documents } = expected
  return [
    ...(answer === undefined ? [] : differences(answer, found.answer, 'answer')),
    ...Object.entries(documents).flatMap(([name, document]) =>
      differences(document, found.things[name as keyof typeof documents], name),
    ),
    ...eventDifferences(events, found.events),
    ...moneyDifferences(money, found.money),
    ...mailDifferences(mail, found.mail),
    ...receivedDifferences(received, found.received),
  ]
}

/** Events of one instant have no order among them, so a story does not expect one. */
function eventDifferences(expected: Step['expect']['events'], found: Observation['events']): string[] {
  if (expected === undefined) return []
  const wanted = expected === 'none' ? [] : [...expected].sort()
  const types = found.map(({ event_type }) => event_type).sort()
  return wanted.join() === types.join() ? [] : differences(wanted, types, 'events')
}

function moneyDifferences(expected: Step['expect']['money'], found: Observation['money']): string[] {
  if (expected === undefined) return []
  if (expected === 'none') return differences('{}', JSON.stringify(found), 'money')
  return Object.entries(expected).flatMap(([book, change]) =>
    differences(change, found[book as keyof typeof found] ?? 'unchanged', `money.${book}`),
  )
}

function mailDifferences(expected: Step['expect']['mail'], found: Observation['mail']): string[] {
  if (expected === undefined) return []
  const letters = found.map(({ to, subject }) => ({ to: to.join(', '), subject }))
  if (expected === 'none') return differences([], letters, 'mail')
  return expected
    .filter((wanted) => !letters.some((letter) => differences(wanted, letter, '').length === 0))
    .map((wanted) => `mail should have ${JSON.stringify(wanted)} and has ${JSON.stringify(letters)}`)
}

function receivedDifferences(expected: Step['expect']['received'], found: Played['received']): string[] {
  if (expected === undefined) return []
  if (expected === 'none') return differences([], found, 'received')
  return Object.entries(expected).flatMap(([type, count]) =>
    differences(count, found.filter(({ event_type }) => event_type === type).length, `received.${type}`),
  )
}
