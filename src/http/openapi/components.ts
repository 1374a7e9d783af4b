type Json = Record<string, unknown>

/** A schema shorter than this is as easy to read where it stands, so it is not made a component. */
const LENGTH_MIN = 160

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** A schema of an object that stands in several places. Kept by its text. */
interface Repeated {
  count: number
  /** The names it may get, from where it was first met; shortest first. */
  readonly names: readonly string[]
}

/**
 * Gives a name to every object that a document describes more than once, after the field whose value it is, and refers to it
 * instead. So it has to be read only once, and generated clients get one type for it.
 */
export function withComponents(
  paths: Record<string, Json>,
  named: Json,
): { paths: Record<string, Json>; schemas: Json } {
  const repeated = new Map<string, Repeated>()
  const count = (value: unknown, way: readonly string[], namesFields = false): void => {
    if (Array.isArray(value)) for (const item of value) count(item, way)
    if (!isJson(value)) return
    if (isObjectSchema(value) && !namesFields) {
      const text = textOf(value)
      const known = repeated.get(text)
      if (known) {
        known.count++
        // The parts of this schema were counted when it was first met.
        return
      }
      if (text.length >= LENGTH_MIN) repeated.set(text, { count: 1, names: namesFor(way, value) })
    }
    for (const [key, part] of Object.entries(value)) {
      // `input` is here the name of the part that holds the body of an upload, and not that of a field.
      const isField = namesFields && key !== UPLOADED
      count(part, isField ? [...way, key] : way, key === 'properties' && !namesFields)
    }
  }
  for (const [name, schema] of Object.entries(named)) count(schema, [name])
  for (const methods of Object.values(paths))
    for (const { operationId, parameters, requestBody, responses } of Object.values(methods) as Json[]) {
      count([parameters, requestBody], [`${operationId}Input`])
      count(responses, [`${operationId}Answer`])
    }

  const schemas: Json = {}
  const taken = new Set(Object.keys(named))
  const names = new Map<string, string>()
  for (const [text, { count, names: wishes }] of repeated) {
    if (count < 2) continue
    const name = wishes.find((wish) => !taken.has(wish)) ?? numbered(wishes[0]!, taken)
    taken.add(name)
    names.set(text, name)
  }
  const refer = (value: unknown, isDefinition = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => refer(item))
    if (!isJson(value)) return value
    const name = isDefinition || !isObjectSchema(value) ? undefined : names.get(textOf(value))
    if (name === undefined) return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, refer(part)]))
    const { description, ...form } = value
    schemas[name] ??= refer(form, true)
    // The description is not part of the component, because the meaning depends on where it stands.
    return { ...referenceTo(name), ...(description !== undefined && { description }) }
  }
  for (const [name, schema] of Object.entries(named)) schemas[name] = refer(schema, true)
  return { paths: refer(paths) as Record<string, Json>, schemas }
}

/** Two schemas that differ only in their descriptions are the same. */
const textOf = ({ description: _, ...form }: Json) => JSON.stringify(form)

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const isObjectSchema = (value: Json) => value['type'] === 'object' && isJson(value['properties'])

/** The part of a multipart body that is not a file. */
const UPLOADED = 'input'

/** `billing_info` of `createInvoice`: BillingInfo, or else CreateInvoiceBillingInfo. */
function namesFor(way: readonly string[], { properties }: Json): string[] {
  const words = way.map((part) => part.replace(/(?:^|[_\s-])(\w)/g, (_, letter: string) => letter.toUpperCase()))
  if (Object.hasOwn(properties as Json, UPLOADED)) return [words[0]!.replace(/Input$/, 'Form')]
  return words.map((_, i) => words.slice(words.length - 1 - i).join(''))
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) if (!taken.has(`${name}${n}`)) return `${name}${n}`
}
