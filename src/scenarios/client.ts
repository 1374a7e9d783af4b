import { noAnswerReason, plainCall } from '../outbound/plain-call.ts'

/** Somebody who calls the API: an app of the sandbox, perhaps for another account. */
export interface Person {
  readonly client_id: string
  /** When not given, the client id with `-secret` behind it, as seeded apps have it. */
  readonly client_secret?: string
  /** The id or e-mail address of an account that it acts for. */
  readonly for?: string
}

/** A file that goes along with a call. */
export interface SentFile {
  readonly name: string
  readonly type: string
  readonly content: string | Uint8Array
  /** The part of the form that it is; `file1` and so on when not given. */
  readonly part?: string
}

export interface ClientCall {
  readonly method: string
  readonly path: string
  /** Without a person, the call carries no token. */
  readonly as?: Person | undefined
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly files?: readonly SentFile[]
  readonly headers?: Readonly<Record<string, string>>
}

export interface ClientAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What the body says: parsed when it is JSON, and as text otherwise. */
  readonly body: unknown
}

/** Nothing answers at the address. */
export class NoAnswer extends Error {}

/** The sandbox refused what is needed to go on; the message says what and why. */
export class Refused extends Error {}

/** Calls a sandbox as its users do. Tokens are asked for when they are needed, and again when one has ended. */
export interface SandboxClient {
  readonly url: string
  call(call: ClientCall): Promise<ClientAnswer>
}

export function openClient(url: string, signal?: AbortSignal): SandboxClient {
  const tokens = new Map<string, Promise<string>>()

  async function send(
    path: string,
    method: string,
    parts: { headers?: Record<string, string>; body?: string | FormData },
  ) {
    const answer = await plainCall({ method, url: `${url}${path}`, ...parts, ...(signal && { signal }) }).catch(
      (error: unknown) => {
        throw new NoAnswer(`Nothing answers at ${url} (${noAnswerReason(error)}).`)
      },
    )
    const isJson = answer.headers['content-type']?.startsWith('application/json') && answer.text !== ''
    return { ...answer, body: isJson ? (JSON.parse(answer.text) as unknown) : answer.text }
  }

  async function newToken({ client_id, client_secret = `${client_id}-secret` }: Person): Promise<string> {
    const answer = await send('/v1/oauth2/token', 'POST', {
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    const { access_token } = answer.body as { access_token?: string }
    if (access_token === undefined)
      throw new Refused(`There is no app ${client_id} with this secret: ${answer.status} for its token.`)
    return access_token
  }

  function tokenOf(person: Person): Promise<string> {
    const key = `${person.client_id}:${person.client_secret ?? ''}`
    const token = tokens.get(key) ?? newToken(person)
    tokens.set(key, token)
    token.catch(() => tokens.delete(key))
    return token
  }

  async function call({ method, path, as, query = {}, body, files, headers = {} }: ClientCall): Promise<ClientAnswer> {
    const search = new URLSearchParams(query).toString()
    const target = search === '' ? path : `${path}?${search}`
    const attempt = async () =>
      send(target, method, {
        headers: {
          ...(as && { authorization: `Bearer ${await tokenOf(as)}` }),
          ...(as?.for !== undefined && { 'service-auth-assertion': assertion(as.client_id, as.for) }),
          ...(body !== undefined && !files && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(files ? { body: formOf(body, files) } : body !== undefined && { body: JSON.stringify(body) }),
      })
    const answer = await attempt()
    if (answer.status !== 401 || !as) return answer
    // Somebody let the tokens expire, which a sandbox can be told to do.
    tokens.clear()
    return attempt()
  }

  return { url, call }
}

function formOf(body: unknown, files: readonly SentFile[]): FormData {
  const form = new FormData()
  if (body !== undefined) form.append('input', new Blob([JSON.stringify(body)], { type: 'application/json' }))
  files.forEach(({ name, type, content, part }, i) => {
    // The constructor takes a view of bytes, but its type wants the buffer behind it to be unshared.
    form.append(part ?? `file${i + 1}`, new Blob([content as string], { type }), name)
  })
  return form
}

/** An unsigned assertion, as a sandbox takes it, that names an account by its id or address. */
function assertion(clientId: string, account: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claim = account.includes('@') ? { email: account } : { payer_id: account }
  return `${part({ alg: 'none' })}.${part({ iss: clientId, ...claim })}.`
}

interface ProblemBody {
  readonly name?: string
  readonly message?: string
  readonly debug_id?: string
  readonly error_description?: string
  readonly details?: readonly {
    readonly issue?: string
    readonly description?: string
    readonly field?: string
    readonly code?: string
  }[]
}

/** What a refusal says, in words for people. */
export function problemText({ status, body }: Pick<ClientAnswer, 'status' | 'body'>): string {
  const { details = [], message, error_description, name } = (typeof body === 'object' ? body : {}) as ProblemBody
  const said = details
    // The webhook operations have the sentence in `issue`, where the others have the code.
    .map(({ description, issue, field, code }) =>
      [field, (code === undefined ? description : issue) ?? issue].filter(Boolean).join(': '),
    )
    .join(' ')
  return `${status}${name === undefined ? '' : ` ${name}`}: ${said || error_description || message || 'no reason was given'}`
}
