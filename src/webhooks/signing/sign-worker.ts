import { type KeyObject, sign } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

/** Messages to be signed with one key. The key is sent along only when it is another one than before. */
export interface SignOrder {
  readonly key?: KeyObject
  readonly messages: readonly string[]
}

/** The signatures, in the order of the messages. */
export type Signed = readonly string[]

let key: KeyObject
parentPort?.on('message', (order: SignOrder) => {
  key = order.key ?? key
  const signed: Signed = order.messages.map((text) => sign('RSA-SHA256', Buffer.from(text), key).toString('base64'))
  parentPort?.postMessage(signed)
})
