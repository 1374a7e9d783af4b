import { sql } from '../../../database/sql.ts'
import type { Reader, Tx } from '../../../database/transaction.ts'
import { act } from '../../../invoices/act.ts'
import { type JobContext, type JobDefinition, job } from '../../../jobs/job-definition.ts'
import { removeAll, type Sweep } from '../../../jobs/sweep.ts'
import { after, type Instant } from '../../../kernel/clock.ts'
import { Problem, refused } from '../../../kernel/problem.ts'
import type { Service } from '../../../room.ts'

/** No more than this many are acted on at once. */
export const BULK_MAX = 1_000
/** How many one job does, because a service that stops waits for the job to end. */
const IN_ONE_JOB = 20
const KEPT_DAYS = 30
/** After this long without progress its job is parked or gone. It is given up, so that another can begin. */
const GIVEN_UP_AFTER_SECONDS = 86_400
const LISTED_MAX = 5

/** An invoice that was not done, and why. */
export interface Refused {
  readonly id: string
  readonly why: string
}

/** Something that is done to many invoices, one after the other. */
export interface Bulk {
  readonly id: string
  readonly about: string
  readonly person: string
  readonly person_id: string | null
  readonly total: number
  readonly done: number
  readonly refused: readonly Refused[]
  readonly create_time: string
  readonly finish_time: string | null
  /** Whether its job goes on, has gone through all, or has stopped halfway with no progress for a day. */
  readonly standing: 'GOING' | 'OVER' | 'GIVEN_UP'
}

const insertBulk = sql`
  insert into console_bulks (account_id, id, action, about, person, person_id, subjects, create_time)
  values ($1, $2, 'remind', $3, $4, $5, $6, $7)`
const bulkById = sql`
  select id, about, person, person_id, cardinality(subjects) as total, done, refused, create_time, finish_time,
    case when done = cardinality(subjects) then 'OVER'
      when finish_time is not null or coalesce(progress_time, create_time) <= $3 then 'GIVEN_UP' else 'GOING' end as standing
  from console_bulks where account_id = $1 and id = $2`
const bulksOf = sql`
  select id, about, person, person_id, cardinality(subjects) as total, done, refused, create_time, finish_time,
    case when done = cardinality(subjects) then 'OVER'
      when finish_time is not null or coalesce(progress_time, create_time) <= $3 then 'GIVEN_UP' else 'GOING' end as standing
  from console_bulks where account_id = $1 order by create_time desc limit $2`
const nextOf = sql`
  select subjects[done + 1] as subject, done, cardinality(subjects) as total, person_id from console_bulks
  where account_id = $1 and id = $2 and finish_time is null`
const advance = sql`
  update console_bulks set done = done + 1, refused = refused || $4::jsonb, progress_time = $5::text,
    finish_time = case when done + 1 = cardinality(subjects) then $5::text end
  where account_id = $1 and id = $2 and done = $3 and finish_time is null`
const giveUpOf = sql`
  update console_bulks set finish_time = $3
  where account_id = $1 and finish_time is null and coalesce(progress_time, create_time) <= $2`
const giveUp = sql`
  update console_bulks set finish_time = $3 where ctid = any(array(
    select ctid from console_bulks where finish_time is null and coalesce(progress_time, create_time) <= $1
    order by account_id limit $2 for update skip locked))
  returning 1`
const removeFinished = sql`
  delete from console_bulks where ctid = any(array(
    select ctid from console_bulks where finish_time <= $1 order by finish_time limit $2 for update skip locked))
  returning 1`

const givenUpBefore = (now: string): Instant => after(now as Instant, -GIVEN_UP_AFTER_SECONDS)

export const findBulk = (db: Reader, accountId: string, id: string, now: string): Promise<Bulk | undefined> =>
  db.row<Bulk>(bulkById, [accountId, id, givenUpBefore(now)])

/** The newest bulks of an account. */
export const listBulks = (db: Reader, accountId: string, now: string): Promise<Bulk[]> =>
  db.rows<Bulk>(bulksOf, [accountId, LISTED_MAX, givenUpBefore(now)])

/** Gives up a bulk that made no progress. This is a commit of its own, because statements of one commit do not see each other. */
export const giveUpBulk = async (db: Reader, accountId: string, now: string): Promise<void> => {
  await db.rows(giveUpOf, [accountId, givenUpBefore(now), now])
}

interface NewBulk {
  readonly accountId: string
  readonly about: string
  readonly person: string
  readonly personId: string | undefined
  readonly invoices: readonly string[]
}

const NAME = 'console-bulk'

/**
 * Lets a job remind the customers of these invoices. While one is running, a second one for the account is refused, and
 * somebody must ask again later.
 */
export function startReminding(tx: Tx, { accountId, about, person, personId, invoices }: NewBulk): string {
  const id = tx.newId('request')
  tx.about(accountId, id)
  tx.write(insertBulk, [accountId, id, about, person, personId ?? null, invoices, tx.now])
  tx.enqueue({ name: NAME, payload: { account_id: accountId, id, from: 0 } })
  return id
}

export const bulkConstraints = {
  console_bulks_running: () =>
    refused('BULK_IS_RUNNING', 'Reminders of this account are going out already; wait until all of them have.'),
}

interface Payload {
  readonly account_id: string
  readonly id: string
  readonly from: number
}

/** Does one invoice and writes down how that went, in one commit. Whoever does it again finds that it was done. */
async function step(service: Service, { account_id, id }: Payload, context: JobContext, isLast: boolean) {
  const next = await context.db.row<{ subject: string; done: number; total: number; person_id: string | null }>(
    nextOf,
    [account_id, id],
  )
  if (!next) return undefined
  const { subject, done, total, person_id } = next
  const transact = person_id === null ? context.transact : context.transactFor(person_id)
  const noted = (tx: Tx, refusal: readonly Refused[]) => {
    tx.guard(advance, [account_id, id, done, JSON.stringify(refusal), tx.now])
    if (isLast && done + 1 < total) tx.enqueue({ name: NAME, payload: { account_id, id, from: done + 1 } })
  }
  try {
    await transact(async (tx) => {
      await act(service, tx, 'seller', { accountId: account_id, id: subject }, 'remind', {})
      noted(tx, [])
    })
  } catch (error) {
    // A mistake of ours or a passing failure: the job is tried again.
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const why = error.details[0]?.description ?? error.message
    await context.transact(async (tx) => noted(tx, [{ id: subject, why }]))
  }
  return done + 1
}

export const bulkJobs = (service: Service): JobDefinition[] => [
  job<Payload>({
    name: NAME,
    foretell: () => 'Customers are reminded, as somebody asked at the console.',
    retryAfter: [5, 60, 300],
    async run(payload, context) {
      const until = payload.from + IN_ONE_JOB
      const at = (await findBulk(context.db, payload.account_id, payload.id, context.now))?.done ?? until
      // Another job comes after this one, and may be at work already.
      for (let n = at; n < until; n++)
        if ((await step(service, payload, context, n === until - 1)) === undefined) return
    },
  }),
]

/** Gives up bulks that do not go on, and forgets those that were done long ago. */
export const sweepBulks: Sweep = async (parts) => {
  await removeAll(parts, giveUp, givenUpBefore(parts.now), [parts.now])
  await removeAll(parts, removeFinished, after(parts.now, -KEPT_DAYS * 86_400))
}
