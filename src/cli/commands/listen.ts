import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../kernel/clock.ts'
import { eventTypes } from '../../kernel/event-types.ts'
import { didYouMean } from '../../kernel/spelling.ts'
import { callHandler } from '../../outbound/handler-call.ts'
import { noAnswerReason, plainCall } from '../../outbound/plain-call.ts'
import { openReceiver, type ReceivedCall } from '../../outbound/receiver.ts'
import { NoAnswer, openClient } from '../../scenarios/client.ts'
import { standardHeaders } from '../../webhooks/signing/signature.ts'
import { type Command, type CommandInput, type Sandbox, type SandboxInput, UsageError } from '../command.ts'
import { makePaint, type Paint } from '../paint.ts'
import { secretBytes } from '../secret.ts'

/** Where our receivers answer, so that one that was left behind can be told from others. */
const PATH = '/quittance-listen'
const webhooksPath = '/v1/notifications/webhooks'
const GONE_AFTER_MS = 1_000
const WAIT_SECONDS = 20
const ASK_AGAIN_MS = 1_000
/** Calls that may leave a sandbox without our webhook. */
const takesAlong = /^\/sandbox\/(reset|snapshots\/[^/]+\/load)$/

interface Webhook {
  readonly id: string
  readonly url: string
  readonly signing_secret: string
}

/** Headers of a delivery that belong to the connection it came on. */
const ofTheConnection = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']

export const listenCommand: Command = {
  kind: 'sandbox',
  name: 'listen',
  summary: 'Show each event as it comes, and forward it, signed, to a handler of your own',
  starts: true,
  options: {
    events: {
      type: 'string',
      multiple: true,
      value: '<names>',
      description: 'Only these, separated by commas; CUSTOMER.DISPUTE.* is all of a kind',
      choices: () => Object.keys(eventTypes),
    },
    'forward-to': {
      type: 'string',
      value: '<url>',
      description: 'Where each delivery is sent on, with all its headers',
    },
    print: { type: 'boolean', description: 'Print the whole event' },
    'signing-secret': {
      type: 'string',
      value: '<whsec_…>',
      description: 'Sign what is forwarded with the secret of your handler as well',
    },
    'skip-verify': { type: 'boolean', description: 'Forward to https with a self-signed certificate' },
    as: { type: 'string', value: '<client id>', description: 'The app that subscribes; sandbox-merchant by default' },
    'reached-at': {
      type: 'string',
      value: '<host>',
      description: 'How the sandbox reaches this machine, if it runs on another; 127.0.0.1 by default',
    },
  },
  examples: [
    ['listen', 'every event, one line each'],
    ['listen --events CUSTOMER.DISPUTE.* --print', 'disputes, whole'],
    [
      'listen --forward-to http://127.0.0.1:3000/hook --signing-secret whsec_…',
      'to your handler, which checks signatures',
    ],
    ['listen --forward-to https://shop.test:8443/hook --skip-verify', 'to one with a self-signed certificate'],
  ],
  check: readCall,
  async run(input) {
    const { sandbox, options, output } = input
    const as = { client_id: String(options['as'] ?? 'sandbox-merchant') }
    const { events, reachedAt, target } = readCall(input)
    const receiver = await openReceiver(forwarder(input, target), {
      path: PATH,
      ...(reachedAt !== undefined && { reachedAt }),
    })
    const { interrupted } = output
    try {
      await sweep(sandbox, as, new URL(receiver.url).hostname)
      const body = { url: receiver.url, event_types: events.map((name) => ({ name })) }
      const subscribe = async () => {
        const made = await sandbox.ask<Webhook>('POST', webhooksPath, { as, body })
        output.err(
          `Listening at ${sandbox.url} as webhook ${made.id}, signed with ${made.signing_secret}. Ctrl-C ends it.\n`,
        )
        return made
      }
      const { seq } = await sandbox.ask<Told>('GET', '/sandbox/timeline?page_size=1')
      let webhook = await subscribe()
      for await (const _ of startsAnew(sandbox.url, seq, interrupted)) {
        const { status } = await sandbox.call({ method: 'GET', path: `${webhooksPath}/${webhook.id}`, as })
        if (status === 404) webhook = await subscribe()
      }
      // A sandbox that has ended meanwhile, as one may in the terminal beside, sends nothing any more.
      await sandbox
        .call({ method: 'DELETE', path: `${webhooksPath}/${webhook.id}`, as })
        .catch((error: unknown) => requireNoAnswer(error))
    } finally {
      await receiver.close()
    }
    return undefined
  },
}

function readCall({ options }: CommandInput) {
  const events = namesOf([options['events'] ?? '*'].flat().map(String))
  const reachedAt = options['reached-at'] === undefined ? undefined : String(options['reached-at'])
  if (reachedAt !== undefined && !/^(\[[\da-f:.]+\]|[\w.-]+)$/i.test(reachedAt))
    throw new UsageError('--reached-at is a name or an address of this machine, such as 192.168.1.20 or [fd00::20].')
  return { events, reachedAt, target: targetOf(options) }
}

/** Where deliveries are sent on to, if anywhere. */
interface Target {
  readonly url: string | undefined
  readonly secret: Buffer | undefined
  readonly skipVerify: boolean
}

function targetOf(options: CommandInput['options']): Target {
  const url = options['forward-to'] === undefined ? undefined : String(options['forward-to'])
  if (url !== undefined && !(URL.canParse(url) && /^https?:/.test(url)))
    throw new UsageError('--forward-to is an http or https address, such as http://127.0.0.1:3000/hook.')
  const secret = options['signing-secret'] === undefined ? undefined : secretBytes(String(options['signing-secret']))
  return { url, secret, skipVerify: options['skip-verify'] === true }
}

