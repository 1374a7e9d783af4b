import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, verifyTransmission, verifyWebhook, type WebhookEvent } from '../client/index.ts'

/** One event that arrived, with how it came. */
export interface Arrival extends WebhookEvent {
  readonly headers: IncomingHttpHeaders
  /** The body as it was sent. */
  readonly raw: string
}

/** A webhook of one's own: a real HTTP receiver that verifies both signatures of every delivery. */
export interface Inbox extends AsyncDisposable {
  readonly url: string
  readonly webhookId: string
  /** What arrived, in order of arrival. A delivery that was sent again is listed again. */
  readonly events: readonly Arrival[]
  /** The next event that nobody took yet, of this type or of any (`*` stands for the rest of a type). Waits for it if need be. */
  next(type?: string, options?: { readonly within?: number }): Promise<Arrival>
  /** Sets the status that it answers with from now on; 200 at first. */
  answerWith(status: number): void
  close(): Promise<void>
}

const WITHIN_MS = 5_000

export interface InboxParts {
  /** Where the service answers. */
  readonly url: string
  /** What it calls itself, in links and in the addresses of its certificates. */
  readonly publicUrl: string
  readonly owner: Client
  /** What the error of a failed wait says besides that it failed. */
  explain(): Promise<string>
}

/** Whether a pattern matches a type: `CUSTOMER.DISPUTE.*`, `*`, or the type itself. */
const isMeant = (type: string, pattern: string) =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern

/** Where an event can be read, at the service that it came from. */
const ownAddressOf = (event: WebhookEvent) => (event as unknown as { links: { href: string }[] }).links[0]!.href

/** Opens a receiver and subscribes it to the events of these types. */
export async function openInbox(patterns: readonly string[], parts: InboxParts): Promise<Inbox> {
  const { url, publicUrl, owner, explain } = parts
  const { event_types: known = [] } = await owner.webhooks.listEventTypes()
  const wanted = known.filter(({ name }) => patterns.some((pattern) => isMeant(name, pattern)))
  if (wanted.length === 0) throw new Error(`No event is called ${patterns.join(' or ')}; docs/webhooks.md lists them.`)
  const events: Arrival[] = []
  const taken = new Set<Arrival>()
  const waiting = new Set<() => void>()
  let status = 200
  let failure: Error | undefined

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const delivery = { headers: request.headers, body: Buffer.concat(chunks) }
      accept(delivery.headers, delivery.body)
        .then(
          () => response.writeHead(status).end(),
          (error: Error) => {
            failure = error
            response.writeHead(400).end(error.message)
          },
        )
        .finally(() => {
          for (const look of waiting) look()
        })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const subscription = { url: receiver, event_types: wanted.map(({ name }) => ({ name })) }
  const webhook = await owner.webhooks.create(subscription).catch(async (error: unknown) => {
    // A server that listens would keep the process of the tests from ending.
    await closeServer()
    throw error
  })
  const { id: webhookId, signing_secret: secret } = webhook as { id: string; signing_secret: string }

  /** Read from our own address, because the service may call itself by a name that nobody here can look up. */
  const certificate = async (address: string) => (await fetch(url + address.slice(publicUrl.length))).text()

  async function accept(headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
    const event = verifyWebhook({ headers, body }, { secret })
    // The second signature is missing only when WEBHOOK_SIGNATURES leaves it out.
    const certificateUrl = headers['service-cert-url'] ?? headers['paypal-cert-url']
    // A fork has the webhooks of the world that it was copied from. What happens in it is not seen here.
    if (!String(certificateUrl ?? ownAddressOf(event)).startsWith(`${publicUrl}/`)) return
    if (certificateUrl !== undefined)
      await verifyTransmission(
        { headers, body },
        { webhookId, url: publicUrl, ...(url !== publicUrl && { certificate }) },
      )
    events.push({ ...event, headers, raw: body.toString() })
  }

  const take = (type: string) => {
    const found = events.find((event) => !taken.has(event) && isMeant(event.event_type, type))
    if (found) taken.add(found)
    return found
  }

  async function closeServer(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  const close = async () => {
    await owner.webhooks.delete(webhookId).catch(() => {})
    await closeServer()
  }

  return {
    url: receiver,
    webhookId,
    events,
    next: (type = '*', { within = WITHIN_MS } = {}) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = take(type)
          if (!found && !failure) return
          clearTimeout(timer)
          waiting.delete(look)
          if (found) resolve(found)
          else reject(failure)
        }
        const timer = setTimeout(() => {
          waiting.delete(look)
          const had = events.map(({ event_type }) => event_type).join(', ') || 'nothing'
          explain().then(
            (more) => reject(new Error(`No ${type} within ${within} ms; what arrived: ${had}.\n\n${more}`)),
            reject,
          )
        }, within)
        waiting.add(look)
        look()
      }),
    answerWith(given) {
      status = given
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
