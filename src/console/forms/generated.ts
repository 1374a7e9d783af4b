import type { AnyRoute } from '../../http/route.ts'
import { sentence } from '../words.ts'
import type { Field } from './fields.ts'

/** What a schema says, as far as a form asks. */
interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly maxLength?: number
  readonly pattern?: string
  readonly description?: string
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

export interface GeneratedOptions {
  /** The currency in which amounts are asked for. */
  readonly currency: string
  /** What is possible now for an enum, by its place. */
  readonly possible?: Readonly<Record<string, readonly string[]>>
  readonly files?: boolean
}

const LONG_TEXT = 500
const CHOICES_SEEN_AT_ONCE = 4
/** Nobody fills in by hand what lies deeper than this; the API accepts it. */
const DEPTH_MAX = 4

/** The fields that the schema of a body asks for, so that an operation needs no form of its own. */
export function generatedFields(
  schema: unknown,
  { currency, possible = {}, files = false }: GeneratedOptions,
): Field[] {
  const fields = (schema as Schema | undefined)?.properties
    ? within(schema as Schema, '', [], { currency, possible, depth: 0 })
    : []
  return files ? [...fields, { kind: 'files', label: 'Files' }] : fields
}

interface Within {
  readonly currency: string
  readonly possible: Readonly<Record<string, readonly string[]>>
  readonly depth: number
}

function within(
  { properties = {}, required = [] }: Schema,
  at: string,
  path: readonly string[],
  given: Within,
): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    field(schema, `${at}/${name}`, [...path, name], required.includes(name), given),
  )
}

function field(schema: Schema, at: string, path: readonly string[], isRequired: boolean, given: Within): Field[] {
  const { currency, depth } = given
  const shared = { at, label: labelOf(path), ...(schema.description && { hint: schema.description }) }
  const values = given.possible[at] ?? schema.enum
  if (values) {
    const choices = values.map((value) => ({ value, label: sentence(value) }))
    if (isRequired && values.length <= CHOICES_SEEN_AT_ONCE) return [{ ...shared, kind: 'choice', choices }]
    return [
      { ...shared, kind: 'select', choices: isRequired ? choices : [{ value: '', label: 'Not said' }, ...choices] },
    ]
  }
  if (schema.properties?.['currency_code'] && schema.properties['value'])
    return [{ ...shared, kind: 'money', currency }]
  if (schema.properties) return depth < DEPTH_MAX ? within(schema, at, path, { ...given, depth: depth + 1 }) : []
  if (schema.items)
    return depth < DEPTH_MAX ? field(schema.items, `${at}/0`, path, false, { ...given, depth: depth + 1 }) : []
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date') return [{ ...shared, kind: 'date' }]
      return [{ ...shared, kind: (schema.maxLength ?? 0) >= LONG_TEXT ? 'long' : 'text' }]
    case 'boolean':
      return [{ ...shared, kind: 'tick' }]
    case 'integer':
    case 'number':
      return [{ ...shared, kind: 'text' }]
    default:
      // Nothing is known of it, so nothing sensible can be asked.
      return []
  }
}

/** `return_shipping_address`, `postal_code` is "Return shipping address, postal code". */
const labelOf = (path: readonly string[]): string =>
  path.map((name, i) => (i === 0 ? sentence(name) : sentence(name).toLowerCase())).join(', ')

/** A body in which texts have become what the schema says they are: ticks are booleans and figures are numbers. */
export function fitted(body: unknown, { body: schema }: Pick<AnyRoute, 'body'>): unknown {
  return fit(body, schema as Schema | undefined)
}

function fit(value: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined) return value
  if (Array.isArray(value)) return value.map((one) => fit(one, schema.items))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fit(one, schema.properties?.[name])]))
  if (schema.type === 'boolean') return value === 'true'
  // Text that is no number goes out as it is, to be refused. As NaN it would become null in JSON, and pass.
  if ((schema.type === 'integer' || schema.type === 'number') && value !== '')
    return Number.isNaN(Number(value)) ? value : Number(value)
  return value
}
