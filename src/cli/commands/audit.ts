import { findApp } from '../../accounts/store.ts'
import { type AuditFilter, findEntries } from '../../audit/store.ts'
import type { Reader } from '../../database/transaction.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type Command, UsageError } from '../command.ts'
import { readInstant } from '../since.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 10_000

/** Who did what. Reading it leaves no trace. */
export const auditCommand: Command = {
  kind: 'store',
  name: 'audit',
  summary: 'Show who did what, newest first',
  examples: [
    ['audit --since P1D', 'shows the last day'],
    ['audit --resource INV2-ED3C-848V-MEY6-N52Q', 'shows what was done to an invoice'],
  ],
  options: {
    account: { type: 'string', value: '<id>', description: 'Only what concerns things of this account' },
    actor: {
      type: 'string',
      value: '<name>',
      description: 'Only what this one did: a client id, or an actor as shown',
    },
    resource: { type: 'string', value: '<id>', description: 'Only what was done to this' },
    cause: { type: 'string', value: '<debug id>', description: 'Only what followed from this request' },
    since: { type: 'string', value: '<time>', description: 'An instant, or how long ago: PT2H, P7D' },
    limit: { type: 'string', value: '<count>', description: `At most so many; ${LIMIT_DEFAULT} by default` },
  },
  check({ options }) {
    readLimit(options['limit'])
    if (options['since'] !== undefined) readInstant('--since', String(options['since']), systemClock.now())
  },
  async run({ db, transact, options }) {
    const option = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined)
    const [account_id, resource_id, cause] = [option('account'), option('resource'), option('cause')]
    const actor = option('actor')
    const since = option('since')
    const filter: AuditFilter = {
      ...(account_id !== undefined && { account_id }),
      ...(resource_id !== undefined && { resource_id }),
      ...(cause !== undefined && { cause }),
      ...(actor !== undefined && { actor: await actorNamed(db, actor) }),
      ...(since !== undefined && { since: readInstant('--since', since, await transact(async (tx) => tx.now)) }),
    }
    const entries = await findEntries(db, filter, readLimit(options['limit']))
    return entries.map(({ create_time, seq: _, ...entry }) => ({ time: create_time, ...entry }))
  },
}

/** Apps are known to people by their client id. */
async function actorNamed(db: Reader, name: string): Promise<string> {
  const app = await findApp(db, name)
  return app ? `app:${app.id}` : name
}

function readLimit(given: unknown): number {
  if (given === undefined) return LIMIT_DEFAULT
  const text = String(given)
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > LIMIT_MAX)
    throw new UsageError(`--limit must be a number from 1 to ${LIMIT_MAX}.`)
  return Number(text)
}
