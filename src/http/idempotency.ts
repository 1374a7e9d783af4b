import { createHash, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib'
import { sql } from '../database/sql.ts'
import type { Reader, Transact, Tx } from '../database/transaction.ts'
import { unhurried } from '../database/unhurried.ts'
import type { Caller } from '../kernel/caller.ts'
import { after } from '../kernel/clock.ts'
import { requestHeader } from '../kernel/dialect.ts'
import { conflict, malformed, refused } from '../kernel/problem.ts'
import { makeSealedBox, type SealedBox } from '../kernel/sealed-box.ts'
import type { SecretRing } from '../kernel/secrets.ts'
import { answerTo } from '../kernel/working.ts'
import type { UploadedFile } from './body/multipart.ts'
import type { Rendered } from './render.ts'

const KEY_LENGTH_MAX = 108
const REPLAY_HOURS = 6
/** A longer address is kept as its digest. */
const ADDRESS_LENGTH_MAX = 200

/** Seals the bodies of kept answers: they can hold secrets and whatever else a caller may see. */
export const makeAnswerBox = (ring: SecretRing): SealedBox => makeSealedBox(ring, 'kept answers')

const ownerOf = ({ caller, operation, key }: KeyedRequest) =>
  ownerNamed([caller.accountId, caller.appId, operation, key])
const ownerNamed = (place: readonly string[]) => place.join(' ')

const findAnswer = sql`
  select request_hash, status, headers, body, sealed from idempotency
  where account_id = $1 and app_id = $2 and operation = $3 and key = $4 and expire_time > $5`
// A key whose time has run out is free again, also before the sweeper has removed it.
const insertAnswer = sql`
  insert into idempotency (account_id, app_id, operation, key, request_hash, status, headers, sealed, create_time, expire_time)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (account_id, app_id, operation, key) do update set request_hash = excluded.request_hash,
    status = excluded.status, headers = excluded.headers, body = null, sealed = excluded.sealed,
    create_time = excluded.create_time, expire_time = excluded.expire_time
  where idempotency.expire_time <= excluded.create_time`

const nextAnswers = sql`
  select account_id, app_id, operation, key, sealed from idempotency
  where sealed is not null and (account_id, app_id, operation, key) > ($1, $2, $3, $4)
    and ($6::text is null or age(xmin) <= age($6::text::xid))
  order by account_id, app_id, operation, key limit $5`
/** Whatever is committed from here on has this transaction number or a higher one. */
const oldestUnderWay = sql`select pg_snapshot_xmin(pg_current_snapshot())::xid::text as number`
const replaceAnswer = sql`
  update idempotency set sealed = $6
  where account_id = $1 and app_id = $2 and operation = $3 and key = $4 and sealed = $5 returning 1`

interface StoredAnswer {
  readonly request_hash: Buffer
  readonly status: number
  readonly headers: Record<string, string>
  /** Only for answers that were kept before answers were sealed. */
  readonly body: string | null
  readonly sealed: Buffer | null
}

/** One request that must take effect once, however often it is sent. */
export interface KeyedRequest {
  readonly caller: Caller
  readonly operation: string
  readonly key: string
  readonly hash: Buffer
  readonly hours: number
}

/** The request id under any of its header names; undefined when there is none. */
export function requestKey(headers: Readonly<Record<string, unknown>>): string | undefined {
  const key = requestHeader(headers, 'request-id') || headers['idempotency-key']
  if (key === undefined || key === '') return undefined
  if (typeof key !== 'string' || key.length > KEY_LENGTH_MAX || !/^[\x20-\x7e]+$/.test(key))
    throw malformed({
      issue: 'INVALID_STRING_LENGTH',
      field: headers['idempotency-key'] === key ? 'Idempotency-Key' : 'Request-Id',
      location: 'header',
      description: `A request id has 1 to ${KEY_LENGTH_MAX} printable characters.`,
    })
  return key
}

/** What makes two requests the same: path, query, body as it was read, and the bytes of every file. */
export function requestHash(url: string, body: unknown, files: readonly UploadedFile[]): Buffer {
  const text = `${url}\0${JSON.stringify(body ?? null)}`
  if (files.length === 0) return hash('sha256', text, 'buffer')
  const all = createHash('sha256').update(text)
  for (const file of files) all.update(`\0${file.partName}\0${file.fileName}\0`).update(file.bytes)
  return all.digest()
}

export function keyedRequest(
  caller: Caller,
  {
    operation,
    url,
    key,
    hash,
    hours = REPLAY_HOURS,
  }: { operation: string; url: string; key: string; hash: Buffer; hours?: number | undefined },
): KeyedRequest {
  const address = url.length > ADDRESS_LENGTH_MAX ? createHash('sha256').update(url).digest('hex') : url
  return { caller, operation: `${operation} ${address}`, key, hash, hours }
}

/** The first answer to this request, to be given again. Undefined if the request is new. */
export async function findReplay(
  db: Reader,
  box: SealedBox,
  request: KeyedRequest,
  now: string,
): Promise<Rendered | undefined> {
  const { caller, operation, key, hash } = request
  const stored = await db.row<StoredAnswer>(findAnswer, [caller.accountId, caller.appId, operation, key, now])
  if (!stored) return undefined
  if (!stored.request_hash.equals(hash))
    throw refused('DUPLICATE_REQUEST_ID', 'This request id was used for another request; use a new one.')
  return {
    status: stored.status,
    headers: { ...stored.headers, 'idempotent-replayed': 'true' },
    body: stored.sealed ? bodyOf(box, request, stored.sealed) : (stored.body ?? undefined),
  }
}

function bodyOf(box: SealedBox, request: KeyedRequest, sealed: Buffer): string {
  const body = opened(box, sealed, ownerOf(request))
  if (body === undefined)
    throw conflict(
      'ANSWER_NOT_READABLE',
      'The request with this request id was carried out, under a secret that this service no longer has; look up what it made.',
    )
  return body
}

function opened(box: SealedBox, sealed: Buffer, owner: string): string | undefined {
  let packed: Buffer
  try {
    packed = box.open(sealed, owner)
  } catch {
    return undefined
  }
  return inflateRawSync(packed).toString()
}

/**
 * Keeps the answer with the effect: both are committed or neither. If another copy of the request was faster, the work
 * starts over.
 */
export async function keepAnswer(
  tx: Tx,
  box: SealedBox,
  request: KeyedRequest,
  { status, headers, body }: Rendered,
): Promise<void> {
  const { caller, operation, key, hash, hours } = request
  if (body instanceof Readable) throw new Error(`${operation} answers with a stream, which cannot be kept.`)
  const packed = body === undefined ? undefined : await pack(body)
  tx.guard(insertAnswer, [
    caller.accountId,
    caller.appId,
    operation,
    key,
    hash,
    status,
    JSON.stringify(headers),
    packed === undefined ? null : box.close(packed, ownerOf(request)),
    tx.now,
    after(tx.now, hours * 3600),
  ])
}

/** So many are read at once, and changed in one commit. */
const REWRITTEN_AT_ONCE = 500

interface Rewriting {
  rewrite(body: string): string
  /** The resource that the audit log names. */
  readonly about: string
  /** Told how many answers have been looked at. */
  onProgress(done: number): void
}

/**
 * Goes through every kept answer and lets `rewrite` change its body; gives the number of changed answers. Answers that are
 * kept meanwhile may have been missed, so it goes through those again, until nothing has to be changed any more. An answer
 * that no secret of the service opens any more is given to nobody, and stays as it is.
 */
export async function rewriteAnswers(transact: Transact, box: SealedBox, parts: Rewriting): Promise<number> {
  const rewritten = new Set<string>()
  let since: string | null = null
  let done = 0
  for (;;) {
    const before = rewritten.size
    const from: string = await transact(async (tx) => (await tx.row<{ number: string }>(oldestUnderWay))!.number)
    let last: readonly string[] | undefined = ['', '', '', '']
    while (last) {
      const place: readonly string[] = last
      const piece = await transact((tx) => rewritePiece(tx, box, parts, { place, since, rewritten }), unhurried)
      for (const owner of piece.changed) rewritten.add(owner)
      done += piece.count
      last = piece.last
      parts.onProgress(done)
    }
    if (since !== null && rewritten.size === before) return rewritten.size
    since = from
  }
}

interface Piece {
  /** The place after which the piece begins. */
  readonly place: readonly string[]
  /** Looks only at what was written since then. */
  readonly since: string | null
  /** Owners of answers that were rewritten before. They are skipped. */
  readonly rewritten: ReadonlySet<string>
}

async function rewritePiece(
  tx: Tx,
  box: SealedBox,
  { rewrite, about }: Rewriting,
  { place, since, rewritten }: Piece,
): Promise<{ changed: string[]; count: number; last: readonly string[] | undefined }> {
  const rows = await tx.rows<KeptAnswer>(nextAnswers, [...place, REWRITTEN_AT_ONCE, since])
  const changed: string[] = []
  for (const row of rows) {
    const owner = ownerNamed(placeOf(row))
    const before = rewritten.has(owner) ? undefined : opened(box, row.sealed, owner)
    const after = before && rewrite(before)
    if (after === undefined || after === before) continue
    const anew = box.close(await pack(after), owner)
    const found = await tx.rows(replaceAnswer, [...placeOf(row), row.sealed, anew])
    if (found.length > 0) changed.push(owner)
  }
  if (changed.length > 0) tx.about(null, about)
  const last = rows.length < REWRITTEN_AT_ONCE ? undefined : placeOf(rows.at(-1)!)
  return { changed, count: rows.length, last }
}

const placeOf = ({ account_id, app_id, operation, key }: KeptAnswer) => [account_id, app_id, operation, key]

interface KeptAnswer {
  readonly account_id: string
  readonly app_id: string
  readonly operation: string
  readonly key: string
  readonly sealed: Buffer
}

/** From this length on, a body is packed on another thread. */
const PACKED_ELSEWHERE_LENGTH = 16_384
/** A shorter body gains little, and to set up the packing takes longer than all else that is done to keep it. */
const PACKED_LENGTH = 1_024

function pack(body: string | Buffer): Buffer | Promise<Buffer> {
  if (body.length < PACKED_LENGTH) return asItIs(typeof body === 'string' ? Buffer.from(body) : body)
  return body.length < PACKED_ELSEWHERE_LENGTH
    ? deflateRawSync(body)
    : answerTo((packed) => deflateRaw(body, (error, bytes) => packed(error ?? undefined, bytes)))
}

/** What unpacks to these bytes: a single stored block, by RFC 1951. */
function asItIs(bytes: Uint8Array): Buffer {
  const block = Buffer.allocUnsafe(5 + bytes.length)
  block[0] = 1
  block.writeUInt16LE(bytes.length, 1)
  block.writeUInt16LE(bytes.length ^ 0xffff, 3)
  block.set(bytes, 5)
  return block
}

/** Requests under way in this process. A second copy is told so instead of having to wait. */
export class UnderWay {
  readonly #keys = new Set<string>()

  async run<T>(request: KeyedRequest, work: () => Promise<T>): Promise<T> {
    const name = ownerOf(request)
    if (this.#keys.has(name))
      throw conflict('PREVIOUS_REQUEST_IN_PROGRESS', 'The first request with this request id is still under way.')
    this.#keys.add(name)
    try {
      return await work()
    } finally {
      this.#keys.delete(name)
    }
  }
}
