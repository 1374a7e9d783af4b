import { type Command, type SandboxInput, UsageError } from '../command.ts'
import { findSandbox } from '../sandbox.ts'

interface Clock {
  readonly now: string
  readonly frozen: boolean
}
interface Work {
  readonly work: string
  readonly at: string
  readonly key?: string
}
interface Due extends Work {
  readonly what: string
}
interface Moved extends Clock {
  readonly fired: readonly Work[]
  readonly next?: readonly Due[]
}
interface Logged {
  readonly debug_id: string
  readonly time: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  readonly client_id?: string
  readonly problem?: { readonly name: string; readonly details: readonly { issue: string; description: string }[] }
  readonly unknown_fields?: readonly string[]
}
interface Explanation {
  readonly standing: string
  readonly story: readonly { readonly time: string; readonly summary: string; readonly rule?: string }[]
  readonly due: readonly Due[]
  readonly possible?: readonly string[]
}

const moves = ['now', 'freeze', 'run', 'advance', 'to', 'next'] as const
const kinds = ['dispute', 'invoice', 'event', 'delivery', 'request'] as const
const WAIT_SECONDS = 20
const DUE_MAX = 200

/** Looking at a running sandbox, and moving its clock. */
export const watchCommands: readonly Command[] = [
  {
    kind: 'sandbox',
    name: 'clock',
    summary: 'Show the clock of the sandbox, or move it; what falls due on the way is done',
    arguments: ['[now|freeze|run|advance|to|next]', '[how far]'],
    choices: [() => moves],
    examples: [
      ['clock', 'says what time it is'],
      ['clock advance P20D', 'lets twenty days pass'],
      ['clock next', 'goes to the next thing that is due and says what it was'],
    ],
    run: moveClock,
  },
  {
    kind: 'sandbox',
    name: 'due',
    summary: 'List what falls due when, and what it will do',
    options: { subject: { type: 'string', value: '<id>', description: 'Only what is about this' } },
    examples: [['due', 'lists deadlines, scheduled invoices and the next attempts of deliveries']],
    async run({ sandbox, output, options: { subject } }) {
      const about = typeof subject === 'string' ? `&subject=${encodeURIComponent(subject)}` : ''
      const path = `/sandbox/due?limit=${DUE_MAX}${about}`
      const { due, has_more } = await sandbox.ask<{ due: Due[]; has_more: boolean }>('GET', path)
      if (has_more) output.err(`quittance: these are the first ${DUE_MAX}, and there are more.\n`)
      return due.map(({ at, what }) => ({ at, what }))
    },
  },
  {
    kind: 'sandbox',
    name: 'requests',
    summary: 'List the API calls the sandbox answered, with the problem in words',
    options: {
      failed: { type: 'boolean', description: 'Only those that were refused or failed' },
      follow: { type: 'boolean', description: 'Go on with those that come' },
      limit: { type: 'string', value: '<number>', description: 'How many of the newest; 20 by default' },
    },
    examples: [
      ['requests --failed', 'shows what was refused, and why'],
      ['requests --follow', 'shows each call as it comes'],
    ],
    run: listRequests,
  },
  {
    kind: 'sandbox',
    name: 'explain',
    summary: 'Explain how something came to be: requests, rules, timers, money, mails and attempts, in order of time',
    arguments: ['dispute|invoice|event|delivery|request', 'id'],
    choices: [() => kinds],
    examples: [['explain dispute PP-R-RPD-60774082', 'tells its story and what happens if nobody acts']],
    async run({ sandbox, tell, arguments: [kind = '', id = ''] }) {
      if (!kinds.some((known) => known === kind)) throw new UsageError(`Explain one of ${kinds.join(', ')}.`)
      const told = await sandbox.ask<Explanation>('GET', `/sandbox/explain/${kind}/${encodeURIComponent(id)}`)
      tell(told, textOf(told))
      return undefined
    },
  },
]

