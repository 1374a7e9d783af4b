import { hash } from 'node:crypto'
import { RateLimit } from '../../http/limits/rate-limit.ts'
import { dayIn } from '../../kernel/clock.ts'
import type { LogoImage } from '../logo/image.ts'
import type { KeptLogo } from '../logo/store.ts'
import type { PrintOrder, ProcessAnswer, Work } from './print-process.ts'
import { PrintQueue } from './print-queue.ts'

export const TIME_LIMIT_MS = 10_000
const START_LIMIT_MS = 60_000
const IDLE_MS = 300_000
/** How much processor time an account may use in a minute before its orders make way for everything else. */
export const PRINTING_MS_PER_MINUTE = 6_000
/** How much of that it may use at once: enough for some seventeen documents of a hundred items. */
export const PRINTING_MS_AT_ONCE = 1_000
/** How much they then make way. On an idle machine they are as quick as before. */
const NICENESS = 15
export const KEPT_BYTES_MAX = 32 * 1024 * 1024

/** An invoice of somebody, with our copy of its logo. */
export interface AccountOrder extends PrintOrder {
  readonly accountId: string
  readonly logo?: KeptLogo | undefined
}

/**
 * Prints invoices and reads logos in processes of their own, because both take much processor time and others must not wait
 * for them. Accounts take turns, each may have a limited number of orders waiting, and what was printed is kept for whoever
 * asks again. An account that has used up its share goes on in a second process, which only gets what nobody else wants of
 * the machine.
 */
export interface Printer {
  print(order: AccountOrder): Promise<Buffer>
  /** Makes a logo out of a file from elsewhere. Fails if the file is no logo. */
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
  /** Whoever asks for something that is being printed waits for that. */
  const underWay = new Map<string, Promise<Buffer>>()
  const usual = new PrintQueue({ niceness: 0, timeLimitMs, startLimitMs, idleMs })
  /** For accounts that have used up their share. */
  const yielding = new PrintQueue({ niceness: NICENESS, timeLimitMs, startLimitMs, idleMs })
  const budget = new RateLimit(msPerMinute, PRINTING_MS_AT_ONCE)

  async function ask(accountId: string, work: Work): Promise<ProcessAnswer> {
    const answer = await (budget.has(accountId) ? usual : yielding).ask(accountId, work)
    budget.charge(accountId, answer.processorMs)
    return answer
  }

  async function printNow({ accountId, logo, source, locale, address }: AccountOrder): Promise<Buffer> {
    const order = { source, locale, address }
    // If a logo ever stops the process, the invoice is printed without the logo.
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
      await Promise.all([usual.close(), yielding.close()])
    },
  }
}

/**
 * Everything on which the printed file depends. The day is part of it, because an invoice can become overdue overnight. The
 * content of the invoice is used and not its version: after a sandbox goes back to a snapshot, other invoices may have the
 * same versions.
 */
const keyOf = ({ source: { invoice, account, now }, locale, address, logo }: AccountOrder): string =>
  [
    hash('sha256', JSON.stringify(invoice), 'base64'),
    locale.tag,
    address,
    dayIn(now, account.time_zone),
    logo?.version ?? '',
    account.name,
    account.email,
  ].join('\n')

/** Files that are kept as long as there is room. Those that nobody has asked for lately go first. */
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
