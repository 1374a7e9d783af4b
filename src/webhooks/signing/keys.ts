import { createPrivateKey, type KeyObject, type KeyPairKeyObjectResult, randomBytes } from 'node:crypto'
import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { marked } from '../../kernel/cell.ts'
import { after, type Instant, systemClock } from '../../kernel/clock.ts'
import type { Service, WorkParts } from '../../room.ts'
import { issueCertificate } from './certificate.ts'
import { newKeyPair as makeKeyPair } from './key-pair.ts'
import type { Seal } from './seal.ts'

const currentKey = sql`
  select id, sealed, array(select id from signing_keys where withdraw_time is not null) as withdrawn
  from signing_keys where current`
const insertKey = sql`
  insert into signing_keys (id, sealed, certificate, current, create_time) values ($1, $2, $3, true, $4)
  on conflict do nothing`
const retireKey = sql`update signing_keys set current = false where current returning 1`
/** The count makes the insert wait for the update. When two replacements meet, the second one starts over. */
const replaceKey = sql`
  insert into signing_keys (id, sealed, certificate, current, create_time)
  select $1, $2, $3, true, $4 from (select count(*) from retired) replaced
  on conflict do nothing`
const everyKey = sql`select id, current, create_time, withdraw_time from signing_keys order by create_time desc, id`
const certificateOf = sql`
  select certificate, withdraw_time from signing_keys where id = $1
  union all select certificate, null from signing_authority where $1 = 'authority'`
const withdraw = sql`update signing_keys set withdraw_time = coalesce(withdraw_time, $2) where id = $1 and not current`

const theAuthority = sql`select sealed, certificate from signing_authority`
const insertAuthority = sql`
  insert into signing_authority (sealed, certificate, create_time) values ($1, $2, $3) on conflict do nothing`

const DAY_SECONDS = 86_400
const VALID_DAYS = 20 * 365
/** How long a process may go by what it knew of the keys after one was replaced or withdrawn. */
export const KEY_BELIEVED_MS = 1_000

export interface SigningKey {
  readonly id: string
  readonly privateKey: KeyObject
}

interface KeyRow {
  readonly id: string
  readonly sealed: Buffer
  readonly withdrawn: readonly string[]
}

/** The id under which the certificate of the authority is served, and the name it is sealed and issued under. */
export const AUTHORITY_ID = 'authority'
const AUTHORITY_NAME = 'Quittance webhook authority'

const newCertificateId = () => `CERT-${randomBytes(12).toString('hex').match(/.{8}/g)!.join('-')}`

/** Whose name a certificate has. */
type Issuer = Pick<Service, 'publicUrl'> & { readonly settings: Pick<Service['settings'], 'cell'> }

/** The keys that sign deliveries. One is made when the first is needed, and kept; every process uses the same. */
export class SigningKeys {
  readonly #db: Reader
  readonly #seal: Seal
  /** Read only when a key is made, because a service knows its address only once it listens. */
  readonly #service: Issuer
  readonly #newKeyPair: () => Promise<KeyPairKeyObjectResult>
  #current: Promise<SigningKey> | undefined
  #until = 0
  #opened: SigningKey | undefined
  #withdrawn: readonly string[] = []

  constructor(db: Reader, seal: Seal, service: Issuer, newKeyPair: WorkParts['newKeyPair'] = makeKeyPair) {
    this.#db = db
    this.#seal = seal
    this.#service = service
    this.#newKeyPair = newKeyPair
  }

