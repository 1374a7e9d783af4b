import { type Content, html } from '../../../http/html.ts'
import { examplesAt } from '../../../reference/describe.ts'
import type { Service } from '../../../room.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { program } from '../../parts/code.ts'
import { folded, sheet } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { eyes } from '../../who.ts'

/** The operation of the API that carries an action out. */
export const operationOf = (action: string) =>
  `dispute${action.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`

let bodies: ReadonlyMap<string, unknown> | undefined

/** A body that the reference shows for an action. The bodies are read once, when somebody first looks. */
function exampleOf(action: string): unknown {
  bodies ??= new Map(Object.entries(examplesAt('')).map(([operation, { body }]) => [operation, body]))
  return bodies.get(operationOf(action)) ?? {}
}

/** What can be done now, as calls of the API with a body that the reference shows, for whoever tries them in a sandbox. */
export function asRequests(
  { dispute_id }: Dispute,
  actions: readonly string[],
  { publicUrl }: Service,
  { who }: Visit,
): Content {
  if (who.face !== 'sandbox' || actions.length === 0) return undefined
  const client = eyes[who.mark].client ?? eyes.merchant.client
  const commands = actions.map((action) => {
    const body = JSON.stringify(exampleOf(action)).replaceAll("'", "'\\''")
    const text = [
      `curl -s -X POST ${publicUrl}/v1/customer/disputes/${dispute_id}/${action}`,
      `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
      `-d '${body}'`,
    ].join(' \\\n  ')
    return folded(action, program(text, `${action}, as a command`))
  })
  return sheet(
    'As a request',
    html`${commands}<p class="hint">A token for it: <code class="mono">curl -s -u ${client}:${client}-secret -d grant_type=client_credentials ${publicUrl}/v1/oauth2/token</code></p>`,
  )
}
