import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { startProcess } from '../../jobs/process.ts'
import { unavailable } from '../../kernel/problem.ts'
import { answerTo } from '../../kernel/working.ts'
import type { ProcessAnswer, ProcessOrder, Work } from './print-process.ts'

/** Orders that may wait, of one account and of all. */
export const ORDERS_PER_ACCOUNT_MAX = 8
const ORDERS_MAX = 50

interface Order {
  readonly work: Work
  resolve(answer: ProcessAnswer): void
  reject(error: Error): void
}

interface Current {
  readonly order: Order
  readonly id: number
  limit: NodeJS.Timeout | undefined
}

const LOOK_AGAIN_MS = 10

/** What the main thread of a process has had of a processor, where the system tells. */
function processorMs(pid: number | undefined): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return undefined
  }
}

export interface PressOptions {
  /** How far its process stands back behind others. */
  readonly niceness: number
  /** An order that takes more of a processor is given up, with the process that was at it. */
  readonly timeLimitMs: number
  /**
   * So much more for the first order of a process, which has to load everything, and for any that waits for a processor:
   * a process that is ended for it would never come to print anything on a busy machine.
   */
  readonly startLimitMs: number
  /** A process without orders is ended after this time. */
  readonly idleMs: number
}

/** A process that carries out one order at a time. It starts with the first, and accounts take turns. */
export class Press {
  readonly #options: PressOptions
  /** Orders by account; the first of the first account is the next. */
  readonly #waiting = new Map<string, Order[]>()
  #count = 0
  #process: ChildProcess | undefined
  #current: Current | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(options: PressOptions) {
    this.#options = options
  }

  ask(accountId: string, work: Work): Promise<ProcessAnswer> {
    const ofAccount = this.#waiting.get(accountId) ?? []
    if (this.#count >= ORDERS_MAX || ofAccount.length >= ORDERS_PER_ACCOUNT_MAX)
      return Promise.reject(unavailable('Too many invoices are being printed.', 5))
    return answerTo<ProcessAnswer>((answered) => {
      this.#count++
      const order = { work, resolve: (answer: ProcessAnswer) => answered(undefined, answer), reject: answered }
      this.#waiting.set(accountId, [...ofAccount, order])
      this.#next()
    })
  }

  #next(): void {
    if (this.#current) return
    const turn = this.#waiting.entries().next().value
    if (!turn) return
    clearTimeout(this.#idle)
    const [accountId, [order, ...others]] = turn
    // Whoever has more to print stands at the end of the line again.
    this.#waiting.delete(accountId)
    if (others.length > 0) this.#waiting.set(accountId, others)
    this.#count--
    const { timeLimitMs, startLimitMs } = this.#options
    const limitMs = this.#process ? timeLimitMs : startLimitMs + timeLimitMs
    this.#process ??= this.#start()
    hold(this.#process, true)
    const current: Current = { order: order!, id: ++this.#lastId, limit: undefined }
    const { pid } = this.#process
    const beganAt = performance.now()
    const before = processorMs(pid)
    const late = () => {
      // Only what it took counts, as far as that is known: on a busy machine it may wait for a processor.
      const left = limitMs - (processorMs(pid) ?? Number.POSITIVE_INFINITY) + (before ?? 0)
      const waits = left > 0 && performance.now() - beganAt < startLimitMs + timeLimitMs
      if (waits) current.limit = setTimeout(late, Math.max(left, LOOK_AGAIN_MS))
      else this.#end(new Error(`Printing took longer than ${limitMs} ms.`))
    }
    current.limit = setTimeout(late, limitMs)
    this.#current = current
    this.#process.send({ id: current.id, ...order!.work } satisfies ProcessOrder)
  }

  #start(): ChildProcess {
    const started = startProcess('print-process', import.meta.url, [String(this.#options.niceness)])
    started.on('message', (answer: ProcessAnswer) => {
      if (answer.id !== this.#current?.id) return
      const { order } = this.#take()
      if ('error' in answer) order.reject(new Error(answer.error))
      else order.resolve(answer)
      hold(started, false)
      this.#idle = setTimeout(() => this.#end(new Error('Nothing was printed for a while.')), this.#options.idleMs)
      this.#idle.unref()
      this.#next()
    })
    const stopped = (reason: unknown) => {
      if (this.#process === started)
        this.#end(reason instanceof Error ? reason : new Error('The process that prints stopped.'))
    }
    started.on('error', stopped)
    started.on('exit', stopped)
    return started
  }

  #take() {
    const { order, limit } = this.#current!
    clearTimeout(limit)
    this.#current = undefined
    return { order }
  }

  /** Ends the process with what it was at; the next order gets a new one. */
  #end(error: Error): void {
    const ended = this.#process
    this.#process = undefined
    ended?.kill('SIGKILL')
    if (this.#current) this.#take().order.reject(error)
    this.#next()
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    for (const orders of this.#waiting.values())
      for (const { reject } of orders) reject(new Error('The printer is closed.'))
    this.#waiting.clear()
    if (this.#current) clearTimeout(this.#current.limit)
    const ended = this.#process
    this.#process = undefined
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return
    hold(ended, true)
    ended.kill('SIGKILL')
    await once(ended, 'exit')
  }
}

/** Whether it keeps us from ending; one without orders does not. */
function hold(process: ChildProcess, isHeld: boolean): void {
  if (isHeld) process.ref()
  else process.unref()
  if (isHeld) process.channel?.ref()
  else process.channel?.unref()
}
