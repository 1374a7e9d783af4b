import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { after, systemClock } from '../kernel/clock.ts'
import { selfSignedCertificate } from './certificate.ts'
import type { Seal } from './seal.ts'

const currentKey = sql`select id, sealed from signing_keys where current`
const insertKey = sql`
  insert into signing_keys (id, sealed, certificate, current, create_time) values ($1, $2, $3, true, $4)
  on conflict do nothing`
const replaceKey = sql`
  with old as (update signing_keys set current = false where current returning 1)
  select count(*)::int as replaced from old`
const certificateOf = sql`select certificate from signing_keys where id = $1`

const DAY_SECONDS = 86_400
const VALID_DAYS = 20 * 365
const newKeyPair = promisify(generateKeyPair)

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
}

const newCertificateId = () => `CERT-${randomBytes(12).toString('hex').match(/.{8}/g)!.join('-')}`

/** The keys that sign deliveries. One is made when the first is needed, and kept; every process uses the same. */
export class SigningKeys {
  readonly #db: Reader
  readonly #seal: Seal
  #current: Promise<SigningKey> | undefined

  constructor(db: Reader, seal: Seal) {
    this.#db = db
    this.#seal = seal
  }

  /** The key to sign with. */
  current(): Promise<SigningKey> {
    this.#current ??= this.#load().catch((error) => {
      this.#current = undefined
      throw error
    })
    return this.#current
  }

  /** Signs with a new key from now on. The certificates of earlier ones are served as before. */
  async rotate(): Promise<SigningKey> {
    await this.#db.rows(replaceKey)
    this.#current = undefined
    return this.current()
  }

  async #load(): Promise<SigningKey> {
    let row = await this.#db.row<{ id: string; sealed: Buffer }>(currentKey)
    if (!row) {
      await this.#make()
      row = await this.#db.row<{ id: string; sealed: Buffer }>(currentKey)
    }
    const der = this.#seal.open(row!.sealed, row!.id)
    return { id: row!.id, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
  }

  /** When two processes make one at once, the second is dropped by the unique index. */
  async #make(): Promise<void> {
    const pair = await newKeyPair('rsa', { modulusLength: 2048 })
    const id = newCertificateId()
    // A certificate's validity is judged by the clocks of receivers, which no sandbox moves.
    const now = systemClock.now()
    const certificate = selfSignedCertificate(pair, {
      name: 'Quittance webhooks',
      serial: randomBytes(16),
      from: after(now, -DAY_SECONDS),
      until: after(now, VALID_DAYS * DAY_SECONDS),
    })
    const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' })
    await this.#db.rows(insertKey, [id, this.#seal.close(der, id), certificate, now])
  }
}

/** The certificate with this id as PEM text, if there is one. */
export async function findCertificate(db: Reader, id: string): Promise<string | undefined> {
  return (await db.row<{ certificate: string }>(certificateOf, [id]))?.certificate
}
