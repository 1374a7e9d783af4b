import type { TSchema } from 'typebox'

/** The parts of a schema that say how a body is read. */
interface Node {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly readOnly?: boolean
  readonly 'x-numeric'?: boolean
}

/**
 * Reads a body the lenient way of the contract, before it is checked: null and empty text count as absent, a number
 * stands for its decimal text, and what the schema does not name or marks as read-only is left behind.
 */
export const readerOf =
  (schema: TSchema) =>
  (body: unknown): unknown =>
    read(schema as Node, body)

function read(schema: Node, value: unknown): unknown {
  if (schema.properties && isRecord(value)) {
    const result: Record<string, unknown> = {}
    // In the caller's order, so that mistakes are reported in it.
    for (const key of Object.keys(value)) {
      const entry = value[key]
      const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
      if (property && !property.readOnly && !isEmpty(entry)) result[key] = read(property, entry)
    }
    return result
  }
  if (schema.items && Array.isArray(value))
    return value.filter((entry) => !isEmpty(entry)).map((entry) => read(schema.items!, entry))
  return schema['x-numeric'] && typeof value === 'number' ? String(value) : value
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
