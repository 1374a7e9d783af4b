import type { Reader } from '../../database/transaction.ts'
import { unhurried } from '../../database/unhurried.ts'
import {
  countAllParked,
  dropParked,
  findParked,
  listParked,
  PARKED_LISTED_MAX,
  type ParkedJob,
  retryParked,
} from '../../jobs/parked.ts'
import { subjectOf } from '../../jobs/runner.ts'
import { type Command, CommandError, UsageError } from '../command.ts'

/** Shows parked jobs, tries them again, and gives them up. */
export const jobCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'jobs parked',
    summary: 'List jobs that failed for good',
    examples: [['jobs parked', 'shows ids, names, whose they are, what they are about and the last error']],
    run: async ({ db }) =>
      (await allParked(db)).map(({ id, name, account_id, attempts, parked_time, error, payload }) => ({
        id,
        name,
        account_id,
        about: subjectOf(payload),
        attempts,
        parked_time,
        error,
      })),
  },
  {
    kind: 'store',
    name: 'jobs retry',
    summary: 'Try parked jobs again, one by its id or all',
    arguments: ['id or all'],
    examples: [
      ['jobs retry 4711', 'tries one again'],
      ['jobs retry all --name issue-invoice', 'tries all of a name'],
    ],
    options: { name: { type: 'string', value: '<name>', description: 'With all: only jobs of this name' } },
    check({ arguments: [id], options: { name } }) {
      if (name !== undefined && id !== 'all') throw new UsageError('--name goes with all.')
    },
    async run({ db, transact, arguments: [id], options: { name } }) {
      if (id !== 'all') {
        const found = await requireParked(db, id!)
        await transact(async (tx) => retryParked(tx, { id: found.id }))
        return { retried: 1, id: found.id, name: found.name }
      }
      const only = name === undefined ? undefined : String(name)
      // After an outage of a far end there may be more than a statement gets through in its usual time.
      const retried = await transact(async (tx) => {
        retryParked(tx, { name: only })
        return countAllParked(tx, only)
      }, unhurried)
      return { retried, ...(only !== undefined && { name: only }) }
    },
  },
  {
    kind: 'store',
    name: 'jobs drop',
    summary: 'Drop a parked job; its work is not done',
    arguments: ['id'],
    examples: [['jobs drop 4711', 'forgets it']],
    async run({ db, transact, arguments: [id] }) {
      const found = await requireParked(db, id!)
      await transact(async (tx) => dropParked(tx, found.id))
      return { dropped: found.id, name: found.name }
    },
  },
]

/** Page by page, to the last. */
async function allParked(db: Reader): Promise<ParkedJob[]> {
  const found: ParkedJob[] = []
  for (;;) {
    const after = found.at(-1)
    const page = await listParked(db, after && { after })
    found.push(...page)
    if (page.length < PARKED_LISTED_MAX) return found
  }
}

/** The one that a command is about to change. */
async function requireParked(db: Reader, id: string): Promise<ParkedJob> {
  const found = await findParked(db, id)
  if (!found) throw new CommandError(`There is no parked job ${id}; "quittance jobs parked" shows those there are.`)
  return found
}
