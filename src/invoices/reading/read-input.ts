import type { TSchema } from '../../kernel/type.ts'

/** The parts of a schema that say how a body is read. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly readOnly?: boolean
  readonly 'x-numeric'?: boolean
}

type Read = (value: unknown) => unknown

/**
 * Reads a body the lenient way of the contract, before it is checked: null and empty text count as absent, a number
 * stands for its decimal text, and what the schema does not name or marks as read-only is left behind.
 */
export const readerOf = (schema: TSchema): Read => compile(schema as Node) ?? asItIs

const asItIs: Read = (value) => value

/** How a node is read; undefined where a value is taken as it is. Made once a schema, because bodies are read often. */
function compile({ properties, items, 'x-numeric': isNumeric }: Node): Read | undefined {
  if (properties) return objectReader(properties)
  if (items) {
    const read = compile(items) ?? asItIs
    return (value) => (Array.isArray(value) ? value.filter((entry) => !isEmpty(entry)).map(read) : value)
  }
  return isNumeric ? (value) => (typeof value === 'number' ? String(value) : value) : undefined
}

function objectReader(properties: Readonly<Record<string, Node>>): Read {
  const readers = new Map(
    Object.entries(properties)
      .filter(([, property]) => !property.readOnly)
      .map(([key, property]) => [key, compile(property) ?? asItIs]),
  )
  return (value) => {
    if (!isRecord(value)) return value
    const result: Record<string, unknown> = {}
    // In the caller's order, so that mistakes are reported in it.
    for (const key of Object.keys(value)) {
      const read = readers.get(key)
      const entry = value[key]
      if (read && !isEmpty(entry)) result[key] = read(entry)
    }
    return result
  }
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
