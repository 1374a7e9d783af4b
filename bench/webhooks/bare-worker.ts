// What a worker costs at least that does with each delivery what the service does, and nothing that the service does besides:
// it takes rows of the queue in the order they stand, posts them signed, and writes down what came of each. No lanes, no turns,
// no order of a resource's events, no permissions, no timeouts, no retries.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import pg from 'pg'
import { Pool } from 'undici'
import { connectionSettings } from '../../src/database/address.ts'

const AT_ONCE = 75
/** It holds so many at most, and fetches more when half of them are left. */
const HELD_MAX = 800

interface Row {
  readonly account_id: string
  readonly id: string
  readonly event_id: string
  readonly url: string
  readonly body: string
}

interface Result {
  readonly row: Row
  readonly time: string
  readonly status: number
  readonly headers: string
  readonly body: string
  readonly ms: number
}

// As many columns, and as little waiting for the disk, as in the service's own statements.
const take = `
  with taken as (
    update delivery_queue q set claim = 1, lease_until = clock_timestamp() + interval '15 seconds'
    where q.ctid = any(array(
      select ctid from delivery_queue where claim is null
      order by lane, next_time limit $1 for update skip locked))
    returning q.account_id, q.id, q.webhook_id, q.event_account_id, q.event_id)
  select taken.account_id, taken.id, taken.event_id, w.url, e.body
  from taken
    join webhooks w on w.account_id = taken.account_id and w.id = taken.webhook_id
    join events e on e.account_id = taken.event_account_id and e.id = taken.event_id`
const write = `
  with done as materialized (
    select * from rows from (unnest($1::text[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]),
        unnest($5::int[]), unnest($6::int[]), unnest($7::json[]), unnest($8::text[]),
        generate_series(1, cardinality($2::uuid[])))
      as done (account_id, id, attempt_time, url, http_status, duration_ms, headers, body)),
  ended as (
    delete from delivery_queue q using done
    where q.account_id = done.account_id and q.id = done.id returning done.*)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, duration_ms,
    response_headers, response_body)
  select account_id, id, 1, attempt_time, url, http_status, duration_ms, headers, body from ended`

export interface WorkOrder {
  readonly databaseUrl: string
  /** Of a delivery of the service, so that as many bytes are posted. */
  readonly headers: Readonly<Record<string, string>>
  /** As many deliveries as stand in the queue. */
  readonly count: number
}

/** Works the queue off and says how many deliveries a second were made and written down. */
export async function workAll({ databaseUrl, headers, count }: WorkOrder): Promise<number> {
  const database = new pg.Pool({ ...connectionSettings(databaseUrl, '-c synchronous_commit=off'), max: 2 })
  const pools = new Map<string, Pool>()
  const targets = new Map<string, { pool: Pool; path: string }>()
  function targetOf(url: string) {
    const known = targets.get(url)
    if (known) return known
    const { origin, pathname } = new URL(url)
    const pool = pools.get(origin) ?? new Pool(origin, { connections: AT_ONCE })
    pools.set(origin, pool)
    const target = { pool, path: pathname }
    targets.set(url, target)
    return target
  }
  const key = createSecretKey(randomBytes(32))
  const changing = /transmission-id$|^webhook-/i
  const fixed = Object.entries(headers)
    .filter(([name]) => !changing.test(name))
    .flat()
  const idName = Object.keys(headers).find((name) => /transmission-id$/i.test(name))!

  function post(row: Row): Promise<Result> {
    const began = performance.now()
    const time = new Date().toISOString()
    const { pool, path } = targetOf(row.url)
    const bytes = Buffer.from(row.body)
    const seconds = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', key).update(`${row.event_id}.${seconds}.`).update(bytes).digest('base64')
    const own = [idName, row.id, 'webhook-id', row.event_id, 'webhook-timestamp', seconds]
    const options = {
      method: 'POST' as const,
      path,
      headers: [...fixed, ...own, 'webhook-signature', `v1,${signature}`],
      body: bytes,
    }
    return new Promise((resolve, reject) => {
      const result = { row, time, status: 0, headers: '', body: '', ms: 0 }
      pool.dispatch(options, {
        onRequestStart() {},
        onResponseStart(_controller, status, answered) {
          result.status = status
          result.headers = JSON.stringify(answered)
        },
        onResponseData(_controller, chunk) {
          result.body += chunk.toString()
        },
        onResponseEnd() {
          result.ms = Math.round(performance.now() - began)
          resolve(result)
        },
        onResponseError: (_controller, error) => reject(error),
      })
    })
  }

  const held: Row[] = []
  const results: Result[] = []
  let isFetching = false
  let isWriting = false
  let fetched = 0
  let underWay = 0
  let written = 0

  const began = performance.now()
  await new Promise<void>((resolve, reject) => {
    async function fetch() {
      isFetching = true
      const { rows } = await database.query<Row>({ name: 'take', text: take, values: [HELD_MAX - held.length] })
      held.push(...rows)
      fetched += rows.length
      isFetching = false
      next()
    }
    async function writeDown() {
      isWriting = true
      const done = results.splice(0)
      await database.query({ name: 'write', text: write, values: columnsOf(done) })
      written += done.length
      isWriting = false
      if (written === count) resolve()
      else next()
    }
    function next() {
      if (!isFetching && held.length < HELD_MAX / 2 && fetched < count) fetch().catch(reject)
      while (underWay < AT_ONCE && held.length > 0) {
        underWay++
        post(held.shift()!).then((result) => {
          underWay--
          results.push(result)
          next()
        }, reject)
      }
      if (!isWriting && results.length > 0) writeDown().catch(reject)
    }
    next()
  })
  const seconds = (performance.now() - began) / 1000
  await Promise.all([...pools.values()].map((pool) => pool.close()))
  await database.end()
  return count / seconds
}

const columnsOf = (done: readonly Result[]) => [
  done.map(({ row }) => row.account_id),
  done.map(({ row }) => row.id),
  done.map(({ time }) => time),
  done.map(({ row }) => row.url),
  done.map(({ status }) => status),
  done.map(({ ms }) => ms),
  done.map(({ headers }) => headers),
  done.map(({ body }) => body),
]