  /** The key to sign with. */
  current(): Promise<SigningKey> {
    const now = performance.now()
    if (!this.#current || now >= this.#until) {
      this.#until = now + KEY_BELIEVED_MS
      this.#current = this.#load().catch((error) => {
        this.#current = undefined
        throw error
      })
    }
    return this.#current
  }

  /** Whether this key was withdrawn, so that nothing it has signed may be sent any more. */
  async isWithdrawn(id: string): Promise<boolean> {
    await this.current()
    return this.#withdrawn.includes(id)
  }

  /** Signs with a new key from now on, and gives its id. The certificates of earlier ones are served as before. */
  async rotate(tx: Tx): Promise<string> {
    const key = await this.#make()
    const [id] = key
    tx.about(null, id)
    tx.write(retireKey, [], 'retired')
    tx.guard(replaceKey, key)
    return id
  }

  async #load(): Promise<SigningKey> {
    let row = await this.#db.row<KeyRow>(currentKey)
    if (!row) {
      // When two processes make one at once, the second is dropped by the unique index.
      await this.#db.rows(insertKey, await this.#make())
      row = await this.#db.row<KeyRow>(currentKey)
    }
    const { id, sealed, withdrawn } = row!
    this.#withdrawn = withdrawn
    if (this.#opened?.id !== id) {
      this.#opened = { id, privateKey: this.#openKey(sealed, id) }
    }
    return this.#opened
  }

  /** The columns of a new row. */
  async #make(): Promise<[id: string, sealed: Buffer, certificate: string, now: Instant]> {
    const authority = await this.#authority()
    const pair = await this.#newKeyPair()
    const id = marked('certificate', newCertificateId(), this.#service.settings.cell)
    const by = { name: AUTHORITY_NAME, privateKey: authority.privateKey }
    const name = new URL(this.#service.publicUrl).hostname.replace(/^\[|\]$/g, '')
    const certificate = issueCertificate({ publicKey: pair.publicKey, name, by, ...validFromNow() })
    const sealed = this.#seal.close(pair.privateKey.export({ format: 'der', type: 'pkcs8' }), id)
    // The chain, as servers send it: clients that check it find who vouches for the first.
    return [id, sealed, certificate + authority.certificate, systemClock.now()]
  }

  /** What vouches for every key. Made with the first key and kept, so a client that trusts it trusts later keys too. */
  async #authority(): Promise<{ certificate: string; privateKey: KeyObject }> {
    const kept = await this.#db.row<{ sealed: Buffer; certificate: string }>(theAuthority)
    if (kept) return { certificate: kept.certificate, privateKey: this.#openKey(kept.sealed, AUTHORITY_ID) }
    const { publicKey, privateKey } = await this.#newKeyPair()
    const by = { name: AUTHORITY_NAME, privateKey }
    const certificate = issueCertificate({ publicKey, name: by.name, by, isAuthority: true, ...validFromNow() })
    const sealed = this.#seal.close(privateKey.export({ format: 'der', type: 'pkcs8' }), AUTHORITY_ID)
    await this.#db.rows(insertAuthority, [sealed, certificate, systemClock.now()])
    return this.#authority()
  }

  #openKey(sealed: Buffer, id: string): KeyObject {
    return createPrivateKey({ key: this.#seal.open(sealed, id), format: 'der', type: 'pkcs8' })
  }
}

/** A certificate's validity is judged by the clocks of receivers, which no sandbox moves. */
function validFromNow() {
  const now = systemClock.now()
  return {
    serial: randomBytes(16),
    from: after(now, -DAY_SECONDS),
    until: after(now, VALID_DAYS * DAY_SECONDS),
  }
}

interface KeySummary {
  readonly id: string
  readonly current: boolean
  readonly create_time: Instant
  readonly withdraw_time: Instant | null
}

/** Every key there is or was, newest first. */
export const listKeys = (db: Reader): Promise<KeySummary[]> => db.rows(everyKey)

/** Takes back what a key has signed, for good. Not while it is the one to sign with. */
export function withdrawKey(tx: Tx, id: string): void {
  tx.about(null, id)
  tx.guard(withdraw, [id, systemClock.now()])
}

/** The certificate with this id as PEM text, if there is one, and since when it is withdrawn. */
export const findCertificate = (
  db: Reader,
  id: string,
): Promise<{ certificate: string; withdraw_time: Instant | null } | undefined> => db.row(certificateOf, [id])
