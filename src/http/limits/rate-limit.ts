import { createHash, randomBytes } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const NAMES_MAX = 50_000
/** Buckets that names share if they come while there is no room for another bucket. */
const SHARED_BUCKETS = 1_024

/**
 * A token bucket for each name. Only a bucket that is full again is forgotten: whoever could make us forget another one
 * could start afresh. While more names are active than we remember, new names share buckets.
 */
export class RateLimit {
  readonly #perMinute: number
  readonly #burst: number
  readonly #namesMax: number
  readonly #buckets: RecentMap<string, Bucket>
  readonly #shared: (Bucket | undefined)[] = []
  /** Keeps callers from choosing whom they share a bucket with. */
  readonly #salt = randomBytes(16)

  constructor(perMinute: number, burst: number, namesMax = NAMES_MAX) {
    this.#perMinute = perMinute
    this.#burst = Math.min(burst, Math.max(perMinute, 1))
    this.#namesMax = namesMax
    this.#buckets = new RecentMap(namesMax)
  }

  /** How many names have a bucket of their own. */
  get size(): number {
    return this.#buckets.size
  }

  /**
   * Takes one token, or refuses and says after which time there will be one. Gives the headers that tell the caller what is
   * left.
   */
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

  /**
   * Takes more tokens for something that has happened already. If there are not enough, the next requests wait until there
   * are.
   */
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

/** The usual form of an address of version 4, which nearly every address has. */
const plainAddress = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * The name under which an address is counted: the address itself or, in version 6, the network that its owner was given, who
 * can use as many of its addresses as they like.
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
