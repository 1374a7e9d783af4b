import { dialects } from './kernel/dialect.ts'

type Json = { readonly [key: string]: Json } & { readonly $ref?: string }

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  readonly responses: Record<string, { content?: Record<string, { schema: Json }> }>
}

interface Api {
  readonly paths: Readonly<Record<string, Record<string, Operation>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

/** By tag: what its operations are called after in the client, and the words that their names need not repeat. */
const rooms: Readonly<Record<string, readonly [room: string, repeated: RegExp]>> = {
  'Access tokens': ['tokens', /AccessToken/],
  Reporting: ['reporting', /^$/],
  Payments: ['payments', /^$/],
  Invoices: ['invoices', /Invoices?/],
  'Invoice templates': ['templates', /Templates?/],
  Disputes: ['disputes', /^dispute(?=[A-Z])|Disputes?/],
  'Referred disputes': ['referredDisputes', /ReferredDisputes?|Referred|Dispute/],
  Webhooks: ['webhooks', /Webhooks?/],
  'Payer pages': ['pages', /^$/],
  'Payment gateway': ['gateway', /^gateway(?=[A-Z])/],
  Sandbox: ['sandbox', /Sandbox/],
  Operator: ['operator', /^$/],
  Service: ['service', /^$/],
}

/**
 * The API as TypeScript: the types of what every operation takes and answers, and a table of how it is called. Printed
 * by us, because the generators there are need a compiler with an interface that ours no longer has.
 */
export function clientApi(api: Api): string {
  const named = new Map<string, Map<string, { method: string; path: string; operation: Operation }>>()
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, written] of Object.entries(methods)) {
      const operation = { ...written, parameters: written.parameters.map((one) => resolved(one, api)) }
      const tag = operation.tags[0]!
      const [room, repeated] = rooms[tag] ?? [
        lowerFirst(tag.replace(/[ -](\w)/g, (_, c: string) => c.toUpperCase())),
        /^$/,
      ]
      const name = lowerFirst(operation.operationId.replace(repeated, ''))
      const members = named.get(room) ?? new Map()
      if (members.has(name)) throw new Error(`Two operations of the client are called ${room}.${name}: rename one.`)
      named.set(room, members.set(name, { method, path, operation }))
    }

  const lines = (
    of: (room: string, name: string, parts: { method: string; path: string; operation: Operation }) => string,
  ) =>
    [...named].map(
      ([room, members]) =>
        `  ${room}: {\n${[...members].map(([name, parts]) => of(room, name, parts)).join('\n')}\n  }`,
    )
  return `// Printed from openapi.json by \`npm run docs\`.

/** What has a name in the API. */
export interface Schemas {
${Object.entries(api.components.schemas)
  .map(([name, schema]) => `  ${key(name)}: ${typeOf(schema)}`)
  .join('\n')}
}

/** What every operation takes and answers. */
export interface Api {
${lines((_, name, { operation }) => `    ${comment(`${operation.summary}. ${operation.description}`).trimEnd()}\n    ${name}: ${contract(operation)}`).join('\n')}
}

/** How every operation is called. */
export const operations = {
${lines((_, name, { method, path, operation }) => `    ${name}: ${call(method, path, operation, api)},`)
  .map((room) => `${room},`)
  .join('\n')}
} as const
`
}

/** What is said once for many operations stands among the components. */
const resolved = (parameter: Parameter & { $ref?: string }, { components }: Api): Parameter =>
  parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1)!]!

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

function contract({ parameters, requestBody, responses }: Operation): string {
  const params = parameters.filter((parameter) => parameter.in === 'path')
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const parts = [
    `params: [${params.map(({ name }) => `${name}: string`).join(', ')}]`,
    ...(query.length > 0
      ? [
          `query: { ${query.map(({ name, required, schema, description }) => `${comment(description)}${key(name)}${required ? '' : '?'}: ${queryType(schema)}`).join('; ')} }`,
        ]
      : []),
    ...(requestBody ? [`${requestBody.required ? 'body' : 'body?'}: ${typeOf(bodySchema(requestBody.content))}`] : []),
    `answer: ${answerType(responses)}`,
  ]
  return `{ ${parts.join('; ')} }`
}

/** Everything is text in an address, so what is text there may be given as a number. */
function queryType(schema: Json): string {
  const type = typeOf(schema)
  return type === 'string' ? '(string | number)' : type
}

/** Multipart forms hold the same body as a part, so it is the JSON or form schema that counts. */
const bodySchema = (content: Record<string, { schema: Json }>): Json =>
  (content['application/json'] ?? content['application/x-www-form-urlencoded'] ?? Object.values(content)[0]!).schema

const successes = (responses: Operation['responses']) =>
  Object.entries(responses)
    .filter(([status]) => /^[23]/.test(status))
    .map(([, response]) => response.content ?? {})

function answerType(responses: Operation['responses']): string {
  const kind = answerKind(responses)
  if (kind !== 'json') return { bytes: 'Uint8Array', text: 'string', nothing: 'undefined' }[kind]
  const types = successes(responses).map((content) =>
    content['application/json'] ? typeOf(content['application/json'].schema) : 'undefined',
  )
  return [...new Set(types)].join(' | ')
}

