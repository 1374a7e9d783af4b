import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BODY_KEPT_MAX } from '../../../src/outbound/call.ts'
import { type Outbound, openOutbound, TOTAL_TIMEOUT_MS } from '../../../src/outbound/http.ts'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { RawReceiver } from '../../support/receiver.ts'
import { newWorld, patient } from '../../support/world.ts'

/** The same deadline, short: none of these would ever come to an end by itself. */
const DEADLINE_MS = TOTAL_TIMEOUT_MS / 40

const head = (status: string, headers = '') => `HTTP/1.1 ${status}\r\n${headers}\r\n`
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`

/** Keeps doing something until the far end hangs up. */
function keep(socket: Socket, ms: number, act: () => void): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : act()), ms)
  socket.on('close', () => clearInterval(timer))
}

/** Writes as fast as the far end reads. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', more)
  more()
}

const onRequest = (socket: Socket, ...acts: (() => unknown)[]) =>
  void socket.once('data', () => {
    for (const act of acts) act()
  })
const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024))

interface Hostile {
  readonly name: string
  readonly behave: (socket: Socket) => void
  /** A status that was heard, or the failure. */
  readonly ends: number | 'fails'
  readonly scheme?: 'https'
}

const hostile: Hostile[] = [
  { name: 'never answers', behave: () => {}, ends: 'fails' },
  {
    name: 'announces an answer for ever',
    behave: (s) => onRequest(s, () => pour(s, head('103 Early Hints', 'link: </a>\r\n'))),
    ends: 'fails',
  },
  {
    name: 'drips its head, a byte at a time',
    behave: (s) =>
      onRequest(
        s,
        () => s.write('HTTP/1.1 200 OK\r\nx: '),
        () => keep(s, 20, () => s.write('y')),
      ),
    ends: 'fails',
  },
  {
    name: 'drips its body, a byte at a time',
    behave: (s) =>
      onRequest(
        s,
        () => s.write(head('200 OK', 'content-length: 100000\r\n')),
        () => keep(s, 20, () => s.write('y')),
      ),
    ends: 200,
  },
  {
    name: 'answers with a body without end',
    behave: (s) =>
      onRequest(
        s,
        () => s.write(head('200 OK', 'transfer-encoding: chunked\r\n')),
        () => pour(s, chunk(16_384)),
      ),
    ends: 200,
  },
  {
    name: 'answers with a bomb that would unpack to 20 MB',
    behave: (s) =>
      onRequest(s, () => {
        s.write(head('200 OK', `content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n`))
        s.end(bomb)
      }),
    ends: 200,
  },
  {
    name: 'answers with a hundred thousand headers',
    behave: (s) =>
      onRequest(
        s,
        () => s.write('HTTP/1.1 200 OK\r\n'),
        () => pour(s, 'a: b\r\n'.repeat(1000)),
      ),
    ends: 'fails',
  },
  {
    name: 'redirects to itself for ever',
    behave: (s) => onRequest(s, () => s.end(head('307 Again', 'location: /hook\r\ncontent-length: 0\r\n'))),
    ends: 307,
  },
  {
    name: 'resets the connection in the middle of the body',
    behave: (s) =>
      onRequest(
        s,
        () => s.write(head('200 OK', 'content-length: 1000\r\n') + 'abc'),
        () => setTimeout(() => s.resetAndDestroy(), 20),
      ),
    ends: 200,
  },
  {
    name: 'resets the connection before it answers',
    behave: (s) => onRequest(s, () => s.resetAndDestroy()),
    ends: 'fails',
  },
  {
    name: 'answers TLS with junk',
    behave: (s) => onRequest(s, () => s.write('\u0016\u0003junk'.repeat(100))),
    ends: 'fails',
    scheme: 'https',
  },
  { name: 'never finishes the TLS handshake', behave: () => {}, ends: 'fails', scheme: 'https' },
  {
    name: 'floods us with provisional answers',
    behave: (s) => onRequest(s, () => pour(s, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50))),
    ends: 'fails',
  },
  {
    name: 'promises more than it sends',
    behave: (s) => onRequest(s, () => s.end(head('200 OK', 'content-length: 1000\r\n') + 'abc')),
    ends: 200,
  },
  { name: 'speaks something else', behave: (s) => s.write('220 mail.example.com ESMTP\r\n'), ends: 'fails' },
  {
    name: 'offers another protocol',
    behave: (s) =>
      onRequest(s, () => s.write(head('101 Switching Protocols', 'upgrade: x\r\nconnection: upgrade\r\n'))),
    ends: 'fails',
  },
  {
    name: 'says it is gone',
    behave: (s) => onRequest(s, () => s.end(head('410 Gone', 'content-length: 0\r\n'))),
    ends: 410,
  },
]

describe('A hostile receiver', () => {
  const opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
  })
  const open = async (behave: (socket: Socket) => void) => {
    const receiver = await RawReceiver.open(behave)
    opened.push(receiver)
    return receiver
  }
  const door = (totalTimeoutMs = DEADLINE_MS): Outbound => {
    const outbound = openOutbound({ allowHttp: true, allowPrivate: true, totalTimeoutMs })
    opened.push(outbound)
    return outbound
  }
  const post = (outbound: Outbound, url: string) =>
    outbound.post({ url, headers: { 'content-type': 'application/json' }, body: '{"a":1}' }).then(
      (answer) => {
        expect(answer.body.length).toBeLessThanOrEqual(BODY_KEPT_MAX)
        return answer.status
      },
      (error: Error) => {
        expect(error.message.length).toBeGreaterThan(0)
        return 'fails' as const
      },
    )

  it.each(hostile)('that $name does not keep its attempt from ending', async ({ behave, ends, scheme }) => {
    const receiver = await open(behave)

    // What ends with a status does so at the deadline or before; it needs the time to be heard on a busy machine.
    const outbound = door(ends === 'fails' ? DEADLINE_MS : TOTAL_TIMEOUT_MS)

    expect(await post(outbound, receiver.url('/hook', scheme ?? 'http'))).toBe(ends)
  })

  it('is not listened to for as long as it announces an answer', async () => {
    const receiver = await open((s) => onRequest(s, () => pour(s, head('103 Early Hints'))))
    const asking = door(TOTAL_TIMEOUT_MS).post({ url: receiver.url(), headers: {}, body: '{}' })
    await expect(asking).rejects.toThrow('There was no answer after 8 informational ones.')
  })

  it('gets at most twenty seconds of our time', () => {
    expect(TOTAL_TIMEOUT_MS).toBe(20_000)
  })

  it('costs bounded memory, two hundred at once', async () => {
    const receivers = await Promise.all(hostile.filter(({ scheme }) => !scheme).map(({ behave }) => open(behave)))
    const outbound = door()
    await Promise.all(receivers.map((receiver) => post(outbound, receiver.url())))
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    await Promise.all(Array.from({ length: 200 }, (_, i) => post(outbound, receivers[i % receivers.length]!.url())))
    clearInterval(watch)
    // The receivers live in this process too, and pour as fast as they can.
    expect((peak - before) / 1024 / 1024).toBeLessThan(150)
  })

  it('that refuses the connection fails at once', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    expect(await post(door(), `http://127.0.0.1:${port}/`)).toBe('fails')
  })
})

it('An attempt that failed with more words than are kept is written down, whatever character they are cut in', async () => {
  const world = await newWorld()
  const { service, database, clock } = world.app
  const webhook = { url: 'https://receiver.test/', event_types: [{ name: '*' }] }
  await world.merchant.post('/v1/notifications/webhooks', webhook)
  await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  const outbound: Outbound = {
    ...openOutbound({ allowHttp: true, allowPrivate: true }),
    // As where a certificate with such a name is for somebody else.
    post: () => Promise.reject(new Error(`${'x'.repeat(499)}\u{1f600}`)),
  }
  const onError = vi.fn()
  const work = new DeliveryWork(service, { ...patient, database, clock, onError }, { outbound })
  await work.drain()

  const { body } = await world.merchant.get<{ transmissions: { attempts: number; error_message: string }[] }>(
    '/v1/notifications/webhooks-transmissions',
  )
  expect(onError).not.toHaveBeenCalled()
  expect(body.transmissions).toMatchObject([{ attempts: 1, error_message: 'x'.repeat(499) }])
  await work.close()
  await world.close()
})
