import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** Who gets the events and the mails, and counts them. */
export interface FarEnds {
  readonly webhookUrl: string
  readonly smtpUrl: string
  /** How often each event arrived, by its id. */
  readonly events: Map<string, number>
  /** How often each mail arrived, by its Message-ID. */
  readonly mails: Map<string, number>
  close(): void
}

export async function openFarEnds(): Promise<FarEnds> {
  const events = new Map<string, number>()
  const mails = new Map<string, number>()
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string }
      count(events, id)
      response.end()
    })
  })
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        if (text.length < 20_000) text += chunk
      })
      stream.on('end', () => {
        count(mails, /^message-id:\s*(\S+)/im.exec(text)?.[1] ?? 'none')
        done()
      })
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const portOf = (address: unknown) => (address as AddressInfo).port
  return {
    webhookUrl: `http://127.0.0.1:${portOf(receiver.address())}/hook`,
    smtpUrl: `smtp://127.0.0.1:${portOf(smtp.server.address())}`,
    events,
    mails,
    close() {
      receiver.closeAllConnections()
      receiver.close()
      smtp.close()
    },
  }
}

/** How many came more than once, and what share of all that is. */
export interface Twice {
  readonly more: number
  readonly share: number
}

export function twice(map: ReadonlyMap<string, number>): Twice {
  const more = [...map.values()].filter((count) => count > 1).length
  return { more, share: map.size === 0 ? 0 : more / map.size }
}
