import { dialects } from '../../kernel/dialect.ts'
import type { RoomReference } from '../../kernel/reference.ts'
import type { TSchema } from '../../kernel/type.ts'
import { disputeInterfaceVersion } from '../../version.ts'
import { takenBy } from '../body/route-body.ts'
import type { AnyRoute } from '../route.ts'
import { withComponents } from './components.ts'
import {
  debugIdHeader,
  errorSchema,
  headerParameters,
  headersOf,
  refusalOf,
  refusals,
  tokenErrorSchema,
} from './shared.ts'

type Json = Record<string, unknown>

/** A call of an operation as it once was made and answered. */
export interface CallExample {
  /** The address with its parameters, as it was sent. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  /** Whose token it carried. Absent if it carried none. */
  readonly as?: string
  readonly type?: string
  readonly body?: unknown
  readonly files?: readonly { readonly part: string; readonly name: string }[]
  readonly status: number
  readonly answerType?: string
  readonly answer?: unknown
}

export interface ApiParts {
  readonly version: string
  readonly publicUrl: string
  /** What the rooms tell about their operations and fields. */
  readonly references: readonly RoomReference[]
  /** By the name of the operation. */
  readonly examples: Readonly<Record<string, CallExample>>
}

/** The named schemas, and what fields mean in the room whose operation is being described. */
interface Book {
  readonly schemas: Json
  /** What a field means, given the path of names that leads to it. */
  meaning(way: readonly string[]): string | undefined
}

/** The OpenAPI 3.1 document. A TypeBox schema already is JSON Schema, so there is nothing to convert. */
export function describeApi(routes: readonly AnyRoute[], { version, publicUrl, references, examples }: ApiParts) {
  const schemas: Json = { Error: errorSchema, TokenError: tokenErrorSchema }
  const paths: Record<string, Json> = {}
  const scopes = new Set<string>()
  // Pages of the console are for people, and may change at any time.
  const described = routes.filter(({ url, tag }) => !url.includes('*') && tag !== 'Console')

  for (const route of described) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    if (route.scopes !== 'public') for (const scope of route.scopes) scopes.add(scope)
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(route, schemas, references, examples[route.operation]),
    }
  }
  const shared = withComponents(paths, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quittance',
      version,
      description: `Invoices, disputes and webhooks around a payment. Speaks version ${disputeInterfaceVersion} of the dispute interface.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(described.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: shared.paths,
    components: {
      schemas: Object.fromEntries(Object.entries(shared.schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: headerParameters,
      headers: { DebugId: debugIdHeader },
      responses: refusals,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'Scope names are shown without their base, which a token response spells out.',
          flows: {
            clientCredentials: {
              tokenUrl: '/v1/oauth2/token',
              scopes: Object.fromEntries([...scopes].sort().map((scope) => [scope, `…/services/${scope}`])),
            },
          },
        },
      },
    },
  }
}

function operation(
  route: AnyRoute,
  schemas: Json,
  references: readonly RoomReference[],
  example: CallExample | undefined,
): Json {
  const { operation: operationId, summary, tag, scopes, environment, body, bodyOptional, success } = route
  const told = references.find(({ operations }) => Object.hasOwn(operations, operationId))
  const book: Book = { schemas, meaning: (way) => longest(told?.fields ?? {}, way) }
  const only = environment && `Only in the ${environment} environment.`
  return {
    operationId,
    summary,
    tags: [tag],
    description: [told?.operations[operationId], only].filter(Boolean).join(' '),
    security:
      scopes === 'public' ? [] : scopes.length === 0 ? [{ oauth2: [] }] : scopes.map((scope) => ({ oauth2: [scope] })),
    parameters: [
      ...parameters('path', route.params, route.operation, book, example),
      ...parameters('query', route.query, route.operation, book, example),
      ...headersOf(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body && { requestBody: { required: !bodyOptional, content: requestContent(route, body, book, example) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, schema]) => [
          status,
          response(route, schema, book, Number(status) === example?.status ? example : undefined),
        ]),
      ),
      default: { $ref: `#/components/responses/${refusalOf(route)}` },
    },
  }
}

/** The entry with the longest name in which this path of names ends. */
function longest(entries: Readonly<Record<string, string>>, way: readonly string[]): string | undefined {
  for (let i = 0; i < way.length; i++) {
    const found = entries[way.slice(i).join('.')]
    if (found !== undefined) return found
  }
  return undefined
}

function requestContent(route: AnyRoute, body: TSchema, book: Book, example: CallExample | undefined): Json {
  const schema = share(body, book, [route.operation])
  const shown = example?.body === undefined ? {} : { example: example.body }
  const form = {
    type: 'object',
    properties: { input: { ...(schema as Json), description: 'The same as JSON; each file is a part of its own.' } },
    additionalProperties: { type: 'string', format: 'binary' },
  }
  const content: Json = {}
  for (const type of takenBy(route)) {
    if (type !== 'multipart') content[type] = { schema, ...shown }
    else for (const kind of ['form-data', 'related', 'mixed']) content[`multipart/${kind}`] = { schema: form }
  }
  return content
}

function response(
  { produces = ['application/json'], operation }: AnyRoute,
  schema: TSchema | null,
  book: Book,
  example: CallExample | undefined,
): Json {
  const headers = { [dialects.service.debugIdHeader]: { $ref: '#/components/headers/DebugId' } }
  if (schema === null) return { description: 'Done; no body.', headers }
  const shared = share(schema, book, [operation])
  const content = Object.fromEntries(
    produces.map((type) => [
      type,
      {
        schema: type === 'application/json' ? shared : { type: 'string' },
        ...(example?.answer !== undefined && example.answerType === type && { example: example.answer }),
      },
    ]),
  )
  return { description: 'Done.', headers, content }
}

function parameters(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  operation: string,
  book: Book,
  example: CallExample | undefined,
): Json[] {
  // Schemas of paths and queries are objects with plain properties.
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...form } = property as TSchema & { description?: string }
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description: description ?? book.meaning([operation, name]),
      schema: share(form, book, [operation, name]),
      ...(example?.parameters[name] !== undefined && { example: example.parameters[name] }),
    }
  })
}

/**
 * Replaces every named schema by a reference to its single definition, drops our own keywords, and adds the meaning of each
 * field if the schema itself does not give it. Something that is checked only after its schema, because the contract refuses
 * it in words of its own, is printed as `x-printed` says.
 */
function share(schema: unknown, book: Book, way: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((item) => share(item, book, way))
  if (typeof schema !== 'object' || schema === null) return schema
  if ('x-printed' in schema) return share(schema['x-printed'], book, way)
  const { $id, issue: _ours, properties, ...rest } = schema as { $id?: string; issue?: string; properties?: Json }
  const here = $id === undefined ? way : [$id]
  const shared: Json = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, share(value, book, here)]))
  if (properties)
    shared['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, field(property as Json, book, [...here, name])]),
    )
  if ($id === undefined) return shared
  book.schemas[$id] = shared
  return { $ref: `#/components/schemas/${$id}` }
}

function field(property: Json, book: Book, way: readonly string[]): unknown {
  const shared = share(property, book, way) as Json
  const meaning = shared['description'] === undefined ? book.meaning(way) : undefined
  return meaning === undefined ? shared : { ...shared, description: meaning }
}
