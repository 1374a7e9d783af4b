import type { CallExample } from '../http/openapi/describe.ts'
import type { AnyRoute } from '../http/route.ts'
import type { IssueReference } from '../kernel/reference.ts'
import type { ApiDocument } from './describe.ts'
import { refusalsOf } from './refusals.ts'

/** As much of JSON Schema as the document of the API has. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly readOnly?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly example?: string
  readonly schema: Schema
}

export interface AnswerForm {
  readonly status: string
  readonly type?: string
  readonly schema?: Schema
}

/** Everything a page tells about an operation. */
export interface Described {
  readonly id: string
  readonly tag: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  /** Any one of them opens it; none asks only for a token, undefined for nothing. */
  readonly scopes?: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly required: boolean; readonly types: readonly string[]; readonly schema: Schema }
  readonly answers: readonly AnswerForm[]
  readonly refusals: readonly IssueReference[]
  readonly example?: CallExample
  readonly route: AnyRoute
}

export interface Catalogue {
  readonly version: string
  readonly groups: readonly { readonly tag: string; readonly operations: readonly Described[] }[]
  readonly byId: ReadonlyMap<string, Described>
  /** The schema behind a reference, with what is said where it stands. */
  resolve(schema: Schema): Schema
}

interface Written {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly [string]
  readonly security: readonly { readonly oauth2: readonly string[] }[]
  readonly parameters: readonly (Parameter & { readonly $ref?: string })[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>
}

/** What most readers look for comes first. */
const first = [
  'Access tokens',
  'Invoices',
  'Invoice templates',
  'Disputes',
  'Payments',
  'Reporting',
  'Webhooks',
  'Sandbox',
]

const nameIn = (reference: string) => reference.split('/').at(-1)!

/** The document of the API as pages need it: by group and by operation. */
export function catalogueOf(
  api: ApiDocument,
  routes: readonly AnyRoute[],
  examples: Readonly<Record<string, CallExample>>,
): Catalogue {
  const schemas = api.components.schemas as Readonly<Record<string, Schema>>
  const headers = api.components.parameters as Readonly<Record<string, Parameter>>
  const routeOf = new Map(routes.map((route) => [route.operation, route]))
  const byId = new Map<string, Described>()
  for (const [path, methods] of Object.entries(api.paths as unknown as Record<string, Record<string, Written>>))
    for (const [method, written] of Object.entries(methods)) {
      const { operationId: id, summary, description, security, requestBody, responses } = written
      const route = routeOf.get(id)!
      const types = Object.keys(requestBody?.content ?? {})
      byId.set(id, {
        id,
        summary,
        description,
        path,
        route,
        method: method.toUpperCase(),
        tag: written.tags[0],
        ...(security.length > 0 && { scopes: security.flatMap(({ oauth2 }) => oauth2) }),
        parameters: written.parameters.map((one) => (one.$ref === undefined ? one : headers[nameIn(one.$ref)]!)),
        ...(requestBody && {
          body: { required: requestBody.required, types, schema: requestBody.content[types[0]!]!.schema },
        }),
        answers: Object.entries(responses)
          .filter(([status]) => status !== 'default')
          .map(([status, { content }]) => answerForm(status, content)),
        refusals: refusalsOf(route),
        ...(examples[id] && { example: examples[id] }),
      })
    }
  const all = [...byId.values()]
  return {
    version: api.info.version,
    groups: [...new Set([...first, ...api.tags.map(({ name }) => name)])]
      .map((name) => ({ tag: name, operations: all.filter(({ tag }) => tag === name) }))
      .filter(({ operations }) => operations.length > 0),
    byId,
    resolve({ $ref, ...here }) {
      return $ref === undefined ? here : { ...schemas[nameIn($ref)], ...here }
    },
  }
}

function answerForm(status: string, content: Readonly<Record<string, { schema: Schema }>> | undefined): AnswerForm {
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  const json = content?.['application/json']
  return {
    status,
    ...(json
      ? { type: 'application/json', schema: json.schema }
      : type !== undefined && { type, schema: media!.schema }),
  }
}
