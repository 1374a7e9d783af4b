import { dialects } from '../kernel/dialect.ts'
import type { TSchema } from '../kernel/type.ts'
import { disputeInterfaceVersion } from '../version.ts'
import { takenBy } from './body/route-body.ts'
import { withComponents } from './openapi-components.ts'
import type { AnyRoute } from './route.ts'

/** Requests and answers below this address are described with it; a running service has its own. */
const exampleUrl = 'http://127.0.0.1:8080'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document. A TypeBox schema already is JSON Schema, so there is nothing to convert. */
export function describeApi(
  routes: readonly AnyRoute[],
  { version, publicUrl = exampleUrl }: { version: string; publicUrl?: string },
) {
  const schemas: Json = { Error: errorSchema, TokenError: tokenErrorSchema }
  const paths: Record<string, Json> = {}
  const scopes = new Set<string>()
  // Pages of the console are for people, and change with them.
  const described = routes.filter(({ url, tag }) => !url.includes('*') && tag !== 'Console')

  for (const route of described) {
    const path = route.url.replace(/:(\w+)/g, '{$1}')
    if (route.scopes !== 'public') for (const scope of route.scopes) scopes.add(scope)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) }
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

function operation(route: AnyRoute, schemas: Json): Json {
  const { operation: operationId, summary, tag, scopes, environment, body, bodyOptional, success } = route
  const errorRef = { $ref: `#/components/schemas/${route.errors === 'oauth' ? 'TokenError' : 'Error'}` }
  return {
    operationId,
    summary,
    tags: [tag],
    ...(environment && { description: `Only in the ${environment} environment.` }),
    security:
      scopes === 'public' ? [] : scopes.length === 0 ? [{ oauth2: [] }] : scopes.map((scope) => ({ oauth2: [scope] })),
    parameters: [
      ...parameters('path', route.params, schemas),
      ...parameters('query', route.query, schemas),
      ...headerParameters(route),
    ],
    ...(body && { requestBody: { required: !bodyOptional, content: requestContent(route, body, schemas) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, schema]) => [status, response(route, schema, schemas)]),
      ),
      default: {
        description: 'A refusal or failure.',
        content: {
          // A page is refused with a page; what its operation checks before is refused as everywhere.
          ...(route.refusal && { 'text/html': { schema: { type: 'string' } } }),
          'application/json': { schema: errorRef },
        },
      },
    },
  }
}

function requestContent(route: AnyRoute, body: TSchema, schemas: Json): Json {
  const schema = share(body, schemas)
  const form = {
    type: 'object',
    properties: { input: schema },
    additionalProperties: { type: 'string', format: 'binary' },
  }
  const content: Json = {}
  for (const type of takenBy(route)) {
    if (type !== 'multipart') content[type] = { schema }
    else for (const kind of ['form-data', 'related', 'mixed']) content[`multipart/${kind}`] = { schema: form }
  }
  return content
}

function response({ produces = ['application/json'] }: AnyRoute, schema: TSchema | null, schemas: Json): Json {
  const headers = {
    [dialects.service.debugIdHeader]: { schema: { type: 'string' }, description: 'Names this answer in our logs.' },
  }
  if (schema === null) return { description: 'Done; no body.', headers }
  const shared = share(schema, schemas)
  const content = Object.fromEntries(
    produces.map((type) => [type, { schema: type === 'application/json' ? shared : { type: 'string' } }]),
  )
  return { description: 'Done.', headers, content }
}

function parameters(place: 'path' | 'query', schema: TSchema | undefined, schemas: Json): Json[] {
  // Path and query schemas are objects of plain properties.
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: share(property, schemas),
  }))
}

/** Headers that have a meaning whatever the operation. */
function headerParameters({ method, reads, scopes }: AnyRoute): Json[] {
  if (scopes === 'public') return []
  const { headerPrefix } = dialects.service
  const assertion = {
    name: `${headerPrefix}-Auth-Assertion`,
    in: 'header',
    description: 'A JWT that names the account to act for.',
    schema: { type: 'string', maxLength: 10_000 },
  }
  const requestId = {
    name: `${headerPrefix}-Request-Id`,
    in: 'header',
    description: 'A request repeated with the same id takes effect once and gets the first answer again.',
    schema: { type: 'string', minLength: 1, maxLength: 108 },
  }
  return method === 'POST' && !reads ? [assertion, requestId] : [assertion]
}

/** Replaces every schema that has a name by a reference to its single definition, and drops our own keywords. */
function share(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => share(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, issue: _ours, ...rest } = schema as { $id?: string; issue?: string }
  const shared = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, share(value, schemas)]))
  if (!$id) return shared
  schemas[$id] = shared
  return { $ref: `#/components/schemas/${$id}` }
}

const text = { type: 'string' }
const errorSchema = {
  type: 'object',
  description: 'Why a request was refused, and what would make it work.',
  required: ['name', 'message', 'debug_id'],
  properties: {
    name: { ...text, description: 'The kind of refusal, for programs.' },
    message: { ...text, description: 'The same for people; its wording may change.' },
    debug_id: { ...text, description: 'Names this answer in our logs.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['issue'],
        properties: { issue: text, description: text, field: text, value: text, location: text },
      },
    },
    links: { type: 'array', items: { type: 'object', properties: { href: text, rel: text, method: text } } },
  },
}
const tokenErrorSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: text, error_description: text },
}
