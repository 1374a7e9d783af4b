import type { OperationParts } from '../console/operate.ts'
import { type AnyRoute, route } from '../http/route.ts'
import { dialectNames } from '../kernel/dialect.ts'
import { forbidden, type Problem } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import { isOwnOrigin } from '../payer/page/form-token.ts'
import type { Library } from './library.ts'

const wish = {
  dialect: Type.Optional(Type.Enum([...dialectNames], { description: 'Which of the two dialects is shown.' })),
}
const Id = Type.Object({ operation: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z]+$' }) })
const Query = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })), ...wish })
type Typed = Readonly<Record<string, string>>
const TryForm = Type.Unsafe<Typed>({ type: 'object' })

/** The API described: as a document for machines, and as pages with a search and a way to try each operation. */
export function referenceRoutes(parts: OperationParts): AnyRoute[] {
  let refusing: Library['refused'] | undefined
  let opened: { readonly publicUrl: string; readonly library: Promise<Library> } | undefined
  /** Large, and the same for everybody: made for whoever asks first, and not when the service starts. */
  function library(): Promise<Library> {
    const { publicUrl } = parts.service
    if (opened?.publicUrl !== publicUrl)
      opened = {
        publicUrl,
        library: import('./library.ts').then(({ openLibrary }) => {
          const made = openLibrary(parts, publicUrl)
          refusing = made.refused
          return made
        }),
      }
    return opened.library
  }

  const open = { scopes: 'public', limitedBy: 'address' } as const
  const document = { ...open, method: 'GET', tag: 'Service', reads: true } as const
  // Pages are for people, and change with them, so no document describes them.
  const page = {
    ...open,
    tag: 'Console',
    reads: 'free',
    // Looking is not something that happens; what a form sends is a request of its own.
    watches: true,
    produces: ['text/html', '*/*'],
    success: { 200: Type.String() },
    // Before the pages were made there is no page to refuse with.
    refusal: (problem: Problem) => refusing?.(problem),
  } as const
  return [
    route({
      ...document,
      url: '/openapi.json',
      operation: 'showOpenApi',
      summary: 'This API as an OpenAPI 3.1 document',
      success: { 200: Type.Object({}) },
      handle: async () => (await library()).openapi,
    }),
    route({
      ...document,
      url: '/docs',
      operation: 'showReference',
      summary: 'This API as pages to read',
      query: Type.Object(wish),
      watches: true,
      produces: ['text/html'],
      success: { 200: Type.String() },
      handle: async ({ query }) => (await library()).overview(query),
    }),
    route({
      ...page,
      method: 'GET',
      url: '/docs/assets/:digest/:name',
      operation: 'referenceAsset',
      summary: 'Style and script of the reference',
      produces: ['text/css', 'text/javascript', '*/*'],
      params: Type.Object({ digest: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 100 }) }),
      handle: async ({ params }) => (await library()).asset(params.name, params.digest),
    }),
    route({
      ...page,
      method: 'GET',
      url: '/docs/errors',
      operation: 'referenceErrors',
      summary: 'Every refusal, and what mends it',
      query: Type.Object(wish),
      handle: async ({ query }) => (await library()).errors(query),
    }),
    route({
      ...page,
      method: 'GET',
      url: '/docs/search',
      operation: 'referenceSearch',
      summary: 'Find operations, fields and errors',
      query: Query,
      handle: async ({ query: { q = '', ...rest } }) => (await library()).search(q, rest),
    }),
    route({
      ...page,
      method: 'GET',
      url: '/docs/search/part',
      operation: 'referenceSearchPart',
      summary: 'The same, to drop down below the field',
      query: Query,
      handle: async ({ query: { q = '', ...rest } }) => (await library()).searchPart(q, rest),
    }),
    route({
      ...page,
      method: 'GET',
      url: '/docs/:operation',
      operation: 'referenceOperation',
      summary: 'One operation',
      params: Id,
      query: Type.Object({ ...wish, as: Type.Optional(Type.String({ maxLength: 100 })) }),
      handle: async ({ params, query, transact, db }) =>
        (await library()).operation(params.operation, query, transact, db),
    }),
    route({
      ...page,
      method: 'POST',
      url: '/docs/:operation/try',
      operation: 'referenceTry',
      summary: 'Call an operation from its page',
      environment: 'sandbox',
      accepts: ['multipart', 'application/x-www-form-urlencoded'],
      params: Id,
      query: Type.Object({ ...wish, part: Type.Optional(Type.String({ maxLength: 1 })) }),
      body: TryForm,
      prepare: (body) => body,
      async handle({ params, query: { part, ...rest }, body, files, headers, address }) {
        // No page of somebody else's may send a form of ours.
        if (!isOwnOrigin(headers, parts.service)) throw forbidden('This form was sent from another page than ours.')
        return (await library()).tried(params.operation, rest, {
          typed: body,
          files: files.filter(({ fileName, bytes }) => fileName !== '' || bytes.length > 0),
          address,
          host: new URL(parts.service.publicUrl).host,
          part: part === '1',
        })
      },
    }),
  ]
}
