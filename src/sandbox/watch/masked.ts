/** What stands in place of a secret. */
const MASK = '***'

/** Fields whose value gives access to something, in JSON and in forms. */
const secretFields = [
  'access_token',
  'refresh_token',
  'client_secret',
  'client_assertion',
  'signing_secret',
  'secret',
  'token',
  'assertion',
  'password',
  'code_verifier',
]
const inJson = new RegExp(`("(?:${secretFields.join('|')})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'g')
const inForm = new RegExp(`(^|&)((?:${secretFields.join('|')})=)[^&]*`, 'g')

/** A body without the values of fields that give access. */
export const maskedText = (text: string): string => text.replace(inJson, `$1"${MASK}"`).replace(inForm, `$1$2${MASK}`)

type Headers = Readonly<Record<string, unknown>>

const credentials: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization'])
const hidden: ReadonlySet<string> = new Set(['cookie', 'set-cookie', 'x-api-key'])

/** Headers without what gives access. Of a token its scheme is left, of an assertion everything but its signature. */
export function maskedHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const text = String(value)
    if (credentials.has(name)) kept[name] = `${text.split(' ', 1)[0]!.slice(0, 16)} ${MASK}`
    else if (hidden.has(name)) kept[name] = MASK
    else if (name.endsWith('-auth-assertion')) kept[name] = text.replace(/\.[^.]*$/, `.${MASK}`)
    else kept[name] = text
  }
  return kept
}

/** An address without the values of parameters that give access. */
export function maskedPath(path: string): string {
  const at = path.indexOf('?')
  return at < 0 ? path : `${path.slice(0, at)}?${path.slice(at + 1).replace(inForm, `$1$2${MASK}`)}`
}
