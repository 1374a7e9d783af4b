import { realSeconds } from '../../kernel/clock.ts'
import { calledAt } from '../../outbound/egress.ts'
import { callHandler, type HandlerCall } from '../../outbound/handler-call.ts'
import { play } from '../../scenarios/play.ts'
import { overridden, recipeFor } from '../../scenarios/triggers.ts'
import { standardHeaders } from '../../webhooks/signing/signature.ts'
import { type Command, CommandError, type CommandInput, type Sandbox, UsageError } from '../command.ts'
import { makePaint } from '../paint.ts'

import { secretBytes } from '../secret.ts'

const merchant = { client_id: 'sandbox-merchant' }
const HOUR_SECONDS = 3600
const LARGE_BYTES = 1024 * 1024
const PROMPT_MS = 10_000

/** What the exam is taken with: real events of a dispute, oldest first, and the secret that the handler knows. */
interface Desk {
  readonly url: string
  readonly secret: Buffer
  readonly skipVerify: boolean
  readonly events: readonly EventDocument[]
}
interface EventDocument {
  readonly id: string
  readonly event_type: string
  readonly create_time: string
  readonly [field: string]: unknown
}

interface Exam {
  readonly name: string
  /** What a good handler does, and why. */
  readonly expected: string
  readonly passes: 'takes' | 'refuses'
  /** Sends what belongs to it and comes back with every answer. */
  take(desk: Desk): Promise<number[]>
}

type Twist = Partial<Pick<HandlerCall, 'drip'>> & { readonly ageSeconds?: number; readonly secret?: Buffer }

/** The status of one delivery; 0 is no answer, or one that came too late. */
async function send(
  { url, secret, skipVerify }: Desk,
  event: object & { id?: unknown },
  twist: Twist = {},
): Promise<number> {
  const body = Buffer.from(JSON.stringify(event))
  const seconds = realSeconds() - (twist.ageSeconds ?? 0)
  const signed = standardHeaders({ id: String(event.id), seconds, body }, [twist.secret ?? secret])
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'Quittance gauntlet' }
  return callHandler({
    url,
    headers,
    body,
    skipVerify,
    timeoutMs: PROMPT_MS,
    ...(twist.drip && { drip: twist.drip }),
  }).then(
    ({ status }) => status,
    () => 0,
  )
}

const inTurn = async (sends: readonly (() => Promise<number>)[]) => {
  const statuses: number[] = []
  for (const one of sends) statuses.push(await one())
  return statuses
}

/** Other ids for the same content: a handler that knows an event by its id must not think that it knows these. */
const renamed = <Event extends EventDocument>(event: Event, suffix: string, change: object = {}) => ({
  ...event,
  id: `${event.id}-${suffix}`,
  ...change,
})

const exams: readonly Exam[] = [
  {
    name: 'valid',
    expected: 'Takes a delivery that is signed as it should be, with a 2xx within ten seconds.',
    passes: 'takes',
    take: (desk) => inTurn([() => send(desk, desk.events[0]!)]),
  },
  {
    name: 'duplicate',
    expected: 'Answers 2xx to both of two deliveries of one event at once, and acts on one: the id tells.',
    passes: 'takes',
    take: (desk) => {
      const event = renamed(desk.events[0]!, 'twice')
      return Promise.all([send(desk, event), send(desk, event)])
    },
  },
  {
    name: 'out of order',
    expected: 'Takes events of one dispute in any order; what is newer is told by the resource, not by the arrival.',
    passes: 'takes',
    take: (desk) => inTurn([...desk.events].reverse().map((event) => () => send(desk, renamed(event, 'order')))),
  },
  {
    name: 'late',
    expected: 'Takes an event that happened three days ago and is delivered now, as after an outage.',
    passes: 'takes',
    take: (desk) => {
      const event = desk.events[0]!
      const create_time = new Date(Date.parse(event.create_time) - 72 * HOUR_SECONDS * 1000).toISOString()
      return inTurn([() => send(desk, renamed(event, 'late', { create_time }))])
    },
  },
  {
    name: 'wrong signature',
    expected: 'Refuses with 4xx what is signed with another secret: anybody can post to a handler.',
    passes: 'refuses',
    take: (desk) => inTurn([() => send(desk, renamed(desk.events[0]!, 'forged'), { secret: Buffer.alloc(32, 7) })]),
  },
  {
    name: 'old timestamp',
    expected: 'Refuses with 4xx a true signature of an hour ago: somebody may have kept it to send it again.',
    passes: 'refuses',
    take: (desk) => inTurn([() => send(desk, renamed(desk.events[0]!, 'old'), { ageSeconds: HOUR_SECONDS })]),
  },
  {
    name: 'unknown event',
    expected: 'Answers 2xx to an event it has never heard of, and ignores it: new ones are added.',
    passes: 'takes',
    take: (desk) =>
      inTurn([() => send(desk, renamed(desk.events[0]!, 'unknown', { event_type: 'SOMETHING.NEW.HAPPENED' }))]),
  },
  {
    name: 'large',
    expected: 'Takes a body of a megabyte, as a dispute with many messages has.',
    passes: 'takes',
    take: (desk) => {
      const { resource } = desk.events[0]!
      const padded = { ...(resource as object), note: 'x'.repeat(LARGE_BYTES) }
      return inTurn([() => send(desk, renamed(desk.events[0]!, 'large', { resource: padded }))])
    },
  },
  {
    name: 'slow to read',
    expected: 'Waits for a body that comes in pieces over more than a second.',
    passes: 'takes',
    take: (desk) => inTurn([() => send(desk, renamed(desk.events[0]!, 'slow'), { drip: { pieces: 8, restMs: 150 } })]),
  },
  {
    name: 'retried after 500',
    expected: 'Takes an event again that it has had: the service retries whatever it got no 2xx for, signed anew.',
    passes: 'takes',
    take: (desk) => {
      const event = renamed(desk.events[0]!, 'again')
      return inTurn([() => send(desk, event, { ageSeconds: 60 }), () => send(desk, event)])
    },
  },
]

