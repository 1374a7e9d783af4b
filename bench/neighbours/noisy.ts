// A merchant who does the worst that the limits allow, in a process of its own: it must not slow down whoever measures.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { RawReceiver } from '../../test/support/receiver.ts'
import { INVOICES, over } from '../../test/support/shop.ts'
import { usd } from '../../test/support/world.ts'
import { clientAt, json } from './client.ts'

/** What the noisy merchant is told to begin with. */
export interface NoisyOrder {
  readonly urls: readonly string[]
  readonly tokens: readonly string[]
}

/** A receiver that announces answers for ever. */
const openAnnouncing = () =>
  RawReceiver.open((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
    }
    socket.once('data', more).on('drain', more)
  })

/** Whoever is told to wait comes back sooner than told. */
const REFUSED_PAUSE_MS = 50
const IDLE_CONNECTIONS = 600
const UPLOAD_BYTES = 50_000_000
const boundary = 'frontier'

const items = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    name: `Item ${i}`,
    description: `${i} ${'words and more words '.repeat(50)}`.slice(0, 1000),
    quantity: '1',
    unit_amount: usd('1.00'),
  }))

/** All at once, from addresses of their own. */
async function openNoisy({ urls, tokens }: NoisyOrder) {
  const announcing = await openAnnouncing()
  const clients = Array.from({ length: 4 }, (_, i) => clientAt(`127.0.4.${i + 1}`))
  let calls = 0
  const next = () => {
    calls++
    return {
      client: clients[calls % clients.length]!,
      url: urls[calls % urls.length]!,
      token: tokens[calls % tokens.length]!,
    }
  }
  const call = async (request: Parameters<(typeof clients)[0]['call']>[1], isPublic = false) => {
    const { client, url, token } = next()
    const answer = await client.call(url, { ...request, ...(!isPublic && { token }) }).catch(() => undefined)
    if (!answer || answer.status === 429 || answer.status === 503) await pause(REFUSED_PAUSE_MS)
    return answer
  }

  const hook = { url: announcing.url(), event_types: [{ name: '*' }] }
  for (const token of tokens)
    await clients[0]!.call(urls[0]!, { method: 'POST', path: '/v1/notifications/webhooks', token, ...json(hook) })
  const made = await call({ method: 'POST', path: INVOICES, ...json(over('1.00', { items: items(100) })) })
  const id = (JSON.parse(made!.text) as { id: string }).id
  await call({ method: 'POST', path: `${INVOICES}/${id}/send`, ...json({}) })
  const page = `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}`

  const filters = [
    'dispute_state',
    'start_time',
    'update_time_after',
    'update_time_before',
    'page_size',
    'invoice_number',
  ]
  const values = [
    'OPEN_INQUIRIES',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '2030-01-01T00:00:00.000Z',
    '7',
    'x',
  ]
  const deeds: (() => Promise<unknown>)[] = [
    // Every combination of list filters.
    () => {
      const chosen = filters.flatMap((name, i) => ((calls >> i) & 1 ? [`${name}=${values[i]}`] : []))
      return call({ path: `/v1/customer/disputes?${chosen.join('&')}` })
    },
    () => call({ path: `/v1/notifications/webhooks-events?transaction_id=e&page_size=100` }),
    // PDFs in languages that nobody speaks.
    () => call({ path: `${page}/pdf?lang=de-${String(calls).padStart(5, 'x')}` }, true),
    () => call({ path: `${page}?lang=fr-${String(calls).padStart(6, 'y')}` }, true),
    // Mails through a server that hangs.
    () =>
      call({
        method: 'PUT',
        path: `${INVOICES}/${id}?send_to_recipient=true`,
        ...json(over('1.00', { items: items(100) }, { note: `Version ${calls}` })),
      }),
    // Large requests that are to be kept.
    () => {
      const { headers, body } = json(over('1.00', { items: items(100) }))
      const keyed = { ...headers, 'idempotency-key': `large ${calls}`, prefer: 'return=representation' }
      return call({ method: 'POST', path: INVOICES, headers: keyed, body })
    },
    // Guesses, each with another client id.
    () =>
      call(
        {
          method: 'POST',
          path: '/v1/oauth2/token',
          headers: {
            authorization: `Basic ${Buffer.from(`guess${calls}:guess`).toString('base64')}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: 'grant_type=client_credentials',
        },
        true,
      ),
    () => call({ path: '/openapi.json' }, true),
    () => call({ path: '/metrics' }, true),
  ]

  const sockets: Socket[] = []
  const connection = (head?: string, bytes = 0) => {
    const { client, url } = next()
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: client.localAddress })
    socket.on('error', () => {})
    if (head) socket.write(head)
    if (bytes > 0) socket.write(Buffer.alloc(bytes, 'x'))
    sockets.push(socket)
  }

  let isOn = false
  let running: Promise<unknown> = Promise.resolve()
  return {
    begin(): void {
      isOn = true
      for (let i = 0; i < IDLE_CONNECTIONS; i++) connection()
      for (let i = 0; i < 5; i++)
        connection(
          `POST ${page}/problem HTTP/1.1\r\nHost: x\r\nContent-Length: ${UPLOAD_BYTES}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\n\r\n--${boundary}\r\n`,
          UPLOAD_BYTES - 1_000,
        )
      const repeat = async (deed: () => Promise<unknown>) => {
        while (isOn) await deed()
      }
      running = Promise.all(deeds.map(repeat))
    },
    async end(): Promise<number> {
      isOn = false
      for (const socket of sockets.splice(0)) socket.destroy()
      await running
      return calls
    },
  }
}

/** First the order, then "begin" and "end"; each is answered with how many calls there were. */
let noisy: Awaited<ReturnType<typeof openNoisy>> | undefined
process.on('message', async (message: NoisyOrder | 'begin' | 'end') => {
  if (message === 'begin') noisy!.begin()
  else if (message !== 'end') noisy = await openNoisy(message)
  process.send?.({ calls: message === 'end' ? await noisy!.end() : 0 })
})
