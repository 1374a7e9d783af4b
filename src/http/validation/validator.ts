import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import type { Issue } from '../../kernel/problem.ts'
import type { Static, TSchema } from '../../kernel/type.ts'
import { isDate, isDateTime, isEmail, isUri } from './formats.ts'
import { issuesOf, type Place } from './issues.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Longer text is not matched against a pattern: it breaks the `maxLength` that every string has anyway. */
const maxPatternInput = 10_000

const ajv = new Ajv2019({
  allErrors: true,
  verbose: true,
  messages: false,
  strict: false,
  strictSchema: true,
  addUsedSchema: false,
  // Without this optimisation, code is generated in half the time and runs as fast.
  code: { optimize: false, regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }) },
  formats: { date: isDate, 'date-time': isDateTime, email: isEmail, uri: isUri },
})
for (const annotation of ['issue', 'example', 'discriminator', 'xml', 'externalDocs']) ajv.addKeyword(annotation)

// The library's own `uniqueItems` compares every item with every other one.
ajv.removeKeyword('uniqueItems')
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (unique: boolean, items: readonly unknown[]) =>
    !unique || new Set(items.map((item) => JSON.stringify(item))).size === items.length,
})

function boundedPattern(pattern: string) {
  const expression = compilePattern(pattern)
  return { test: (text: string) => text.length <= maxPatternInput && expression.test(text), toString: () => pattern }
}

/** Some patterns of the contract are not legal in the stricter Unicode mode. Those that are count whole characters. */
function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

const compiled = new WeakMap<object, ValidateFunction>()

function compile(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = ajv.compile(selfContained(schema as JsonSchema))
  compiled.set(schema, made)
  return made
}

/** Checks a value; an empty list says it is right. */
export type Validator = (value: unknown) => readonly Issue[]

const noIssues: readonly Issue[] = Object.freeze([])

/**
 * Makes the check of a schema. It reports all violations at once, in the order of the document, at most 50. For a query it
 * first converts, in place, canonical numbers, booleans in any case, and repeated values of a list into what the schema asks
 * for. Nothing else is ever changed, added or removed. Compiled at its first use, which keeps the start of the service
 * short.
 */
export function makeValidator(schema: TSchema, place: Place): Validator {
  let check: ValidateFunction | undefined
  const coerce = place === 'query' ? makeCoercion(schema as JsonSchema) : undefined
  return (value) => {
    check ??= compile(schema)
    coerce?.(value)
    return check(value) ? noIssues : issuesOf(check.errors ?? [], value, place)
  }
}

/** Whether a value fits the schema. For values that are only known once a request is understood. */
export const fits = <Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> =>
  compile(schema)(value)

/** The same value without the properties that its schema does not name, at every depth. */
export const onlyKnown = <Schema extends TSchema>(schema: Schema, value: Static<Schema>): Static<Schema> =>
  knownPart(schema as JsonSchema, value) as Static<Schema>

function knownPart({ items, properties }: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => knownPart(items as JsonSchema, item)) : value
  if (typeof value !== 'object' || value === null || !properties) return value
  const known = properties as Readonly<Record<string, JsonSchema>>
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) =>
      Object.hasOwn(known, name) ? [[name, knownPart(known[name]!, part)]] : [],
    ),
  )
}

/**
 * A copy without `$id`s: named schemas appear in many routes, and their names would clash. A reference to a named schema is
 * replaced by that schema.
 */
function selfContained(schema: JsonSchema): JsonSchema {
  const named = new Map<string, JsonSchema>()
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('$id' in node && typeof node.$id === 'string') named.set(node.$id, node as JsonSchema)
    for (const child of Object.values(node)) collect(child)
  }
  const copy = (node: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(node)) return node.map((item) => copy(item, within))
    if (typeof node !== 'object' || node === null) return node
    const target = '$ref' in node && typeof node.$ref === 'string' ? node.$ref : undefined
    if (target !== undefined && !target.startsWith('#')) {
      const found = named.get(target)
      if (found === undefined || within.includes(target)) throw new Error(`The schema ${target} cannot be resolved.`)
      return copy({ ...found, ...node, $ref: undefined }, [...within, target])
    }
    return Object.fromEntries(
      Object.entries(node)
        .filter(([key, value]) => key !== '$id' && !key.startsWith('x-') && value !== undefined)
        .map(([key, value]) => [key, copy(value, within)]),
    )
  }
  collect(schema)
  return copy(schema, []) as JsonSchema
}

const canonicalInteger = /^(?:0|-?[1-9]\d{0,14})$/
const canonicalNumber = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/

/** A number can be written in one way only: no blanks, signs, exponents or leading zeros, and empty text is not 0. */
function makeCoercion(schema: JsonSchema): (query: unknown) => void {
  const readers = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, node]) => {
    const types = typesOf(node)
    // Repeating a parameter means the same as separating its values by commas.
    if (node['x-list']) return [{ name, read: (given: unknown) => (Array.isArray(given) ? given.join(',') : given) }]
    if (types.has('string')) return []
    const read = (text: unknown): unknown => {
      if (typeof text !== 'string') return text
      if (types.has('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
      if (types.has('integer') && canonicalInteger.test(text)) return Number(text)
      return types.has('number') && canonicalNumber.test(text) ? Number(text) : text
    }
    return types.has('boolean') || types.has('integer') || types.has('number') ? [{ name, read }] : []
  })
  return (query) => {
    if (typeof query !== 'object' || query === null) return
    const parameters = query as Record<string, unknown>
    for (const { name, read } of readers) {
      if (parameters[name] !== undefined) parameters[name] = read(parameters[name])
    }
  }
}

function typesOf(node: JsonSchema): ReadonlySet<unknown> {
  const branches = (node['anyOf'] ?? node['oneOf'] ?? []) as readonly JsonSchema[]
  return new Set([node['type'], ...branches.flatMap((branch) => [...typesOf(branch)])].flat())
}