async function moveClock({ sandbox, tell, arguments: [move = 'now', how] }: SandboxInput): Promise<undefined> {
  const takesHow = move === 'advance' || move === 'to'
  if (!moves.some((known) => known === move)) throw new UsageError(`Say one of ${moves.join(', ')}.`)
  if (takesHow !== (how !== undefined))
    throw new UsageError(
      takesHow
        ? `Say how far: clock ${move} ${move === 'to' ? '2027-01-01T00:00:00Z' : 'P20D'}.`
        : `clock ${move} takes nothing more.`,
    )
  const standing = ({ now, frozen }: Clock) => `${now}, ${frozen ? 'standing still' : 'running'}`
  if (move === 'now') {
    const clock = await sandbox.ask<Clock & Record<string, unknown>>('GET', '/sandbox/clock')
    tell(clock, standing(clock))
    return undefined
  }
  const body = { freeze: { freeze: true }, run: { freeze: false }, next: { next: true } }[move] ?? { [move]: how }
  // Work that is done has no description any more, so what is due is asked for before the clock moves.
  const { due } = await sandbox.ask<{ due: Due[] }>('GET', `/sandbox/due?limit=${DUE_MAX}`)
  const wordsOf = ({ work, at, key }: Work) =>
    due.find((one) => one.work === work && one.at === at && one.key === key)?.what ?? work
  const moved = await sandbox.ask<Moved & Record<string, unknown>>('POST', '/sandbox/clock', { body })
  const lines = [
    standing(moved),
    ...(moved.next ?? []).map(({ at, what }) => `${at}  ${what}`),
    ...(moved.next ? [] : moved.fired.map((one) => `${one.at}  ${wordsOf(one)}`)),
  ]
  tell(moved, lines.join('\n'))
  return undefined
}

async function listRequests({ sandbox, tell, options, output }: SandboxInput): Promise<undefined> {
  const limit = Number(options['limit'] ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw new UsageError('--limit takes a number from 1 to 500.')
  const failed = options['failed'] ? '&failed=true' : ''
  const seen = new Set<string>()
  const show = async (size: number) => {
    const { requests } = await sandbox.ask<{ requests: Logged[] }>(
      'GET',
      `/sandbox/requests?page_size=${size}${failed}`,
    )
    for (const request of requests.reverse()) {
      if (seen.has(request.debug_id)) continue
      seen.add(request.debug_id)
      tell(request, lineOf(request))
    }
  }
  let { seq } = await sandbox.ask<{ seq: number }>('GET', '/sandbox/timeline?page_size=1')
  await show(limit)
  if (!options['follow']) return undefined
  // The call is ended by an interrupt, and does not wait for the next request to be told.
  const following = await findSandbox(sandbox.url, output.interrupted)
  while (following && !output.interrupted?.aborted) {
    const path = `/sandbox/timeline?kind=request&page_size=200&after=${seq}&wait=${WAIT_SECONDS}`
    const found = await following.ask<{ seq: number; threads: object[] }>('GET', path).catch((error: unknown) => {
      if (output.interrupted?.aborted) return undefined
      throw error
    })
    if (!found) break
    seq = found.seq
    if (found.threads.length > 0) await show(Math.min(500, found.threads.length + 50))
  }
  return undefined
}

function lineOf({
  time,
  debug_id,
  status,
  method,
  path,
  duration_ms,
  client_id,
  problem,
  unknown_fields = [],
}: Logged) {
  const head = `${time}  ${debug_id}  ${status}  ${method} ${path}  ${duration_ms} ms${client_id ? `  ${client_id}` : ''}`
  const reasons =
    problem && problem.details.length === 0
      ? [problem.name]
      : (problem?.details ?? []).map(({ issue, description }) => `${issue}: ${description}`)
  return [head, ...[...reasons, ...unknown_fields].map((line) => `    ${line}`)].join('\n')
}

function textOf({ standing, story, due, possible = [] }: Explanation): string {
  return [
    standing,
    '',
    ...story.flatMap(({ time, summary, rule }) => [
      `${time}  ${summary}`,
      ...(rule === undefined ? [] : [`    by the rule: ${rule}`]),
    ]),
    ...(due.length > 0 ? ['', 'Ahead:', ...due.map(({ at, what }) => `${at}  ${what}`)] : []),
    ...(possible.length > 0 ? ['', 'Now:', ...possible.map((line) => `  ${line}`)] : []),
  ].join('\n')
}
