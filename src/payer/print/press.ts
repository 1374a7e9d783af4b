import type { Worker } from 'node:worker_threads'
import { startThread } from '../../jobs/thread.ts'
import { unavailable } from '../../kernel/problem.ts'
import type { LogoImage } from '../logo/image.ts'
import type { Pressed, PressOrder, PrintOrder } from './pdf-worker.ts'

interface Waiting {
  resolve(pressed: Pressed): void
  reject(error: Error): void
}

const ORDERS_MAX = 50

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, Waiting>()

/** Prints an invoice on a thread of its own: setting type takes a tenth of a second, and others must not wait for it. */
export async function printInvoice({ logo, ...order }: PrintOrder): Promise<Buffer> {
  // Should a logo ever stop the press, the invoice is printed without it.
  const withLogo = logo && (await ask({ print: { ...order, logo } }).catch(() => undefined))
  const printed = withLogo ?? (await ask({ print: order }))
  if (!('pdf' in printed)) throw new Error('The press printed something else.')
  return Buffer.from(printed.pdf)
}

/** Makes a logo out of a file from elsewhere, on the same thread; fails when it is none. */
export async function developLogo(file: Uint8Array): Promise<LogoImage> {
  const developed = await ask({ develop: file })
  if (!('logo' in developed)) throw new Error('The press made something else.')
  return developed.logo
}

type Unnumbered = { readonly print: PrintOrder } | { readonly develop: Uint8Array }

function ask(order: Unnumbered): Promise<Pressed> {
  if (waiting.size >= ORDERS_MAX) return Promise.reject(unavailable('Too many invoices are being printed.', 5))
  worker ??= startPress()
  const id = ++lastId
  worker.ref()
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker!.postMessage({ id, ...order } satisfies PressOrder)
  })
}

function startPress(): Worker {
  const press = startThread('pdf-worker', import.meta.url)
  press.on('message', (pressed: Pressed) => {
    const order = take(pressed.id)
    if ('error' in pressed) order?.reject(new Error(pressed.error))
    else order?.resolve(pressed)
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
