import { Webhook } from 'standardwebhooks'
import { type Behaviour, Receiver } from './receiver.ts'

export const HANDLER_SECRET = `whsec_${Buffer.from('the secret of a handler of tests').toString('base64')}`

/** A handler as it should be: it checks the signature and its age, and ignores what it does not know. */
export async function goodHandler(): Promise<Receiver> {
  const receiver = await Receiver.open()
  const webhook = new Webhook(HANDLER_SECRET)
  receiver.behaviour = (({ body, headers }, response) => {
    try {
      webhook.verify(body, headers as Record<string, string>)
      response.writeHead(204).end()
    } catch {
      response.writeHead(400).end()
    }
  }) satisfies Behaviour
  return receiver
}

/** A handler as too many are: it believes everybody, knows each event once, and falls over what it does not know. */
export async function badHandler(): Promise<Receiver> {
  const receiver = await Receiver.open()
  const seen = new Set<string>()
  receiver.behaviour = (({ event, body }, response) => {
    const isAgain = seen.has(event.id)
    seen.add(event.id)
    const falls = isAgain || body.length > 100_000 || !event.event_type.startsWith('CUSTOMER.')
    response.writeHead(falls ? 500 : 200).end()
  }) satisfies Behaviour
  return receiver
}
