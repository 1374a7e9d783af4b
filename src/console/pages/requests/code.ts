import type { Operations } from '../../operate.ts'
import { clientCode } from '../../parts/client-code.ts'
import type { Whole } from './logged-request.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The same request as a command, into which a token must be filled. */
export function asCurl(one: Whole, publicUrl: string): string {
  const type = one.request.headers['content-type']
  return [
    `curl -s -X ${one.method} ${quoted(publicUrl + one.path)}`,
    ...(one.request.headers['authorization'] === undefined && !one.client_id
      ? []
      : [`-H "Authorization: Bearer $TOKEN"`]),
    ...(type ? [`-H ${quoted(`Content-Type: ${type}`)}`] : []),
    ...(one.request.body ? [`-d ${quoted(one.request.body)}`] : []),
  ].join(' \\\n  ')
}

/** The same request with the typed client. Undefined for what was no JSON, or is no operation of the client. */
export function asClientCode(one: Whole, operations: Operations, publicUrl: string): string | undefined {
  const route = operations.find(one.operation)
  if (!route || !one.client_id) return undefined
  const { url } = route
  const params = paramsIn(url, one.path)
  const { body } = one.request
  if (!params || (body && !isJson(body))) return undefined
  const query = Object.fromEntries(new URLSearchParams(one.path.split('?')[1] ?? ''))
  return clientCode({ method: one.method, url, params, query, body }, { publicUrl, clientId: one.client_id })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The parameters of a path, by the address of its route. */
export function paramsIn(url: string, path: string): Record<string, string> | undefined {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const form = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '([^/]+)')}/?$`)
  const found = form.exec(path.split('?')[0]!)
  return found ? Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1]!)])) : undefined
}
