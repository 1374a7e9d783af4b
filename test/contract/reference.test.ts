import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CallExample, describeApi } from '../../src/http/openapi/describe.ts'
import { describedService } from '../../src/printed.ts'
import { everyRefusal } from '../../src/reference/refusals.ts'
import { references } from '../../src/reference/rooms.ts'
import { describedRoutes } from '../../src/routes.ts'

interface Json {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Json>>
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly {
    readonly name?: string
    readonly required?: boolean
    readonly description?: string
    readonly example?: string
    readonly schema?: { readonly default?: unknown }
    readonly $ref?: string
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly example?: unknown }>>

const used = new Set<string>()
const watched = references.map(({ fields, ...rest }, i) => ({
  ...rest,
  fields: new Proxy(fields, {
    get(target, key: string) {
      if (key in target) used.add(`${i} ${key}`)
      return target[key]
    },
  }),
}))
const routes = describedRoutes(describedService)
const examples: Record<string, CallExample> = JSON.parse(
  readFileSync(new URL('../../src/reference/examples.json', import.meta.url), 'utf8'),
)
const api = JSON.parse(
  JSON.stringify(describeApi(routes, { version: '', publicUrl: '', references: watched, examples })),
) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}
const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods))

/** Every field of a schema that says nothing about itself, by the way to it. */
function silent(node: unknown, way: string): string[] {
  if (Array.isArray(node)) return node.flatMap((part) => silent(part, way))
  if (typeof node !== 'object' || node === null) return []
  const { properties, ...rest } = node as Json
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]) => [
    ...(field.description === undefined ? [`${way}.${name}`] : []),
    ...silent(field, `${way}.${name}`),
  ])
  return [...fields, ...Object.values(rest).flatMap((part) => silent(part, way))]
}

/** All that the rooms say, less the tables that tell of refusals. */
const sources = () =>
  readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)(issues|reference)\.ts$|client\/api\.ts$/.test(name))
    .map((name) => readFileSync(new URL(`../../src/${name}`, import.meta.url), 'utf8'))
    .join('\n')

describe('The description of the API', () => {
  it('has a summary and a description of every operation', () => {
    const without = operations.filter(({ summary, description }) => summary.length < 10 || description.length < 12)

    expect(without.map(({ operationId }) => operationId)).toEqual([])
  })

  it('says of every field and parameter what it means', () => {
    const parameters = operations.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, description, $ref }) =>
        $ref === undefined && description === undefined ? [`${operationId} ${name}`] : [],
      ),
    )

    expect([...silent(api.paths, ''), ...silent(api.components.schemas, ''), ...parameters]).toEqual([])
  })

  it('has an example of every operation: its parameters, its body and its answer', () => {
    const shows = (content: Content | undefined) =>
      Object.entries(content ?? {}).some(([type, { example }]) => example !== undefined || /image|pdf|woff/.test(type))
    // One without a call is told of as that.
    const answersOf = (responses: Operation['responses'], example?: CallExample) =>
      example === undefined ? [] : [responses[example.status]?.content].filter((content) => content !== undefined)
    const without = operations.flatMap(({ operationId, parameters, requestBody, responses }) => [
      ...(operationId in examples ? [] : [`${operationId}: no call`]),
      ...parameters
        .filter(({ required, example }) => required && example === undefined)
        .map(({ name }) => `${operationId}: ${name}`),
      ...(requestBody?.required && !shows(requestBody.content) ? [`${operationId}: no body`] : []),
      ...answersOf(responses, examples[operationId]).flatMap((content) =>
        shows(content) ? [] : [`${operationId}: no answer`],
      ),
    ])

    expect(without).toEqual([])
    expect(Object.keys(examples).filter((name) => operations.every(({ operationId }) => operationId !== name))).toEqual(
      [],
    )
  })

  it('names only statuses with which an operation answers', () => {
    const strange = operations.flatMap(({ operationId, description, responses }) =>
      [...description.matchAll(/the answer is (\d{3})/g)].flatMap(([, status]) =>
        responses[status!] ? [] : [`${operationId}: ${status}`],
      ),
    )

    expect(strange).toEqual([])
  })

  it('says of a parameter that is absent what its schema says', () => {
    const strange = operations.flatMap(({ operationId, parameters }) =>
      parameters.flatMap(({ name, description = '', schema }) => {
        const said = /\b(true|false) unless said/.exec(description)?.[1]
        return said === undefined || String(schema?.default ?? false) === said ? [] : [`${operationId}: ${name}`]
      }),
    )

    expect(strange).toEqual([])
  })

  it('names only refusals that there are, by operations that there are', () => {
    const source = sources()
    const known = new Set(operations.map(({ operationId }) => operationId))
    const rows = references.flatMap(({ issues }) => issues)

    // The token operations spell theirs in small letters.
    expect(
      rows.filter(({ issue }) => !source.includes(`'${issue}'`) && !source.includes(`'${issue.toLowerCase()}'`)),
    ).toEqual([])
    expect(rows.flatMap(({ by }) => by.filter((name) => !known.has(name)))).toEqual([])
  })

  it('names every refusal that is the same whatever the operation', () => {
    const folder = new URL('../../src/http/', import.meta.url)
    const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('\n')
    const named = new Set(everyRefusal().map(({ issue }) => issue))
    const issues = [...source.matchAll(/(?:issue: |(?:conflict|refused|refusal)\()'([A-Z_]+)'/g)].map(
      ([, issue]) => issue!,
    )

    expect(issues).toContain('MALFORMED_REQUEST')
    expect(issues.filter((issue) => !named.has(issue))).toEqual([])
  })

  it('describes nothing that is not there', () => {
    const known = new Set(operations.map(({ operationId }) => operationId))
    const fields = references.flatMap(({ fields }, i) =>
      Object.keys(fields).filter((name) => !used.has(`${i} ${name}`)),
    )
    const gone = references.flatMap(({ operations }) => Object.keys(operations).filter((name) => !known.has(name)))

    expect([...fields, ...gone]).toEqual([])
  })
})
