import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { startProcess } from '../../jobs/process.ts'
import { unavailable } from '../../kernel/problem.ts'
import { answerTo } from '../../kernel/working.ts'
import type { ProcessAnswer, ProcessOrder, Work } from './print-process.ts'

/** How many orders may wait: of one account, and below of all accounts. */
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

/** The processor time that the main thread of a process has used, if the system tells. */
function processorMs(pid: number | undefined): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return undefined
  }
}

export interface PrintQueueOptions {
  /** The niceness of its process: the higher, the more it makes way for others. */
  readonly niceness: number
  /** An order that uses more processor time than this is given up, together with the process. */
  readonly timeLimitMs: number
  /**
   * Added for the first order of a process, which has to load everything, and for an order that waits for a processor.
   * Otherwise, on a busy machine, the process would always be ended before it could print anything.
   */
  readonly startLimitMs: number
  /** A process that has had no orders for so long is ended. */
  readonly idleMs: number
}

/** Orders that a process of its own carries out one at a time. It is started with the first order. Accounts take turns. */
export class PrintQueue {
  readonly #options: PrintQueueOptions
  /** Orders by account. The first order of the first account is the next one. */
  readonly #waiting = new Map<string, Order[]>()
  #count = 0
  #process: ChildProcess | undefined
  #current: Current | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(options: PrintQueueOptions) {
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
    // An account with more orders goes to the end of the line.
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
      // If known, only processor time counts, because on a busy machine the process may have to wait for a processor.
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

  /** Ends the process together with the order it was working on. The next order gets a new process. */
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

/** Whether the process keeps the service from ending. One without orders does not. */
function hold(process: ChildProcess, isHeld: boolean): void {
  if (isHeld) process.ref()
  else process.unref()
  if (isHeld) process.channel?.ref()
  else process.channel?.unref()
}
