import { sql } from '../database/sql.ts'
import type { Command } from './command.ts'

const parkedJobs = sql`
  select id::text, name, attempts, parked_time, split_part(last_error, E'\n', 1) as error from jobs
  where parked_time is not null order by parked_time limit 200`
const retryParked = sql`
  update jobs set parked_time = null, attempts = 0, crashes = 0, run_at = $2
  where parked_time is not null and ($1 = 'all' or id::text = $1)`

/** Shows parked jobs, and tries them again. */
export const jobCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'jobs parked',
    summary: 'List jobs that failed for good',
    run: ({ db }) => db.rows<object>(parkedJobs),
  },
  {
    kind: 'store',
    name: 'jobs retry',
    summary: 'Try parked jobs again, one by its id or all',
    arguments: ['id or all'],
    async run({ transact, arguments: [id] }) {
      await transact(async (tx) => tx.write(retryParked, [id, tx.now]))
      return { retried: id }
    },
  },
]