function requireNoAnswer(error: unknown): undefined {
  if (!(error instanceof NoAnswer)) throw error
}

/** What the timeline of the sandbox tells. */
interface Told {
  readonly seq: number
  readonly threads: readonly { readonly happenings: readonly { readonly details: { readonly path?: string } }[] }[]
}

/** Tells whenever the sandbox began anew after this place in its timeline, until it is told to stop. */
async function* startsAnew(url: string, from: number, signal: AbortSignal | undefined): AsyncGenerator<void> {
  const client = openClient(url, signal)
  let seq = from
  while (!signal?.aborted) {
    const path = `/sandbox/timeline?kind=request&subject=/sandbox/&after=${seq}&wait=${WAIT_SECONDS}`
    const answer = await client.call({ method: 'GET', path }).catch(requireNoAnswer)
    const told = answer?.status === 200 ? (answer.body as Told) : undefined
    if (told) seq = told.seq
    const calls = told?.threads.flatMap(({ happenings }) => happenings.map(({ details }) => details.path ?? '')) ?? []
    if (calls.some((call) => takesAlong.test(call))) yield
    // One that ends, or has ended, answers at once or not at all.
    else if (calls.length === 0) await pause(ASK_AGAIN_MS, undefined, { ...(signal && { signal }) }).catch(() => {})
  }
}

/** The event types that are meant; a star at the end stands for any ending. */
function namesOf(given: readonly string[]): string[] {
  const known = Object.keys(eventTypes)
  return given
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter(Boolean)
    .flatMap((name) => {
      if (name === '*') return [name]
      const found = name.endsWith('*')
        ? known.filter((type) => type.startsWith(name.slice(0, -1)))
        : known.filter((type) => type === name)
      if (found.length === 0)
        throw new UsageError(`${name} is not an event.${didYouMean(name, known)} There are ${known.join(', ')}.`)
      return found
    })
}

/**
 * Takes away webhooks of earlier calls that were killed before they could do so. Only those of this machine: whether somebody
 * listens on another one cannot be seen from here.
 */
async function sweep(sandbox: Sandbox, as: { client_id: string }, machine: string): Promise<void> {
  const { webhooks } = await sandbox.ask<{ webhooks: Webhook[] }>('GET', webhooksPath, { as })
  const ours = webhooks.filter(({ url }) => new URL(url).pathname === PATH && new URL(url).hostname === machine)
  await Promise.all(
    ours.map(async ({ id, url }) => {
      const signal = AbortSignal.timeout(GONE_AFTER_MS)
      const isThere = await plainCall({ method: 'GET', url, signal }).then(
        () => true,
        () => false,
      )
      if (!isThere) await sandbox.call({ method: 'DELETE', path: `${webhooksPath}/${id}`, as })
    }),
  )
}

interface Event {
  readonly id: string
  readonly event_type: string
  readonly resource?: {
    readonly id?: string
    readonly dispute_id?: string
    readonly invoice?: { readonly id?: string }
  }
}

/** What becomes of a delivery: it is shown, and sent on where that was asked for. */
function forwarder(
  { options, output, tell }: SandboxInput,
  { url, ...how }: Target,
): (call: ReceivedCall) => Promise<{ status: number }> {
  const paint = makePaint(output)
  return async (call) => {
    if (call.body.length === 0) return { status: 204 }
    const event = JSON.parse(call.body.toString()) as Event
    const forwarded = url === undefined ? undefined : await forward(call, { url, ...how })
    const { resource } = event
    const resourceId = resource?.dispute_id ?? resource?.invoice?.id ?? resource?.id
    const record = {
      time: systemClock.now(),
      type: event.event_type,
      event_id: event.id,
      resource_id: resourceId,
      ...forwarded,
    }
    const whole = options['print'] === true
    tell(
      whole ? { ...record, event } : record,
      line(record, paint) + (whole ? `\n${JSON.stringify(event, null, 2)}` : ''),
    )
    return { status: forwarded === undefined ? 200 : (forwarded.status ?? 502) }
  }
}

interface Forwarded {
  readonly status?: number
  readonly ms?: number
  readonly error?: string
}

async function forward(
  { headers, body }: ReceivedCall,
  { url, secret, skipVerify }: Target & { readonly url: string },
): Promise<Forwarded> {
  const passed = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofTheConnection.includes(name) ? [] : [[name, String(value)]],
    ),
  )
  if (secret) {
    const seconds = Number(passed['webhook-timestamp'])
    const own = standardHeaders({ id: passed['webhook-id'] ?? '', seconds, body }, [secret])
    passed['webhook-signature'] = `${passed['webhook-signature']} ${own['webhook-signature']}`
  }
  try {
    return await callHandler({ url, headers: passed, body, skipVerify })
  } catch (error) {
    return { error: (error as NodeJS.ErrnoException).code ?? noAnswerReason(error) }
  }
}

function line(
  {
    time,
    type,
    resource_id,
    status,
    ms,
    error,
  }: { time: string; type: string; resource_id: string | undefined } & Forwarded,
  paint: Paint,
): string {
  const answer =
    error !== undefined
      ? paint('red', `no answer (${error})`)
      : status === undefined
        ? ''
        : `${paint(status < 300 ? 'green' : 'red', String(status))}  ${paint('dim', `${ms} ms`)}`
  return [paint('dim', time.slice(11, 19)), paint('cyan', type), resource_id, answer].filter(Boolean).join('  ')
}
