import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '../../src/database/open.ts'
import { assertInvariants } from '../../test/support/invariants.ts'
import { type FarEnds, type Twice, twice } from './far-ends.ts'
import type { Load } from './load.ts'
import { ask } from './postgres.ts'
import type { Lab } from './result.ts'

/** A lease of a job lasts for a minute; when nothing has been done for longer than that, nobody will do it. */
const STUCK_AFTER_MS = 120_000

/** What is true once everything has settled. */
export interface Verdict {
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
  readonly events: number
  readonly undelivered: number
  readonly deliveriesTwice: Twice
  readonly mails: number
  readonly unsent: number
  readonly mailsTwice: Twice
  readonly parked: number
  readonly broken: string | undefined
  readonly failures: number
}

const unfinished = `select 'delivery' as name, count(*)::int as count, coalesce(max(attempts), 0) as attempts from delivery_queue having count(*) > 0
  union all select name, count(*)::int, max(attempts) from jobs
  where parked_time is null and (attempts > 0 or run_at <= to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  group by name`

/** What failed once waits to be tried again, and is not done either. However slow the machine is, work goes on; it is given up when it does not. */
async function settled(databaseUrl: string): Promise<void> {
  let before = ''
  let since = performance.now()
  for (;;) {
    const left = await ask<{ name: string; count: number; attempts: number }>(databaseUrl, unfinished).catch(
      () => undefined,
    )
    if (left?.length === 0) return
    const now = JSON.stringify(left)
    if (now !== before) since = performance.now()
    before = now
    if (performance.now() - since > STUCK_AFTER_MS)
      throw new Error(`For two minutes nothing was done of what is left: ${now}`)
    await pause(200)
  }
}

/** Waits until nothing is left to do, and compares what clients were told with what is stored and what arrived. */
export async function verify(databaseUrl: string, load: Load, farEnds: FarEnds): Promise<Verdict> {
  await settled(databaseUrl)
  const stored = await storedKeys(databaseUrl)
  const events = await ask<{ id: string }>(databaseUrl, 'select id from events')
  const sent = await ask<{ count: number }>(
    databaseUrl,
    "select count(*)::int as count from invoices where status <> 'DRAFT'",
  )
  const [parked] = await ask<{ count: number }>(
    databaseUrl,
    'select count(*)::int as count from jobs where parked_time is not null',
  )
  return {
    acknowledged: load.acknowledged.length,
    lost: load.acknowledged.filter(({ kind, key }) => !stored[kind].has(key)).length,
    doubled: [...stored.invoice.values(), ...stored.payment.values()].filter((count) => count > 1).length,
    events: events.length,
    undelivered: events.filter(({ id }) => !farEnds.events.has(id)).length,
    deliveriesTwice: twice(farEnds.events),
    mails: farEnds.mails.size,
    unsent: Math.max(0, sent[0]!.count - farEnds.mails.size),
    mailsTwice: twice(farEnds.mails),
    parked: parked!.count,
    broken: await brokenRule(databaseUrl),
    failures: load.failures.length,
  }
}

/** How often each write of the clients is there, by the key it was given. */
export async function storedKeys(
  databaseUrl: string,
): Promise<Record<'invoice' | 'payment', ReadonlyMap<string, number>>> {
  const counts = async (text: string) =>
    new Map((await ask<{ key: string; count: number }>(databaseUrl, text)).map(({ key, count }) => [key, count]))
  return {
    invoice: await counts(
      "select body->'detail'->>'reference' as key, count(*)::int as count from invoices group by 1",
    ),
    payment: await counts(
      "select p->>'note' as key, count(*)::int as count from invoices, jsonb_array_elements(body->'payments') p where p ? 'note' group by 1",
    ),
  }
}

async function brokenRule(databaseUrl: string): Promise<string | undefined> {
  const database = openDatabase(databaseUrl, { connectionsMax: 2, statementTimeoutMs: 60_000 })
  try {
    await assertInvariants(database)
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await database.close()
  }
}

/** Of deliveries and of mails. */
export const TWICE_MAX = 0.01
/** So many a process may have under way for the clients of the lab. How many of them went out before it ended, nobody knows. */
const MAILS_AT_ONCE = 4

const percent = (share: number) => `${(share * 100).toFixed(2)} %`

/** What the verdict says, in the words of the table, and whether it is what was promised. */
export function judge(
  { isReduced }: Lab,
  verdict: Verdict,
  { twiceMax = TWICE_MAX, interrupted = 0 } = {},
): { readonly isMet: boolean; readonly said: string } {
  const {
    acknowledged,
    lost,
    doubled,
    events,
    undelivered,
    deliveriesTwice,
    mails,
    unsent,
    mailsTwice,
    parked,
    broken,
    failures,
  } = verdict
  const isMet =
    lost + doubled + undelivered + unsent + parked + failures === 0 &&
    broken === undefined &&
    // A share of a handful says nothing.
    (isReduced ||
      (deliveriesTwice.share < twiceMax &&
        (mailsTwice.share < TWICE_MAX || mailsTwice.more <= interrupted * MAILS_AT_ONCE)))
  const said = [
    `${acknowledged} writes acknowledged: ${lost} lost, ${doubled} doubled`,
    `${events} events: ${undelivered} undelivered, ${percent(deliveriesTwice.share)} twice${interrupted > 0 ? ` (${(deliveriesTwice.more / interrupted).toFixed(1)} each time)` : ''}`,
    `${mails} mails: ${unsent} unsent, ${percent(mailsTwice.share)} twice`,
    ...(parked > 0 ? [`${parked} jobs parked`] : []),
    ...(failures > 0 ? [`${failures} calls failed for good`] : []),
    broken === undefined ? 'invariants hold' : broken,
  ].join('; ')
  return { isMet, said }
}

/** A connection that is asked again and again, each time anew: when the database itself takes writes. */
export class Probe {
  readonly #url: string
  readonly writes: { readonly beganAt: number; readonly at: number }[] = []
  #stopped = false
  #running: Promise<void> = Promise.resolve()

  constructor(url: string) {
    this.#url = url
  }

  async start(): Promise<void> {
    await ask(this.#url, 'create schema if not exists lab')
    await ask(this.#url, 'create table if not exists lab.probe (at timestamptz)')
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  firstAfter(instant: number): number | undefined {
    return this.writes.find(({ beganAt }) => beganAt >= instant)?.at
  }

  /** The longest time between two writes since an instant, and when it ended. */
  longestGap(since: number): { readonly ms: number; readonly end: number } {
    let longest = { ms: 0, end: since }
    let last = since
    for (const { at } of this.writes) {
      if (at < since) continue
      if (at - last > longest.ms) longest = { ms: at - last, end: at }
      last = at
    }
    return longest
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const beganAt = performance.now()
      const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 500, query_timeout: 1_000 })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query('insert into lab.probe values (clock_timestamp())')
        this.writes.push({ beganAt, at: performance.now() })
      } catch {
        // It is away; that is what is looked for.
      }
      client.connection.stream.destroy()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
