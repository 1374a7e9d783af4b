import ipaddr from 'ipaddr.js'
import { Problem } from '../kernel/problem.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const BUCKETS_MAX = 50_000

/** A token bucket for each name. Names that have not called for a while are full again, so forgetting them is safe. */
export class RateLimit {
  readonly #perMinute: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perMinute: number, burst: number) {
    this.#perMinute = perMinute
    this.#burst = Math.min(burst, Math.max(perMinute, 1))
  }

  /** Takes one token, or refuses with the time after which one is there. Returns the headers that tell the standing. */
  take(name: string): Record<string, string> {
    if (this.#perMinute === 0) return {}
    const now = performance.now()
    const bucket = this.#buckets.get(name) ?? { tokens: this.#burst, filledAt: now }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.filledAt) / 60_000) * this.#perMinute)
    bucket.filledAt = now
    if (this.#buckets.size >= BUCKETS_MAX) this.#buckets.clear()
    this.#buckets.set(name, bucket)
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
}

/**
 * What an address counts as: itself, or, in version 6, the network its owner was given, who can use as many addresses of it
 * as they like.
 */
export function networkOf(ip: string): string {
  const bare = ip.split('%')[0]!
  if (!ipaddr.isValid(bare)) return ip
  const address = ipaddr.process(bare)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
