// What this machine can do at best: the same deliveries by a bare worker, the same bytes posted and nothing kept, or
// signatures and nothing else.
import { generateKeyPairSync, sign } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Pool } from 'undici'
import { type WorkOrder, workAll } from './bare-worker.ts'

const AT_ONCE = 75
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

async function postAll(url: string, headers: Record<string, string>, body: string, count: number): Promise<number> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: AT_ONCE })
  const bytes = Buffer.from(body)
  const began = performance.now()
  let left = count
  const post = async () => {
    while (left-- > 0) {
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body: bytes })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, post))
  const seconds = (performance.now() - began) / 1000
  await pool.close()
  return count / seconds
}

async function signAll(count: number): Promise<number> {
  const message = Buffer.from('a'.repeat(100))
  const began = performance.now()
  let left = count
  const one = () => new Promise<void>((resolve) => sign('RSA-SHA256', message, privateKey, () => resolve()))
  const loop = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: Math.max(4, availableParallelism()) }, loop))
  return count / ((performance.now() - began) / 1000)
}

type Order =
  | ({ kind: 'work' } & WorkOrder)
  | { kind: 'post'; url: string; headers: Record<string, string>; body: string; count: number }
  | { kind: 'sign'; count: number }

process.on('message', async (order: Order) => {
  process.send?.({ perSecond: await perSecondOf(order) })
})
process.send?.({ ready: true })

function perSecondOf(order: Order): Promise<number> {
  if (order.kind === 'work') return workAll(order)
  return order.kind === 'sign' ? signAll(order.count) : postAll(order.url, order.headers, order.body, order.count)
}
