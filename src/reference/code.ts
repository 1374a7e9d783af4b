import { clientCode } from '../console/parts/client-code.ts'
import type { CallExample } from '../http/openapi/describe.ts'
import type { Dialect } from '../kernel/dialect.ts'
import type { Described } from './catalogue.ts'
import { spoken } from './dialect.ts'

export interface Caller {
  readonly publicUrl: string
  readonly dialect: Dialect
  /** What the header says; a name of the shell where nobody's is known. */
  readonly authorization?: string
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The call as a command that can be pasted into a shell. */
export function curlOf({ method, scopes, id }: Described, example: CallExample, caller: Caller): string {
  const { publicUrl, dialect, authorization } = caller
  const { body, files, type } = example
  const isForm = type === 'application/x-www-form-urlencoded'
  const prefix = `${dialect.headerPrefix}-Request-Id`
  const json = () => JSON.stringify(spoken(body, dialect), null, 2)
  const parts = [
    method !== (body === undefined && !files ? 'GET' : 'POST') && `-X ${method}`,
    scopes &&
      (authorization === undefined ? '-H "Authorization: Bearer $TOKEN"' : `-H 'Authorization: ${authorization}'`),
    id === 'createAccessToken' || id === 'terminateAccessToken' ? '-u sandbox-merchant:sandbox-merchant-secret' : false,
    scopes && method === 'POST' && /payment|refund/i.test(id) && `-H '${prefix}: ${id}-1'`,
    ...(isForm
      ? Object.entries(body as Record<string, string>).map(([name, value]) => `-d ${quoted(`${name}=${value}`)}`)
      : files
        ? [
            `-F ${quoted(`input=${JSON.stringify(spoken(body, dialect))};type=application/json`)}`,
            ...files.map(({ part, name }) => `-F ${part}=@${name}`),
          ]
        : body !== undefined
          ? ["-H 'Content-Type: application/json'", `-d ${quoted(json())}`]
          : []),
    quoted(`${publicUrl}${example.path}`),
  ].filter((part) => typeof part === 'string')
  return `curl -s ${parts.join(' \\\n  ')}`
}

/** The call as a program; undefined for what the client does not call. */
export function programOf({ method, route }: Described, example: CallExample, { publicUrl, dialect }: Caller) {
  const { parameters, body, type, as: clientId = 'sandbox-merchant' } = example
  const names = new Set([...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name!))
  const entries = Object.entries(parameters)
  const isForm = type === 'application/x-www-form-urlencoded'
  return clientCode(
    {
      method,
      url: route.url,
      params: Object.fromEntries(entries.filter(([name]) => names.has(name))),
      query: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
      ...(body !== undefined && { body: JSON.stringify(isForm ? body : spoken(body, dialect)) }),
    },
    { publicUrl, clientId },
  )
}
