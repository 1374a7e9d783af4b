import { icon } from '../console/parts/icons.ts'
import { type Content, type Html, html } from '../http/html.ts'
import type { Dialect } from '../kernel/dialect.ts'
import type { Catalogue, Parameter, Schema } from './catalogue.ts'
import { spoken } from './dialect.ts'

const DEPTH_MAX = 8
const VALUES_SHOWN = 6

/** Words of our texts that are code stand between backticks. */
export const prose = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`

/** The kind of a value in a word or two. */
function kindOf(schema: Schema, { resolve }: Catalogue): string {
  const { type, enum: values, anyOf, items, format, patternProperties } = schema
  if (values) return 'one of'
  if ('const' in schema) return 'always'
  if (anyOf) return [...new Set(anyOf.map((one) => kindOf(resolve(one), { resolve } as Catalogue)))].join(' or ')
  if (type === 'array') return items ? `list of ${plural(kindOf(resolve(items), { resolve } as Catalogue))}` : 'list'
  if (type === 'object') return patternProperties ? 'names and values' : 'object'
  if (format !== undefined && type === 'string') return formats[format] ?? format
  if (type === 'string') return 'text'
  return type ?? 'anything'
}

const formats: Readonly<Record<string, string>> = {
  date: 'day, YYYY-MM-DD',
  'date-time': 'date-time, RFC 3339',
  uri: 'address',
  email: 'mail address',
  binary: 'file',
}

const plural = (kind: string) =>
  ({ text: 'texts', object: 'objects', integer: 'integers', 'one of': 'one of', file: 'files' })[kind] ?? kind

/** What a value must keep to. */
function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const number = (n: number) => n.toLocaleString('en')
  const length =
    minLength !== undefined && minLength === maxLength
      ? `${minLength} characters`
      : maxLength !== undefined && minLength !== undefined && minLength > 1
        ? `${minLength} to ${number(maxLength)} characters`
        : maxLength !== undefined && `up to ${number(maxLength)} characters`
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${number(minimum)} to ${number(maximum)}`
      : minimum !== undefined
        ? `from ${number(minimum)}`
        : maximum !== undefined && `up to ${number(maximum)}`
  const count =
    maxItems !== undefined &&
    (minItems !== undefined && minItems > 0 ? `${minItems} to ${number(maxItems)}` : `up to ${number(maxItems)}`)
  return [length, range, count].filter((text) => typeof text === 'string')
}

/** The values a field takes; many are folded. */
function valuesOf(schema: Schema, { resolve }: Catalogue, dialect: Dialect): Content {
  const listed =
    schema.enum ?? (schema.items && resolve(schema.items).enum) ?? ('const' in schema ? [schema.const] : [])
  const values = [...new Set(listed.map((value) => String(spoken(value, dialect))))]
  if (values.length === 0) return undefined
  const shown = html`<span class="values">${values.map((value) => html`<code>${value}</code> `)}</span>`
  if (values.length <= VALUES_SHOWN) return shown
  return html`<details class="many"><summary>${icon('right')}${values.length} values</summary>${shown}</details>`
}

export interface FieldParts {
  readonly catalogue: Catalogue
  readonly dialect: Dialect
  /** Begins the anchors of the fields. */
  readonly at: string
}

function row(
  name: string,
  schema: Schema,
  required: boolean,
  about: string | undefined,
  parts: FieldParts,
  depth: number,
): Html {
  const { catalogue, dialect, at } = parts
  const anchor = `${at}-${name}`
  const limits = limitsOf(schema)
  const inner = nested(schema, { ...parts, at: anchor }, depth)
  return html`<li class="member" id="${anchor}"><p class="what"><code class="name">${name}</code> <span class="kind">${kindOf(schema, catalogue)}${
    limits.length > 0 && `, ${limits.join(', ')}`
  }</span>${required && html` <span class="must">required</span>`}${schema.readOnly === true && html` <span class="kind">worked out by the service</span>`}${
    schema.default !== undefined && html` <span class="kind">${String(schema.default)} unless said</span>`
  }</p>${about !== undefined && html`<p class="about">${prose(about)}</p>`}${valuesOf(schema, catalogue, dialect)}${inner}</li>`
}

/** What an object, or the objects of a list, consist of. */
function nested(schema: Schema, parts: FieldParts, depth: number): Content {
  const of = schema.items ? parts.catalogue.resolve(schema.items) : schema
  const count = Object.keys(of.properties ?? {}).length
  if (count === 0 || depth >= DEPTH_MAX) return undefined
  return html`<details class="within"><summary>${icon('right')}${count} ${count === 1 ? 'field' : 'fields'}<span class="seen-not"> of ${parts.at.split('-').at(-1)!}</span></summary>${fieldList(of, parts, depth + 1)}</details>`
}

/** The fields of an object, one below the other. */
export function fieldList(schema: Schema, parts: FieldParts, depth = 0): Content {
  const of = schema.items ? parts.catalogue.resolve(schema.items) : schema
  const { properties = {}, required = [] } = of
  const entries = Object.entries(properties)
  if (entries.length === 0)
    return html`<p class="about">${prose(schema.description ?? `${kindOf(schema, parts.catalogue)}.`)}</p>`
  return html`<ul class="fields">${entries.map(([name, property]) => {
    const full = parts.catalogue.resolve(property)
    return row(name, full, required.includes(name), full.description, parts, depth)
  })}</ul>`
}

export const parameterList = (parameters: readonly Parameter[], parts: FieldParts): Html =>
  html`<ul class="fields">${parameters.map(({ name, schema, required = false, description }) =>
    row(name, parts.catalogue.resolve(schema), required, description, parts, 0),
  )}</ul>`
