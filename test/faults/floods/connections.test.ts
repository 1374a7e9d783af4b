import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { limitConnections } from '../../../src/http/limits/connections.ts'
import { FairShare } from '../../../src/http/limits/fair-share.ts'
import { listen, paperServer } from '../../support/paper-server.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

const open = (port: number, localAddress: string) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket))
    socket.on('error', reject)
    sockets.push(socket)
  })

/** Whether a request on it is answered; one that was refused is closed. */
const answers = (socket: Socket) =>
  new Promise<boolean>((resolve) => {
    socket.removeAllListeners('error')
    socket.on('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('data', () => resolve(true))
    if (socket.destroyed) resolve(false)
    socket.write('GET /pulse HTTP/1.1\r\nHost: x\r\n\r\n')
  })

it('A client that opens as many connections as it can gets a quarter of them, and others are served', async () => {
  const server = paperServer()
  const port = await listen(server)
  const mine: Socket[] = []
  for (let i = 0; i < 12; i++)
    mine.push(...(await Promise.all(Array.from({ length: 50 }, () => open(port, '127.0.0.1')))))

  expect(await answers(await open(port, '127.0.0.2'))).toBe(true)
  const served = (await Promise.all(mine.map(answers))).filter(Boolean).length
  expect(served).toBeGreaterThanOrEqual(495)
  expect(served).toBeLessThanOrEqual(501)

  for (const socket of mine) socket.destroy()
  await expect.poll(async () => answers(await open(port, '127.0.0.1'))).toBe(true)
  for (const socket of sockets) socket.destroy()
  await server.close()
})

it('Twenty who take all there are make room for whoever comes, but not in the middle of an answer', async () => {
  const held: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/slow') held.push(response)
    else response.end('here')
  })
  limitConnections(server, [], 100)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const slow = await open(port, '127.0.0.1')
  const answer = new Promise<string>((resolve) => {
    slow.once('data', (bytes) => resolve(String(bytes)))
    slow.once('close', () => resolve('cut off'))
  })
  slow.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  for (let client = 1; client <= 20; client++)
    await Promise.all(Array.from({ length: 40 }, () => open(port, `127.0.0.${client}`)))
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, n) => resolve(n)))).toBeGreaterThan(95)

  for (let client = 100; client < 140; client++)
    expect(await answers(await open(port, `127.0.0.${client}`)), `client ${client}`).toBe(true)

  held[0]!.end('still here')
  expect(await answer).toContain('still here')
  for (const socket of sockets) socket.destroy()
  server.close()
})

it('Ten who take all they can leave something for the next', () => {
  const share = new FairShare(2_000, 1 / 3)
  for (let client = 0; client < 10; client++) while (share.take(`client ${client}`));

  expect(share.total).toBeLessThan(2_000)
  expect(share.take('another')).toBe(true)
})
