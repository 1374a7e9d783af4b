import type { Worker } from 'node:worker_threads'
import { startThread } from '../jobs/thread.ts'
import { unavailable } from '../kernel/problem.ts'
import type { Printed, PrintOrder } from './pdf-worker.ts'

interface Waiting {
  resolve(pdf: Buffer): void
  reject(error: Error): void
}

const ORDERS_MAX = 50

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, Waiting>()

/** Prints an invoice on a thread of its own: setting type takes a tenth of a second, and others must not wait for it. */
export function printInvoice(order: Omit<PrintOrder, 'id'>): Promise<Buffer> {
  if (waiting.size >= ORDERS_MAX) return Promise.reject(unavailable('Too many invoices are being printed.', 5))
  worker ??= startPress()
  const id = ++lastId
  worker.ref()
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker!.postMessage({ id, ...order } satisfies PrintOrder)
  })
}

function startPress(): Worker {
  const press = startThread('pdf-worker', import.meta.url)
  press.on('message', (printed: Printed) => {
    const order = take(printed.id)
    if ('pdf' in printed) order?.resolve(Buffer.from(printed.pdf))
    else order?.reject(new Error(printed.error))
    // An idle press does not keep the process alive.
    if (waiting.size === 0) press.unref()
  })
  press.on('error', (error) => stop(error instanceof Error ? error : new Error(String(error))))
  press.on('exit', () => stop(new Error('The press stopped.')))
  return press

  function stop(error: Error): void {
    if (worker === press) worker = undefined
    for (const id of waiting.keys()) take(id)?.reject(error)
  }
}

function take(id: number): Waiting | undefined {
  const order = waiting.get(id)
  waiting.delete(id)
  return order
}
