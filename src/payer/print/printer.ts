import { hash } from 'node:crypto'
import { RateLimit } from '../../http/limits/rate-limit.ts'
import { dayIn } from '../../kernel/clock.ts'
import type { LogoImage } from '../logo/image.ts'
import type { KeptLogo } from '../logo/store.ts'
import { Press } from './press.ts'
import type { PrintOrder, ProcessAnswer, Work } from './print-process.ts'

export const TIME_LIMIT_MS = 10_000
const START_LIMIT_MS = 60_000
const IDLE_MS = 300_000
/** What an account may take of a processor in a minute before its orders stand back behind everything else. */
export const PRINTING_MS_PER_MINUTE = 6_000
/** Of that, what it may take at once: some seventeen documents of a hundred items. */
export const PRINTING_MS_AT_ONCE = 1_000
/** How far they stand back then: on an idle machine they are as quick as before. */
const NICENESS = 15
export const KEPT_BYTES_MAX = 32 * 1024 * 1024

/** An invoice of somebody, with our copy of its logo. */
export interface AccountOrder extends PrintOrder {
  readonly accountId: string
  readonly logo?: KeptLogo | undefined
}

/**
 * Prints invoices and reads logos in processes of their own, because both take a processor and others must not wait for it.
 * Accounts take turns, each may have so many orders waiting, and what was printed is kept for whoever asks again. One that
 * has more printed than its share goes on in a second process, which gets what nobody else wants of the machine.
 */
export interface Printer {
  print(order: AccountOrder): Promise<Buffer>
  /** Makes a logo out of a file from elsewhere; fails when it is none. */
  readLogo(accountId: string, file: Uint8Array): Promise<LogoImage>
  close(): Promise<void>
}

export function openPrinter({
  timeLimitMs = TIME_LIMIT_MS,
  startLimitMs = START_LIMIT_MS,
  idleMs = IDLE_MS,
  msPerMinute = PRINTING_MS_PER_MINUTE,
} = {}): Printer {
  const kept = new KeptFiles(KEPT_BYTES_MAX)
  /** Whoever asks for what is being printed waits for that. */
  const underWay = new Map<string, Promise<Buffer>>()
  const press = new Press({ niceness: 0, timeLimitMs, startLimitMs, idleMs })
  const lastPress = new Press({ niceness: NICENESS, timeLimitMs, startLimitMs, idleMs })
  const budget = new RateLimit(msPerMinute, PRINTING_MS_AT_ONCE)

  async function ask(accountId: string, work: Work): Promise<ProcessAnswer> {
    const answer = await (budget.has(accountId) ? press : lastPress).ask(accountId, work)
    budget.charge(accountId, answer.processorMs)
    return answer
  }

  async function printNow({ accountId, logo, source, locale, address }: AccountOrder): Promise<Buffer> {
    const order = { source, locale, address }
    // Should a logo ever stop the process, the invoice is printed without it.
    const withLogo = logo && (await ask(accountId, { print: { ...order, logo } }).catch(() => undefined))
    const printed = withLogo ?? (await ask(accountId, { print: order }))
    if (!('pdf' in printed)) throw new Error('The process that prints made something else.')
    return Buffer.from(printed.pdf)
  }

  return {
    print(order) {
      const key = keyOf(order)
      const file = kept.get(key)
      if (file) return Promise.resolve(file)
      let printing = underWay.get(key)
      if (!printing) {
        printing = printNow(order)
          .then((pdf) => kept.keep(key, pdf))
          .finally(() => underWay.delete(key))
        underWay.set(key, printing)
      }
      return printing
    },
    async readLogo(accountId, file) {
      const read = await ask(accountId, { readLogo: file })
      if (!('logo' in read)) throw new Error('The process that prints made something else.')
      return read.logo
    },
    async close() {
      await Promise.all([press.close(), lastPress.close()])
    },
  }
}

/**
 * Everything that what is printed depends on; a day, because an invoice is overdue from one day to the next. What an invoice says
 * and not its version: a sandbox that goes back to a snapshot has other invoices of the same versions afterwards.
 */
const keyOf = ({ source: { invoice, account, now }, locale, address, logo }: AccountOrder): string =>
  [
    ...[hash('sha256', JSON.stringify(invoice), 'base64'), locale.tag, address, dayIn(now, account.time_zone)],
    ...[logo?.version ?? '', account.name, account.email],
  ].join('\n')

/** Files that are kept while there is room; those that nobody asked for go first. */
class KeptFiles {
  readonly #files = new Map<string, Buffer>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(key: string): Buffer | undefined {
    const file = this.#files.get(key)
    if (!file) return undefined
    this.#files.delete(key)
    this.#files.set(key, file)
    return file
  }

  keep(key: string, file: Buffer): Buffer {
    if (file.length > this.#bytesMax || this.#files.has(key)) return file
    this.#files.set(key, file)
    this.#bytes += file.length
    for (const [oldest, { length }] of this.#files) {
      if (this.#bytes <= this.#bytesMax) break
      this.#files.delete(oldest)
      this.#bytes -= length
    }
    return file
  }
}
