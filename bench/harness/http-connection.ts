import { connect, type Socket } from 'node:net'
import type { HttpRequest } from './row.ts'

export interface HttpAnswer {
  readonly status: number
  /** The first part of the answer, for a message when it is not what was expected. */
  readonly start: string
}

const ANSWER_WITHIN_MS = 10_000

/**
 * One keep-alive connection that sends one request at a time. Written by hand because the generator shares the
 * machine with what it measures: a full client would take several times as much of it.
 */
export async function openConnection(address: URL) {
  let socket = await dial(address)
  return {
    async send(request: HttpRequest): Promise<HttpAnswer> {
      if (socket.destroyed || socket.readableEnded) socket = await dial(address)
      socket.write(print(request, address.host))
      const { answer, last } = await read(socket)
      if (last) socket.destroy()
      return answer
    },
    close: () => socket.destroy(),
  }
}

function dial({ hostname, port }: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('No answer in time.')))
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

function print({ method, path, headers = {}, body }: HttpRequest, host: string): string {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Reads one answer, which must say how long it is. */
function read(socket: Socket): Promise<{ answer: HttpAnswer; last: boolean }> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer | undefined
    let size = -1
    let head = ''
    const settle = (error?: Error) => {
      socket.off('data', onData).off('error', settle).off('close', onClose)
      if (error) return reject(error)
      const start = bytes!.toString('utf8', head.length + 4, head.length + 304)
      resolve({ answer: { status: Number(head.slice(9, 12)), start }, last: /\r\nconnection: close/i.test(head) })
    }
    const onClose = () => settle(new Error('The connection was closed before the answer came.'))
    const onData = (chunk: Buffer) => {
      bytes = bytes ? Buffer.concat([bytes, chunk]) : chunk
      if (size < 0) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0) return
        head = bytes.toString('latin1', 0, end)
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
        size = end + 4 + Number(length ?? 0)
      }
      if (bytes.length >= size) settle()
    }
    socket.on('data', onData).on('error', settle).on('close', onClose)
  })
}
