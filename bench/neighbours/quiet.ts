import { setTimeout as pause } from 'node:timers/promises'
import { INVOICES, over } from '../../test/support/shop.ts'
import { clientAt, json } from './client.ts'
import { type Merchant, PUBLIC_URL, type Scene } from './scene.ts'

const READ_EVERY_MS = 40
const PAY_EVERY_MS = 350
const PAYERS = 3
const PAID_WITHIN_MS = 60_000

/** How long each took, in milliseconds. */
export interface Waits {
  readonly read: number[]
  readonly pay: number[]
  readonly delivery: number[]
}

/** A merchant who minds their own business, and what they and their payers wait for. */
export async function openQuiet({ urls, receiver }: Scene, { tokens }: Merchant) {
  const client = clientAt('127.0.2.1')
  const payers = Array.from({ length: 60 }, (_, i) => clientAt(`127.0.3.${i + 1}`))
  let calls = 0
  const url = () => urls[calls++ % urls.length]!
  const token = () => tokens[calls % tokens.length]!
  const post = async (path: string, body: object) => {
    const answer = await client.call(url(), { method: 'POST', path, token: token(), ...json(body) })
    if (answer.status >= 300) throw new Error(`the quiet merchant was refused: ${answer.status} ${answer.text}`)
    return answer
  }
  const subscribed = { url: receiver.url(), event_types: [{ name: 'INVOICING.INVOICE.PAID' }] }
  // An app hears of what it did itself, so each subscribes.
  for (const own of tokens)
    await client.call(url(), { method: 'POST', path: '/v1/notifications/webhooks', token: own, ...json(subscribed) })

  async function sentInvoice(): Promise<string> {
    const { text } = await post(INVOICES, over('10.00'))
    const id = (JSON.parse(text) as { id: string }).id
    await post(`${INVOICES}/${id}/send`, { send_to_recipient: false })
    return id
  }

  const known = await sentInvoice()

  async function read(waits: Waits): Promise<void> {
    const { status, ms, text } = await client.call(url(), { path: `${INVOICES}/${known}`, token: token() })
    if (status !== 200) throw new Error(`the quiet merchant cannot read: ${status} ${text}`)
    waits.read.push(ms)
  }

  /** What a browser does: opens the sheet, sends it, and looks at the page that waits until it moves on. */
  async function pay(waits: Waits): Promise<void> {
    const id = await sentInvoice()
    const payer = payers[calls % payers.length]!
    const path = `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}/pay`
    const sheet = await payer.call(url(), { path })
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(sheet.text)?.[1] ?? ''
    const cookie = String(sheet.headers['set-cookie'] ?? '').split(';')[0]!
    const began = performance.now()
    const sent = await payer.call(url(), {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, origin: PUBLIC_URL },
      body: new URLSearchParams({ token: field('token'), amount: field('amount'), tip: field('tip') }).toString(),
    })
    if (sent.status !== 303) throw new Error(`a payer was refused: ${sent.status} ${sent.text.slice(0, 200)}`)
    const waiting = String(sent.headers.location)
    while ((await payer.call(url(), { path: waiting, headers: { cookie } })).status !== 303) {
      if (performance.now() - began > PAID_WITHIN_MS) break
      await pause(40)
    }
    waits.pay.push(performance.now() - began)
    const isTold = () => receiver.received.some(({ body }) => body.includes(id))
    await receiver.until(isTold, { within: PAID_WITHIN_MS, wish: `the payment of ${id}` })
    const told = receiver.received.find(({ body }) => body.includes(id))!
    waits.delivery.push(told.at - began)
  }

  return {
    /** Goes on with their business for so long. */
    async during(seconds: number): Promise<Waits> {
      const waits: Waits = { read: [], pay: [], delivery: [] }
      receiver.forget()
      const until = performance.now() + seconds * 1000
      const repeat = async (every: number, work: (waits: Waits) => Promise<void>) => {
        while (performance.now() < until) {
          await work(waits)
          await pause(every)
        }
      }
      await Promise.all([
        repeat(READ_EVERY_MS, read),
        ...Array.from({ length: PAYERS }, () => repeat(PAY_EVERY_MS, pay)),
      ])
      return waits
    },
    close(): void {
      for (const one of [client, ...payers]) one.close()
    },
  }
}
