import { type Api, operations } from './api.ts'
import { type BodyKind, makeBody, type Upload } from './body.ts'
import { type ClientOptions, openTransport, type Transport } from './transport.ts'

/** What can be said beside what an operation takes. */
export interface CallOptions {
  /** Chosen by the client when absent; a request that is sent again with the same one takes effect once. */
  readonly requestId?: string
  /** The id or the e-mail address of an account to act for. */
  readonly actingFor?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A list: waiting for it gives the first page, going through it gives every entry of every page. */
export interface Listing<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  /** Every page, one after the other. */
  pages(): AsyncIterable<Page>
  /** Every entry, or as many as asked for. */
  all(max?: number): Promise<Item[]>
}

interface Contract {
  readonly params: readonly string[]
  readonly query?: object
  readonly body?: unknown
  readonly answer: unknown
}

type Table = typeof operations
type WithQuery<C> = C extends { query: infer Query } ? { readonly query?: Query } : unknown
type WithFiles<Call> = Call extends { body: `${string}files` } ? { readonly files?: readonly Upload[] } : unknown
type Optional<T> = Record<never, never> extends T ? [T?] : [T]

/** Path parameters, then the body or the query, then the rest. */
type Arguments<C extends Contract, Call> = 'body' extends keyof C
  ? [...C['params'], ...BodyArgument<C>, options?: CallOptions & WithQuery<C> & WithFiles<Call>]
  : C extends { query: infer Query }
    ? [...C['params'], ...[...Optional<Query>, options?: CallOptions]]
    : [...C['params'], options?: CallOptions]
type BodyArgument<C extends Contract> = C extends { body: infer Body } ? [body: Body] : [body?: NonNullable<C['body']>]

type Answer<C extends Contract, Call> = Call extends { list: infer Field extends string }
  ? Listing<C['answer'], ItemOf<C['answer'], Field>>
  : Promise<C['answer']>
type ItemOf<Page, Field extends string> = Page extends { [F in Field]?: readonly (infer Item)[] } ? Item : never

/** Every operation of the API: `client.invoices.create({ … })`. */
export type Client = {
  readonly [Room in keyof Table & keyof Api]: {
    readonly [Name in keyof Table[Room] & keyof Api[Room]]: Api[Room][Name] extends Contract
      ? (...args: Arguments<Api[Room][Name], Table[Room][Name]>) => Answer<Api[Room][Name], Table[Room][Name]>
      : never
  }
}

/** A row of the table, without what its type says beyond that. */
interface Row {
  readonly call: string
  readonly body?: BodyKind
  readonly once?: boolean
  readonly open?: boolean
  readonly answer?: 'bytes' | 'text' | 'nothing'
  readonly list?: string
  /** Its pages are asked for by number. */
  readonly numbered?: boolean
  /** The query is given where other operations take a body. */
  readonly query?: boolean
}

interface Rest extends CallOptions {
  readonly query?: object
  readonly files?: readonly Upload[]
}

/** A client for every operation of the service, with the credentials of one app. */
export function createClient(options: ClientOptions): Client {
  const transport = openTransport(options)
  const rooms = Object.entries(operations as Readonly<Record<string, Readonly<Record<string, Row>>>>)
  // The types of the operations are printed from the same document as the table.
  return Object.fromEntries(
    rooms.map(([room, rows]) => [
      room,
      Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, operationOf(transport, row)])),
    ]),
  ) as unknown as Client
}

function operationOf(transport: Transport, row: Row) {
  const [method = '', path = ''] = row.call.split(' ')
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const takesBody = row.body !== undefined

  return (...args: unknown[]) => {
    const values = args.slice(0, names.length)
    const [first, second] = args.slice(names.length)
    const rest = ((takesBody || row.query ? second : first) ?? {}) as Rest
    const query = takesBody ? rest.query : row.query ? (first as object | undefined) : undefined
    const filled = names.reduce((text, name, i) => {
      if (values[i] === undefined || values[i] === '') throw new TypeError(`${row.call} needs ${name}.`)
      return text.replace(`{${name}}`, encodeURIComponent(String(values[i])))
    }, path)
    const target = `${transport.base}${filled}${printQuery(query)}`
    const send = (url: string) => sendTo(url, takesBody ? first : undefined, rest)
    return row.list === undefined ? send(target) : listing(send, target, row)
  }

  async function sendTo(url: string, body: unknown, { requestId, actingFor, headers, signal, files = [] }: Rest) {
    const id = row.once ? (requestId ?? transport.newRequestId()) : requestId
    const made = row.body && (await makeBody(row.body, body, files))
    const { answer } = await transport.send({
      method,
      url,
      headers: {
        ...transport.headers(id, actingFor),
        ...(made?.type !== undefined && { 'content-type': made.type }),
        ...headers,
      },
      ...(made && { body: made.body, given: body }),
      open: row.open === true,
      requestId: id,
      answer: row.answer ?? 'json',
      signal,
    })
    return row.answer === 'nothing' ? undefined : answer
  }
}

function printQuery(query: object | undefined): string {
  const fields = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  if (fields.length === 0) return ''
  return `?${new URLSearchParams(fields.map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(',') : String(value)]))}`
}

interface PageFields {
  readonly links?: readonly { readonly rel?: string; readonly href?: string }[]
  readonly has_more?: boolean
}

/** Follows the links from page to page. */
function listing(
  send: (url: string) => Promise<unknown>,
  url: string,
  { list: field = '', numbered = false }: Row,
): Listing<unknown, unknown> {
  let first: Promise<unknown> | undefined
  const firstPage = () => (first ??= send(url))
  async function* pages() {
    for (let at: string | undefined = url; at !== undefined; ) {
      const page: unknown = await (at === url ? firstPage() : send(at))
      yield page
      at = nextOf(page as PageFields, at, numbered)
    }
  }
  async function* items() {
    for await (const page of pages()) yield* (page as Record<string, unknown[] | undefined>)[field] ?? []
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: waiting for a list gives its first page
    then: (...handlers) => firstPage().then(...handlers),
    catch: (handler) => firstPage().catch(handler),
    finally: (handler) => firstPage().finally(handler),
    [Symbol.toStringTag]: 'Listing',
    [Symbol.asyncIterator]: items,
    pages,
    async all(max = Number.POSITIVE_INFINITY) {
      const found: unknown[] = []
      if (max <= 0) return found
      for await (const item of items()) if (found.push(item) >= max) break
      return found
    },
  }
}

function nextOf({ links = [], has_more }: PageFields, url: string, numbered: boolean): string | undefined {
  const next = links.find(({ rel }) => rel === 'next')?.href
  // A link is built from the address the service knows itself by, which need not be the one we reach it at, nor below it.
  if (next !== undefined) return new URL(new URL(next).search, url).href
  if (has_more !== true || !numbered) return undefined
  const following = new URL(url)
  following.searchParams.set('page', String(Number(following.searchParams.get('page') ?? 1) + 1))
  return following.href
}
