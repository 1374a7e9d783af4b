import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { networkOf, RateLimit } from '../http/limits/rate-limit.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock, Instant } from '../kernel/clock.ts'
import { requestHeader } from '../kernel/dialect.ts'
import { invalidToken, Problem } from '../kernel/problem.ts'
import { RecentMap } from '../kernel/recent-map.ts'
import type { Service } from '../room.ts'
import { tokensOfAddress } from './admission.ts'
import { actFor } from './assertion.ts'
import type { ClientWithToken } from './authenticate-client.ts'
import { looksLikeToken, tokenDigest } from './credentials.ts'
import { whereItWent } from './forwards.ts'
import { expandScopes, operatorScope } from './scopes.ts'

/** What a token stands for. */
export interface Holder {
  readonly app_id: string
  readonly account_id: string
  readonly client_id: string
  readonly sandbox: boolean
  readonly has_consents: boolean
  /** The cell that the account lives in, if that is not this one. */
  readonly cell: string | null
  readonly scopes: readonly string[]
  readonly expire_time: Instant
}

// Everybody knows the secret of an app that was seeded for a sandbox, so outside of a sandbox such an app counts for nothing.
const holderOf = sql`
  select apps.id as app_id, apps.account_id, apps.client_id, apps.sandbox, tokens.scopes, tokens.expire_time, accounts.cell,
    exists (select from consents where consents.app_id = apps.id) as has_consents
  from tokens join apps on apps.id = tokens.app_id join accounts on accounts.id = apps.account_id
  where tokens.digest = $1 and tokens.generation = apps.token_generation
    and apps.status = 'ENABLED' and accounts.status = 'ACTIVE' and (not apps.sandbox or $2)`

/** What a caller shows, and the key under which it is remembered. */
interface Shown {
  readonly token: string
  readonly assertion: string | undefined
  readonly memory: string
}

/** How long a token or a client is believed without asking the database. Commands that revoke one come back after this time. */
export const BELIEVED_MS = 1_000
const REMEMBERED_MAX = 10_000

/** Keeps what the database said, for as long as it may be believed. */
export class Believed<Value> {
  readonly #kept = new RecentMap<string, { value: Value; until: number }>(REMEMBERED_MAX)
  readonly #isTold: () => boolean
  #cleared = 0

  /** `isTold` says whether this process would be told to forget. Nothing is believed while it would not. */
  constructor(isTold: () => boolean) {
    this.#isTold = isTold
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    return kept && kept.until > performance.now() && this.#isTold() ? kept.value : undefined
  }

  /** Whether it was believed at some time, even if it no longer is. */
  knew(key: string): boolean {
    return this.#kept.get(key) !== undefined
  }

