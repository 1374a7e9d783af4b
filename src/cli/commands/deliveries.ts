import type { Reader, Tx } from '../../database/transaction.ts'
import { unhurried } from '../../database/unhurried.ts'
import { type Instant, systemClock } from '../../kernel/clock.ts'
import {
  attemptOne,
  findOperated,
  type OperatedWebhook,
  sendAgain,
  sendingRefused,
  troubledWebhooks,
  undeliveredTo,
} from '../../webhooks/operated.ts'
import { REPLAY_MAX } from '../../webhooks/schema.ts'
import { type Command, CommandError, type CommandInput, type StoreInput, UsageError } from '../command.ts'
import { readInstant } from '../since.ts'

const SHOWN_MAX = 1_000
const SINCE = 'P1D'
const since = {
  type: 'string',
  value: '<time>',
  description: `Only what failed since an instant, or for so long: PT2H, P7D; ${SINCE} by default`,
} as const
const account = { type: 'string', value: '<id>', description: 'Only to webhooks of this account' } as const

/** What has not reached its receivers, and sending it again. Nobody reads bodies here. */
export const deliveryCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'deliveries list',
    summary: 'List webhooks with deliveries that wait or failed, the worst first',
    examples: [
      ['deliveries list', 'shows addresses, how much waits and failed, and the last error'],
      ['deliveries list --account 5D7AXM9OKD1Q6 --since P7D', 'shows those of a merchant, with what failed in a week'],
    ],
    options: { account, since },
    check: checkTimes,
    async run(input) {
      const { from } = await spanOf(input)
      return input.transact((tx) => troubledWebhooks(tx, { account: text(input, 'account'), since: from }), unhurried)
    },
  },
  {
    kind: 'store',
    name: 'deliveries show',
    summary: `List the deliveries of a webhook that wait or failed, the newest first, at most ${SHOWN_MAX}`,
    arguments: ['webhook id'],
    examples: [['deliveries show 5GP028458E2496506', 'shows ids, events, attempts, answers and when the next is due']],
    options: { since },
    check: checkTimes,
    async run(input) {
      const { webhook } = await requireWebhook(input.db, input.arguments[0]!)
      return undeliveredTo(input.db, webhook, { since: (await spanOf(input)).from, limit: SHOWN_MAX })
    },
  },
  {
    kind: 'store',
    name: 'deliveries retry',
    summary: `Send again the events that have not arrived at a webhook, or at all of them, at most ${REPLAY_MAX} each at a time; events keep their ids`,
    arguments: ['webhook id or all'],
    examples: [
      ['deliveries retry 5GP028458E2496506 --since PT6H', 'sends again what failed there in six hours'],
      ['deliveries retry 5GP028458E2496506 --delivery 0b1e5c0a-…', 'attempts one now'],
      ['deliveries retry all --account 5D7AXM9OKD1Q6', 'sends again to every webhook of a merchant'],
    ],
    options: {
      delivery: { type: 'string', value: '<id>', description: 'With a webhook: only this one' },
      account: { ...account, description: 'With all: only to webhooks of this account' },
      since,
      until: { type: 'string', value: '<time>', description: 'Only what failed until then; until now by default' },
    },
    check(input) {
      const goesToAll = input.arguments[0] === 'all'
      if (goesToAll && text(input, 'delivery') !== undefined) throw new UsageError('--delivery goes with a webhook.')
      if (!goesToAll && text(input, 'account') !== undefined) throw new UsageError('--account goes with all.')
      checkTimes(input)
    },
    async run(input) {
      const [id] = input.arguments
      const [delivery, accountId] = [text(input, 'delivery'), text(input, 'account')]
      const span = await spanOf(input)
      if (id !== 'all') return retryOne(input, id!, span, delivery)
      const found = await input.transact(
        (tx) => troubledWebhooks(tx, { account: accountId, since: span.from }),
        unhurried,
      )
      const results: object[] = []
      for (const { webhook_id, account_id, url } of found)
        results.push({ webhook_id, account_id, url, ...(await retried(input, webhook_id, span)) })
      return results
    },
  },
]

interface Span {
  readonly from: Instant
  readonly to: Instant
}

const text = ({ options }: CommandInput, name: string) =>
  typeof options[name] === 'string' ? (options[name] as string) : undefined

/** Whether they are times at all; which ones, only the clock of the service says. */
function checkTimes(input: CommandInput): void {
  for (const name of ['since', 'until'])
    if (text(input, name) !== undefined) readInstant(`--${name}`, text(input, name)!, systemClock.now())
}

async function spanOf(input: StoreInput): Promise<Span> {
  const now = await input.transact(async (tx) => tx.now)
  const [from, until] = [text(input, 'since') ?? SINCE, text(input, 'until')]
  const span = {
    from: readInstant('--since', from, now),
    to: until === undefined ? now : readInstant('--until', until, now),
  }
  if (span.from > span.to) throw new UsageError('--since must not be later than --until.')
  return span
}

/** The one that a command is about. */
async function requireWebhook(db: Reader, id: string): Promise<OperatedWebhook> {
  const found = await findOperated(db, id)
  if (!found)
    throw new CommandError(`There is no webhook ${id}; "quittance deliveries list" shows where something waits.`)
  return found
}

async function retryOne(input: StoreInput, id: string, span: Span, delivery: string | undefined) {
  const { webhook } = await requireWebhook(input.db, id)
  const result = await retried(input, id, span, delivery)
  if (result.refused !== null) throw new CommandError(`Nothing was sent: ${result.refused}.`)
  return { webhook_id: id, account_id: webhook.account_id, sent_again: result.sent_again }
}

/** How many are sent again to a webhook, or why none is. */
async function retried({ transact, output }: StoreInput, id: string, span: Span, delivery?: string) {
  const send = async (tx: Tx, found: OperatedWebhook) => {
    if (delivery === undefined) return sendAgain(tx, found, span)
    if (await attemptOne(tx, found, delivery)) return 1
    throw new CommandError(`There is no delivery ${delivery} to this webhook; "quittance deliveries show" lists them.`)
  }
  const result = await transact(async (tx): Promise<{ sent_again: number; refused: string | null }> => {
    const found = await findOperated(tx, id)
    // Of many that are gone through one after the other, one may be deleted meanwhile.
    if (!found) return { sent_again: 0, refused: 'the webhook was deleted' }
    const refused = await sendingRefused(tx, found)
    return { sent_again: refused === undefined ? await send(tx, found) : 0, refused: refused ?? null }
  }, unhurried)
  if (result.sent_again >= REPLAY_MAX)
    output.err(`quittance: no more are sent again to ${id} at a time, and there may be more: call it again.\n`)
  return result
}
