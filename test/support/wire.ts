import { connect, type Socket } from 'node:net'

/** An answer as it came over the connection. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * Sends bytes as they are and reads one answer. A connection that closes without one gives status 0. What `then` does
 * with the open connection happens after the first bytes went out.
 */
export function sendRaw(port: number, bytes: string | Buffer, then?: (socket: Socket) => void): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    const finish = () => {
      socket.destroy()
      resolve(parseAnswer(received))
    }
    socket.setTimeout(60_000, () => {
      socket.destroy()
      reject(new Error(`no answer in time to ${bytes.toString().slice(0, 100)}`))
    })
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (isComplete(received)) finish()
    })
    socket.on('close', finish)
    // A server may close while we still send; whatever it said before counts.
    socket.on('error', finish)
    socket.on('connect', () => {
      socket.write(bytes)
      then?.(socket)
    })
  })
}

function isComplete(received: Buffer): boolean {
  const head = received.indexOf('\r\n\r\n')
  if (head === -1) return false
  const text = received.toString('latin1', 0, head)
  if (text.startsWith('HTTP/1.1 204')) return true
  const length = /^content-length: (\d+)/im.exec(text)
  return length !== null && received.length >= head + 4 + Number(length[1])
}

function parseAnswer(received: Buffer): WireAnswer {
  const [head = '', ...rest] = received.toString('utf8').split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(/:\s*/, 2)).map(([name, value]) => [name!.toLowerCase(), value ?? '']),
  )
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0), headers, text: rest.join('\r\n\r\n') }
}