  /**
   * Called before the database is asked; returns the function that keeps the answer. An answer is as old as its question: it is
   * believed from the moment of asking, and not at all if everything was forgotten in between.
   */
  asking(): (key: string, value: Value) => void {
    const [since, cleared] = [performance.now(), this.#cleared]
    return (key, value) => {
      if (cleared === this.#cleared) this.#kept.set(key, { value, until: since + BELIEVED_MS })
    }
  }

  delete(key: string): void {
    this.#kept.delete(key)
  }

  clear(): void {
    this.#cleared++
    this.#kept.clear()
  }
}

/**
 * Tells who is calling. A token is looked up in the database and then remembered for a moment; `forget` is called in
 * every process when an app, token or consent changes. Tokens live on real time, in a sandbox too: clients keep them by
 * a clock that nobody moves.
 */
export class Authenticator {
  readonly #isSandbox: boolean
  readonly #db: Reader
  readonly #realTime: Clock
  /** Counts the tokens that nobody holds, by the address they come from. */
  readonly #guesses: RateLimit
  /** Clients that asked for a token a moment ago, with the token that they got. */
  readonly clients: Believed<ClientWithToken>
  readonly #remembered: Believed<{ caller: Caller; holder: Holder }>

  constructor({ environment, settings }: Service, db: Reader, realTime: Clock, isTold: () => boolean) {
    this.clients = new Believed(isTold)
    this.#remembered = new Believed(isTold)
    this.#isSandbox = environment === 'sandbox'
    const guesses = tokensOfAddress(settings)
    this.#guesses = new RateLimit(guesses, guesses)
    this.#db = db
    this.#realTime = realTime
  }

  forget(): void {
    this.#remembered.clear()
    this.clients.clear()
  }

  /** Answers without a wait when the token is remembered, as nearly all are. */
  authenticate(headers: IncomingHttpHeaders, ip: string): Caller | Promise<Caller> {
    const { authorization } = headers
    if (authorization === undefined || !/^bearer /i.test(authorization)) throw noToken()
    const token = authorization.slice('bearer '.length).trim()
    if (!looksLikeToken(token)) throw invalidToken('The access token is not one of this service.')

    const assertion = requestHeader(headers, 'auth-assertion')
    const memory = memoryOf(token, assertion)
    const known = this.#remembered.get(memory)
    if (known && known.holder.expire_time > this.#realTime.now()) return known.caller
    // A token that was good a while ago is not a guess, even if others guess from the same address.
    const isKnown = this.#remembered.knew(memory)
    return this.#lookUp({ token, assertion, memory }, isKnown ? undefined : networkOf(ip))
  }

  async #lookUp({ token, assertion, memory }: Shown, network: string | undefined): Promise<Caller> {
    if (network !== undefined) this.#guesses.take(network)
    const digest = tokenDigest(token)
    const remember = this.#remembered.asking()
    const holder = await this.#db.row<Holder>(holderOf, [digest, this.#isSandbox]).catch((error: unknown) => {
      // The database did not answer, so this call says nothing about the token and does not count as a guess.
      if (network !== undefined) this.#guesses.giveBack(network)
      throw error
    })
    if (!holder)
      throw invalidToken(
        (await whereItWent(this.#db, 'token', digest.toString('hex'))) ??
          'The access token is unknown or was revoked. Request a new one.',
      )
    if (holder.expire_time <= this.#realTime.now())
      throw invalidToken('The access token has expired. Request a new one.')
    if (network !== undefined) this.#guesses.giveBack(network)
    const elsewhere = holder.cell === null ? undefined : await this.#sayWhere(holder.cell, digest)
    const caller = await this.#callerOf(holder, assertion, elsewhere)
    remember(memory, { caller, holder })
    return caller
  }

  /**
   * An app of another cell is known here because of what it does with accounts of this one. This says where its own account is.
   */
  async #sayWhere(cell: string, digest: Buffer): Promise<string> {
    const moved = await whereItWent(this.#db, 'token', digest.toString('hex'))
    return moved ?? `This account lives in cell ${cell}: call that one.`
  }

  /** The scopes of the caller are those of its token, without what the account named by the assertion has not consented to. */
  async #callerOf(holder: Holder, assertion: string | undefined, elsewhere: string | undefined): Promise<Caller> {
    const own: Caller = {
      appId: holder.app_id,
      clientId: holder.client_id,
      accountId: holder.account_id,
      onBehalf: false,
      hasConsents: holder.has_consents,
      ...(elsewhere !== undefined && { elsewhere }),
      scopes: expandScopes(holder.scopes),
      roles: [],
    }
    const caller =
      assertion === undefined ? own : await actFor(this.#db, own, assertion, { needsConsent: !holder.sandbox })
    return this.#isSandbox || caller.scopes.has(operatorScope) ? { ...caller, roles: ['agent'] } : caller
  }
}

/** The key under which a caller is remembered. The assertion is hashed, because its sender decides how long it is. */
const memoryOf = (token: string, assertion: string | undefined): string =>
  assertion === undefined ? token : `${token} ${hash('sha256', assertion, 'base64')}`

const noToken = () =>
  new Problem(401, 'AUTHENTICATION_FAILURE', [], { headers: { 'www-authenticate': 'Bearer realm="quittance"' } })