function answerKind(responses: Operation['responses']): 'json' | 'bytes' | 'text' | 'nothing' {
  const types = successes(responses).flatMap((content) => Object.keys(content))
  if (types.length === 0) return 'nothing'
  if (types.every((type) => type === 'application/json')) return 'json'
  return types.every((type) => /^text\/|pem/.test(type)) ? 'text' : 'bytes'
}

/** As short as a table can be read: method and path, and what differs from the plain case. */
function call(method: string, path: string, operation: Operation, api: Api): string {
  const { parameters, requestBody, responses } = operation
  const content = Object.keys(requestBody?.content ?? {})
  const answer = answerKind(responses)
  const parts = [
    ...(requestBody ? [`body: '${bodyKind(content)}'`] : []),
    ...(!requestBody && parameters.some((parameter) => parameter.in === 'query') ? ['query: true'] : []),
    ...(parameters.some(({ name }) => name.endsWith('-Request-Id')) ? ['once: true'] : []),
    ...(parameters.some(({ name }) => name.endsWith('-Auth-Assertion')) ? [] : ['open: true']),
    ...(answer === 'json' ? [] : [`answer: '${answer}'`]),
    ...(/^(list|search)/.test(operation.operationId) ? listed(path, responses, api) : []),
    ...(parameters.some(({ name }) => name === 'page') ? ['numbered: true'] : []),
  ]
  return `{ call: '${method.toUpperCase()} ${path}'${parts.map((part) => `, ${part}`).join('')} }`
}

/** JSON, perhaps with files beside it; or the fields of a form, perhaps with files among them. */
function bodyKind(content: readonly string[]): string {
  const files = content.some((type) => type.startsWith('multipart/'))
  if (content.includes('application/x-www-form-urlencoded')) return files ? 'form and files' : 'form'
  return files ? 'json and files' : 'json'
}

/** The field in which a list has its entries. */
function listed(path: string, responses: Operation['responses'], api: Api): string[] {
  const schema = successes(responses)[0]?.['application/json']?.schema
  const { properties = {} } = (schema?.$ref ? api.components.schemas[schema.$ref.split('/').at(-1)!] : schema) ?? {}
  const lists = Object.entries(properties as Record<string, Json>)
    .filter(([name, { type }]) => (type as unknown) === 'array' && name !== 'links')
    .map(([name]) => name)
  const found = lists.find((name) => name === 'items') ?? lists.find((name) => path.endsWith(name)) ?? lists[0]
  return found ? [`list: '${found}'`] : []
}

/** Either dialect is understood, and either may be answered. */
const bothDialects = (value: unknown): unknown[] =>
  typeof value !== 'string'
    ? [value]
    : value === dialects.service.stateUnderReview
      ? [value, dialects.paypal.stateUnderReview]
      : [value, dialects.paypal.literal(value)]

function typeOf(schema: Json): string {
  const { $ref, anyOf, allOf, type, items, patternProperties, additionalProperties } = schema
  const union = (types: readonly string[], by = ' | ') => {
    const distinct = [...new Set(types)]
    return distinct.length === 1 ? distinct[0]! : `(${distinct.join(by)})`
  }
  if ($ref) return `Schemas['${($ref as string).split('/').at(-1)}']`
  if (schema['enum']) {
    const values = (schema['enum'] as unknown as unknown[]).flatMap(bothDialects)
    return union(values.map((value) => (typeof value === 'string' ? literal(value) : JSON.stringify(value))))
  }
  if ('const' in schema) return union(bothDialects(schema['const']).map((value) => JSON.stringify(value)))
  if (anyOf) return union((anyOf as unknown as Json[]).map(typeOf))
  if (allOf) return union((allOf as unknown as Json[]).map(typeOf), ' & ')
  switch (type as unknown as string) {
    case 'string':
      return schema['format'] && String(schema['format']) === 'binary' ? 'Uint8Array' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `${items ? typeOf(items) : 'unknown'}[]`
    case 'object':
      return objectType(schema, patternProperties ?? additionalProperties)
    default:
      return 'unknown'
  }
}

/** What editors show beside a name. */
const comment = (text: unknown): string =>
  typeof text === 'string' ? `/** ${text.replaceAll('*/', '*\u200b/')} */ ` : ''

const literal = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function objectType(schema: Json, others: Json | undefined): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  const required = (schema['required'] ?? []) as unknown as string[]
  // Of an object without named fields we know nothing more than that.
  if (properties.length === 0) {
    const first = others && typeof others === 'object' ? Object.values(others)[0] : undefined
    return first && typeof first === 'object' ? `{ [name: string]: ${typeOf(first)} }` : '{ [name: string]: unknown }'
  }
  const fields = properties.map(
    ([name, value]) =>
      `${comment(value['description'])}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(value)}`,
  )
  return `{ ${fields.join('; ')} }`
}