const hasPassed = ({ passes }: Exam, statuses: readonly number[]) =>
  statuses.every((status) => (passes === 'takes' ? status >= 200 && status < 300 : status >= 400 && status < 500))

export const gauntletCommand: Command = {
  kind: 'sandbox',
  name: 'gauntlet',
  summary: 'Test a webhook handler with everything it may meet, and report what it survives',
  starts: true,
  arguments: ['url'],
  options: {
    'signing-secret': {
      type: 'string',
      value: '<whsec_…>',
      description: 'The signing secret that the handler knows; by default that of the webhook with this address',
    },
    'skip-verify': { type: 'boolean', description: 'Accept https with a self-signed certificate' },
  },
  examples: [
    ['gauntlet http://127.0.0.1:3000/hook --signing-secret whsec_…', 'a handler that knows this secret'],
    ['gauntlet http://127.0.0.1:3000/hook', 'a handler that is subscribed under this address'],
  ],
  check: readCall,
  async run(input) {
    const { options, sandbox, tell, output } = input
    const { url, given } = readCall(input)
    const secret = given ?? secretBytes(await secretOf(sandbox, url))
    const desk: Desk = { url, secret, skipVerify: options['skip-verify'] === true, events: await realEvents(sandbox) }
    const paint = makePaint(output)
    let failed = 0
    for (const exam of exams) {
      const answers = await exam.take(desk)
      if (exam === exams[0] && answers[0] === 0) throw new CommandError(`Nothing answers at ${url}.`)
      const passed = hasPassed(exam, answers)
      if (!passed) failed++
      const said = answers.map((status) => status || 'no answer').join(', ')
      const verdict = passed ? paint('green', 'survives') : paint('red', 'fails   ')
      tell(
        { exam: exam.name, passed, answers, expected: exam.expected },
        `${verdict}  ${exam.name.padEnd(17)}  ${said.padEnd(13)}${passed ? '' : `  ${exam.expected}`}`.trimEnd(),
      )
    }
    if (failed > 0) throw new CommandError(`The handler fails ${failed} of ${exams.length}.`)
    return undefined
  },
}

/** The handler, and the secret that it knows where that was given. */
function readCall({ arguments: [url = ''], options }: CommandInput): { url: string; given: Buffer | undefined } {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError('Give the http or https address of the handler, such as http://127.0.0.1:3000/hook.')
  const secret = options['signing-secret']
  return { url, given: secret === undefined ? undefined : secretBytes(String(secret)) }
}

async function secretOf(sandbox: Sandbox, url: string): Promise<string> {
  interface Webhook {
    readonly url: string
    readonly signing_secret: string
  }
  const { webhooks } = await sandbox.ask<{ webhooks: Webhook[] }>('GET', '/v1/notifications/webhooks', { as: merchant })
  const own = webhooks.find((webhook) => calledAt(webhook.url) === calledAt(url))
  if (!own)
    throw new UsageError(
      `No webhook has the address ${url}: give the secret that the handler knows with --signing-secret.`,
    )
  return own.signing_secret
}

/** A dispute from its beginning to its end, as the service tells it. */
async function realEvents(sandbox: Sandbox): Promise<EventDocument[]> {
  const ids: string[] = []
  // What else happens in the sandbox meanwhile is nothing to the exam.
  const story = overridden(recipeFor('CUSTOMER.DISPUTE.RESOLVED')!, [])
  for await (const { events, failures } of play(story, sandbox)) {
    if (failures.length > 0) throw new CommandError(failures.join('\n'))
    for (const { id, event_type } of events) if (event_type.startsWith('CUSTOMER.DISPUTE.')) ids.push(id)
  }
  return Promise.all(
    ids.map((id) => sandbox.ask<EventDocument>('GET', `/v1/notifications/webhooks-events/${id}`, { as: merchant })),
  )
}
