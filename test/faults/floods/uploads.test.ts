import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { multipartLimits } from '../../../src/http/body/multipart.ts'
import { listen, paperServer } from '../../support/paper-server.ts'
import { sendRaw } from '../../support/wire.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const boundary = 'frontier'
const part = (name: string, extra: string, body: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n${body}\r\n`
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` }

describe('Strangers who begin uploads and never end them', () => {
  let world: World
  let port: number
  const sockets: Socket[] = []
  beforeAll(async () => {
    world = await newWorld({ settings: { SHUTDOWN_GRACE_SECONDS: '0' } })
    port = Number(new URL(await world.app.listen()).port)
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  afterAll(() => world.close())

  const { bodyBytes } = multipartLimits
  const unended = Buffer.alloc(bodyBytes - 100_000, part('file', '; filename="a.png"', 'x'))

  /** Sends all but the end of the largest body there may be, from an address of its own. */
  const beginUpload = (localAddress: string) =>
    new Promise<void>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      sockets.push(socket)
      socket.write(
        `POST /invoice/p/NOBODYHASTHIS/problem HTTP/1.1\r\nHost: x\r\nContent-Length: ${bodyBytes}\r\n` +
          `Content-Type: ${multipart['content-type']}\r\n\r\n`,
      )
      socket.write(unended, () => resolve())
      // Refused, or taken for as long as it lasts.
      socket.on('close', () => resolve())
      socket.on('error', () => {})
    })

  it('leave merchants and buyers their room for evidence', async () => {
    await Promise.all(['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'].map(beginUpload))
    const { body: sale } = await world.call<{ buyer_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: usd('50.00'),
    })
    const { body: dispute } = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: sale.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('50.00'),
    })
    const id = dispute.links[0]!.href.split('/').at(-1)!
    const evidence =
      part('input', '\r\ncontent-type: application/json', '{"message":"See here."}') +
      part('message_document', '; filename="a.pdf"', `%PDF-1.4\n${'x'.repeat(9_000_000)}\nstartxref\n0\n%%EOF\n`) +
      `--${boundary}--\r\n`

    const sent = await world.buyer.post(`/v1/customer/disputes/${id}/send-message`, evidence, { headers: multipart })

    expect(sent.status, sent.text).toBe(200)
  })
})

describe('An upload', () => {
  const upload = (bytes: number) =>
    `POST /papers HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\nContent-Type: ${multipart['content-type']}\r\n\r\n`

  it('that stands still is ended', async () => {
    const server = paperServer({ stalledMs: 50 })
    const port = await listen(server)

    const answer = await sendRaw(port, `${upload(5_000_000)}${'x'.repeat(100)}`)

    expect(answer.status).toBe(408)
    await server.close()
  })

  it('that goes on is not, however long it takes', async () => {
    const server = paperServer({ stalledMs: 200 })
    const port = await listen(server)
    const whole = Buffer.from(`${part('f', '; filename="a.png"', 'x'.repeat(1_000_000))}--${boundary}--\r\n`)
    const answer = sendRaw(port, upload(whole.length), (socket) => {
      const step = Math.ceil(whole.length / 20)
      let sent = 0
      const more = setInterval(() => {
        socket.write(whole.subarray(sent, sent + step))
        sent += step
        if (sent >= whole.length) clearInterval(more)
      }, 30)
    })

    expect((await answer).status).toBe(200)
    await server.close()
  })
})
