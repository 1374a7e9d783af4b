import { operations } from '../../client/api.ts'

/** The names of the client's calls, by method and address, with the parts of the path still open. */
const names: readonly { readonly call: string; readonly name: string }[] = Object.entries(operations).flatMap(
  ([room, calls]) =>
    Object.entries(calls).map(([name, { call }]) => ({ call: call as string, name: `${room}.${name}` })),
)

export interface CodedCall {
  readonly method: string
  /** The address of the route, as `/v2/invoicing/invoices/:invoice_id`. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** JSON, as it was sent. */
  readonly body?: string | undefined
}

export interface CodedClient {
  readonly publicUrl: string
  readonly clientId: string
}

const printed = (value: unknown) => JSON.stringify(value, null, 2)

/** The call as a program with the typed client; undefined when the client has no such call. */
export function clientCode(
  { method, url, params, query, body }: CodedCall,
  { publicUrl, clientId }: CodedClient,
): string | undefined {
  const call = `${method} ${url.replace(/:(\w+)/g, '{$1}')}`
  const shape = (text: string) => text.replace(/\{\w+\}/g, '{}')
  const known = names.find((one) => shape(one.call) === shape(call))
  if (!known) return undefined
  const path = [...url.matchAll(/:(\w+)/g)].map(([, name]) => JSON.stringify(params[name!] ?? ''))
  const hasQuery = Object.keys(query).length > 0
  const given = body !== undefined && body !== '' ? [printed(JSON.parse(body))] : hasQuery ? [printed(query)] : []
  return `import { createClient } from 'quittance/client'

const client = createClient({
  url: '${publicUrl}',
  clientId: '${clientId}',
  clientSecret: process.env.CLIENT_SECRET,
})

const answer = await client.${known.name}(${[...path, ...given].join(', ')})
console.dir(answer)`
}
