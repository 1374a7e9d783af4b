import type { Registry } from 'prom-client'
import { Gauge } from 'prom-client'
import { sql, statementOf } from '../database/sql.ts'
import type { Reader, Transact, Tx } from '../database/transaction.ts'
import { type JobContext, type JobDefinition, job } from '../jobs/job-definition.ts'
import { after, type Instant } from '../kernel/clock.ts'
import type { JobRequest } from '../kernel/job.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'

const NAME = 'check-invariants'
/** A rule that takes longer is left for psql and a quiet hour. */
const STATEMENT_TIMEOUT_MS = 30_000
/** More is as bad. */
const BROKEN_MAX = 1_000
const FIRST_AFTER_SECONDS = 600
const HOUR_SECONDS = 3_600

/** What the last check found. It waits with the next one, so that every process can show it. */
interface Findings {
  readonly checked_time?: Instant
  /** By rule: how many rows break it. */
  readonly broken?: Readonly<Record<string, number>>
  /** Rules that took too long. */
  readonly unchecked?: readonly string[]
}

const nextCheck = (runAt: Instant, findings: Findings): JobRequest => ({
  name: NAME,
  key: NAME,
  // Of no account: it takes its turn before them. An empty name would come before the first turn, and never have one.
  payload: { ...findings, account_id: '-' },
  runAt,
})

/** Lets the first check come, unless one is to come anyway. */
export const beginChecks = (transact: Transact): Promise<void> =>
  transact(async (tx) => tx.enqueue(nextCheck(after(tx.now, FIRST_AFTER_SECONDS), {})))

/**
 * Goes through all rules, one statement at a time, and again after so many hours. With 0 of them nothing is checked: what was to
 * come when the setting was another comes to its end.
 */
export const checkJob = (hours: number): JobDefinition =>
  job<Findings>({
    name: NAME,
    retryAfter: [600, 3_600],
    async run(last, { transact, now, db, ending }) {
      if (hours === 0) return
      const broken: Record<string, number> = {}
      const unchecked: string[] = []
      for await (const { rule, rows } of countAll(transact, STATEMENT_TIMEOUT_MS, { db, ending })) {
        // Another process, or this one when it is back, begins anew.
        if (ending.aborted) {
          await transact(async (tx) =>
            tx.enqueue({ ...nextCheck(after(now, FIRST_AFTER_SECONDS), last), replace: true }),
          )
          return
        }
        if (rows === undefined) unchecked.push(rule)
        else broken[rule] = rows
      }
      const findings = { checked_time: now, broken, unchecked }
      await transact(async (tx) =>
        tx.enqueue({ ...nextCheck(after(now, hours * HOUR_SECONDS), findings), replace: true }),
      )
    },
  })

/** The rules that rows break now, or that took too long to check. */
export async function brokenRules(transact: Transact): Promise<string[]> {
  const broken: string[] = []
  for await (const { rule, rows } of countAll(transact)) if (rows !== 0) broken.push(rule)
  return broken
}

/** What ends the statement under way, and how the server is told of it. */
type Ending = Pick<JobContext, 'db' | 'ending'>

/** Goes through all rules: how many rows break each, undefined where that took too long. */
export async function* countAll(transact: Transact, limitMs = STATEMENT_TIMEOUT_MS, end?: Ending) {
  for (const rule of rules) yield { rule: rule.sentence, rows: await countBroken(transact, rule, limitMs, end) }
}

function countBroken(
  transact: Transact,
  { query }: Rule,
  limitMs: number,
  end: Ending | undefined,
): Promise<number | undefined> {
  const counting = statementOf(
    `select count(*)::int as broken from (${query}\nlimit ${BROKEN_MAX}) as rows_that_break_it`,
  )
  const count = async (tx: Tx) => (await tx.row<{ broken: number }>(counting))!.broken
  return transact((tx) => (end ? untilTheEnd(tx, end, count) : count(tx)), {
    locks: true,
    limitMs,
  }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) return undefined
    throw error
  })
}

const QUERY_CANCELED = '57014'
const CANCEL_AGAIN_MS = 100

const ownPid = sql`select pg_backend_pid() as pid`
/** Only what counts: the next who has that connection must not be disturbed. */
const cancelCount = sql`
  select pg_cancel_backend(pid) from pg_stat_activity
  where pid = $1 and state = 'active' and query like 'select count(*)::int as broken from (%'`

/** Has the server give the work up when the process is to end: it may take longer than that waits. */
async function untilTheEnd<T>(tx: Tx, { db, ending }: Ending, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { pid } = (await tx.row<{ pid: number }>(ownPid))!
  let timer: NodeJS.Timeout | undefined
  const cancel = () => {
    // Again and again, because it may not have begun.
    timer = setInterval(() => void db.rows(cancelCount, [pid]).catch(() => {}), CANCEL_AGAIN_MS)
  }
  ending.addEventListener('abort', cancel)
  if (ending.aborted) cancel()
  try {
    return await work(tx)
  } finally {
    ending.removeEventListener('abort', cancel)
    clearInterval(timer)
  }
}

const lastFindings = sql`select payload from jobs where key = $1`

/** Shows what the last check found. Nothing is shown before the first. */
export function showFindings(db: Reader, registry: Registry): void {
  const find = async (): Promise<Findings> =>
    (await db.row<{ payload: Findings }>(lastFindings, [NAME]).catch(() => undefined))?.payload ?? {}
  const gauge = (name: string, help: string, show: (gauge: Gauge, findings: Findings) => void) =>
    new Gauge({
      name,
      help,
      labelNames: ['rule'],
      registers: [registry],
      async collect() {
        this.reset()
        const findings = await find()
        if (findings.checked_time !== undefined) show(this, findings)
      },
    })
  gauge(
    'quittance_invariant_broken_rows',
    'Rows that break a rule of invariants.sql; must be 0.',
    (it, { broken = {} }) => {
      for (const [rule, count] of Object.entries(broken)) it.set({ rule }, count)
    },
  )
  gauge('quittance_invariants_unchecked', 'Rules that took too long to check.', (it, { unchecked = [] }) =>
    it.set(unchecked.length),
  )
  gauge('quittance_invariants_checked_timestamp_seconds', 'When the stored data was last checked.', (it, findings) =>
    it.set(Date.parse(findings.checked_time!) / 1000),
  )
}
