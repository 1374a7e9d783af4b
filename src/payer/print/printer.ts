import type { Worker } from 'node:worker_threads'
import { startThread } from '../../jobs/thread.ts'
import { dayIn } from '../../kernel/clock.ts'
import { unavailable } from '../../kernel/problem.ts'
import type { LogoImage } from '../logo/image.ts'
import type { KeptLogo } from '../logo/store.ts'
import type { PrintOrder, ThreadAnswer, ThreadOrder } from './print-thread.ts'

/** Orders that may wait, of one account and of all. */
export const ORDERS_PER_ACCOUNT_MAX = 8
const ORDERS_MAX = 50
/** An order that takes longer is given up, with the thread that was at it. */
export const TIME_LIMIT_MS = 10_000
/**
 * So much more for the first order of a thread, which has to load everything. On a busy machine that alone can take longer
 * than an order may, and a thread that is ended for it would never come to print anything.
 */
const START_LIMIT_MS = 60_000
export const KEPT_BYTES_MAX = 32 * 1024 * 1024

/** An invoice at one of its versions. */
export interface VersionedOrder extends PrintOrder {
  readonly accountId: string
  readonly version: number
  readonly logo?: KeptLogo | undefined
}

/**
 * Prints invoices and reads logos on a thread of its own, because both take a processor and others must not wait for it.
 * Accounts take turns, each may have so many orders waiting, and what was printed is kept for whoever asks again.
 */
export interface Printer {
  print(order: VersionedOrder): Promise<Buffer>
  /** Makes a logo out of a file from elsewhere; fails when it is none. */
  readLogo(accountId: string, file: Uint8Array): Promise<LogoImage>
  close(): Promise<void>
}

type Work = { readonly print: PrintOrder } | { readonly readLogo: Uint8Array }

interface Order {
  readonly work: Work
  resolve(answer: ThreadAnswer): void
  reject(error: Error): void
}

export function openPrinter({ timeLimitMs = TIME_LIMIT_MS, startLimitMs = START_LIMIT_MS } = {}): Printer {
  /** Orders by account; the first of the first account is the next. */
  const waiting = new Map<string, Order[]>()
  const kept = new KeptFiles(KEPT_BYTES_MAX)
  /** Whoever asks for what is being printed waits for that. */
  const underWay = new Map<string, Promise<Buffer>>()
  let count = 0
  let thread: Worker | undefined
  let current: { readonly order: Order; readonly id: number; readonly limit: NodeJS.Timeout } | undefined
  let lastId = 0

  function ask(accountId: string, work: Work): Promise<ThreadAnswer> {
    const ofAccount = waiting.get(accountId) ?? []
    if (count >= ORDERS_MAX || ofAccount.length >= ORDERS_PER_ACCOUNT_MAX)
      return Promise.reject(unavailable('Too many invoices are being printed.', 5))
    return new Promise((resolve, reject) => {
      count++
      waiting.set(accountId, [...ofAccount, { work, resolve, reject }])
      next()
    })
  }

  function next(): void {
    if (current) return
    const turn = waiting.entries().next().value
    if (!turn) return
    const [accountId, [order, ...others]] = turn
    // Whoever has more to print stands at the end of the line again.
    waiting.delete(accountId)
    if (others.length > 0) waiting.set(accountId, others)
    count--
    const limitMs = thread ? timeLimitMs : startLimitMs + timeLimitMs
    thread ??= start()
    thread.ref()
    const late = () => end(new Error(`Printing took longer than ${limitMs} ms.`))
    current = { order: order!, id: ++lastId, limit: setTimeout(late, limitMs) }
    thread.postMessage({ id: lastId, ...order!.work } satisfies ThreadOrder)
  }

  function start(): Worker {
    const started = startThread('print-thread', import.meta.url)
    started.on('message', (answer: ThreadAnswer) => {
      if (answer.id !== current?.id) return
      const { order } = take()
      if ('error' in answer) order.reject(new Error(answer.error))
      else order.resolve(answer)
      // An idle thread does not keep the process alive.
      started.unref()
      next()
    })
    const stopped = (error: unknown) => {
      if (thread === started) end(error instanceof Error ? error : new Error('The print thread stopped.'))
    }
    started.on('error', stopped)
    started.on('exit', stopped)
    return started
  }

  function take() {
    const { order, limit } = current!
    clearTimeout(limit)
    current = undefined
    return { order }
  }

  /** Ends the thread with what it was at; the next order gets a new one. */
  function end(error: Error): void {
    const ended = thread
    thread = undefined
    void ended?.terminate()
    if (current) take().order.reject(error)
    next()
  }

  async function printNow({ accountId, logo, source, locale, address }: VersionedOrder): Promise<Buffer> {
    const order = { source, locale, address }
    // Should a logo ever stop the thread, the invoice is printed without it.
    const withLogo = logo && (await ask(accountId, { print: { ...order, logo } }).catch(() => undefined))
    const printed = withLogo ?? (await ask(accountId, { print: order }))
    if (!('pdf' in printed)) throw new Error('The print thread made something else.')
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
      if (!('logo' in read)) throw new Error('The print thread made something else.')
      return read.logo
    },
    async close() {
      for (const orders of waiting.values())
        for (const { reject } of orders) reject(new Error('The printer is closed.'))
      waiting.clear()
      if (current) clearTimeout(current.limit)
      const ended = thread
      thread = undefined
      await ended?.terminate()
    },
  }
}

/** Everything that what is printed depends on; a day, because an invoice is overdue from one day to the next. */
const keyOf = ({ source: { invoice, account, now }, version, locale, address, logo }: VersionedOrder): string =>
  [invoice.id, version, locale.tag, address, dayIn(now, account.time_zone), logo?.version ?? '', account.name].join(
    '\n',
  )

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
