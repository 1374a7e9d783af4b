import { createHash, randomBytes } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const NAMES_MAX = 50_000
/** Shared by names that come while there is no room for another. */
const SHARED_BUCKETS = 1_024

/**
 * A token bucket for each name. Only a bucket that is full again is forgotten: whoever could make us forget another
 * could start afresh. While more names than we remember are active, those that come new share buckets.
 */
export class RateLimit {
  readonly #perMinute: number
  readonly #burst: number
  readonly #namesMax: number
  readonly #buckets: RecentMap<string, Bucket>
  readonly #shared: (Bucket | undefined)[] = []
  /** So that nobody can choose whom to share a bucket with. */
  readonly #salt = randomBytes(16)

  constructor(perMinute: number, burst: number, namesMax = NAMES_MAX) {
    this.#perMinute = perMinute
    this.#burst = Math.min(burst, Math.max(perMinute, 1))
    this.#namesMax = namesMax
    this.#buckets = new RecentMap(namesMax)
  }

  /** How many names are remembered. */
  get size(): number {
    return this.#buckets.size
  }

  /** Takes one token, or refuses with the time after which one is there. Returns the headers that tell the standing. */
  take(name: string): Record<string, string> {
    if (this.#perMinute === 0) return {}
    const bucket = this.#bucketOf(name, performance.now())
    const secondsToNext = Math.ceil(((1 - bucket.tokens) / this.#perMinute) * 60)
    const standing = {
      'ratelimit-limit': String(this.#perMinute),
      'ratelimit-remaining': String(Math.max(0, Math.floor(bucket.tokens) - 1)),
      'ratelimit-reset': String(Math.ceil(((this.#burst - bucket.tokens) / this.#perMinute) * 60)),
    }
    if (bucket.tokens < 1)
      throw new Problem(429, 'RATE_LIMIT_REACHED', [], {
        headers: { ...standing, 'retry-after': String(Math.max(1, secondsToNext)) },
      })
    bucket.tokens--
    return standing
  }

  /** Whether there is anything left; nothing is taken. */
  has(name: string): boolean {
    return this.#perMinute === 0 || this.#bucketOf(name, performance.now()).tokens >= 1
  }

  /** Gives a token back that was taken for something which turned out not to count. */
  giveBack(name: string): void {
    if (this.#perMinute === 0) return
    const bucket = this.#bucketOf(name, performance.now())
    bucket.tokens = Math.min(this.#burst, bucket.tokens + 1)
  }

  /** Takes more for what has come already, also what is not there yet: the next ones wait until it is. */
  charge(name: string, tokens: number): void {
    if (this.#perMinute === 0) return
    const bucket = this.#bucketOf(name, performance.now())
    bucket.tokens = Math.max(-this.#burst, bucket.tokens - tokens)
  }

  #bucketOf(name: string, now: number): Bucket {
    const known = this.#buckets.get(name)
    if (known) return this.#filled(known, now)
    const fresh: Bucket = { tokens: this.#burst, filledAt: now }
    const oldest = this.#buckets.oldest()
    const hasRoom = this.#buckets.size < this.#namesMax || this.#filled(oldest![1], now).tokens === this.#burst
    if (hasRoom) {
      this.#buckets.set(name, fresh)
      return fresh
    }
    const place = createHash('sha256').update(this.#salt).update(name).digest().readUInt32LE() % SHARED_BUCKETS
    this.#shared[place] = this.#filled(this.#shared[place] ?? fresh, now)
    return this.#shared[place]
  }

  #filled(bucket: Bucket, now: number): Bucket {
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.filledAt) / 60_000) * this.#perMinute)
    bucket.filledAt = now
    return bucket
  }
}

/** One of version 4 as it is always written, which nearly every address is. */
const plainAddress = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * What an address counts as: itself, or, in version 6, the network its owner was given, who can use as many addresses of it
 * as they like.
 */
export function networkOf(ip: string): string {
  if (plainAddress.test(ip)) return ip
  const bare = ip.split('%')[0]!
  if (!ipaddr.isValid(bare)) return ip
  const address = ipaddr.process(bare)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
