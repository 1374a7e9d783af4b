import type { TSchema } from '../../kernel/type.ts'

/** The parts of a schema that say how a body is read. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly readOnly?: boolean
  /** Text that may be sent as a number: money, quantities, numbers of things. */
  readonly 'x-numeric'?: boolean
}

type Read = (value: unknown) => unknown

interface ReaderOptions {
  /** Leaves behind, too: empty text, what the schema does not name, and what it marks as read-only. */
  readonly clean?: boolean
}

/**
 * Reads a body the lenient way of the contract, before it is checked: null counts as absent, a number stands for its
 * decimal text, and `[]` for an object without members.
 */
export const readerOf = (schema: TSchema, { clean = false }: ReaderOptions = {}): Read =>
  compile(schema as Node, clean) ?? asItIs

const asItIs: Read = (value) => value

/** How a node is read; undefined where a value is taken as it is. Made once a schema, because bodies are read often. */
function compile({ properties, items, 'x-numeric': isNumeric }: Node, clean: boolean): Read | undefined {
  if (properties) return objectReader(properties, clean)
  if (items) {
    const read = compile(items, clean) ?? asItIs
    return (value) => (Array.isArray(value) ? value.filter((entry) => !isAbsent(entry, clean)).map(read) : value)
  }
  return isNumeric ? decimalText : undefined
}

/** A number has all of its digits after it was read only if they are few; with more it is left for the check to refuse. */
const DIGITS_MAX = 15
const decimalText: Read = (value) => {
  if (typeof value !== 'number') return value
  const text = String(value)
  return text.replace(/\D/g, '').replace(/^0+/, '').length <= DIGITS_MAX ? text : value
}

function objectReader(properties: Readonly<Record<string, Node>>, clean: boolean): Read {
  const known = new Map(
    Object.entries(properties)
      .filter(([, property]) => !(clean && property.readOnly))
      .map(([key, property]) => [key, compile(property, clean) ?? asItIs]),
  )
  return (value) => {
    if (Array.isArray(value) && value.length === 0) return {}
    if (!isRecord(value)) return value
    const result: Record<string, unknown> = {}
    // In the caller's order, so that mistakes are reported in it.
    for (const key of Object.keys(value)) {
      const read = known.get(key)
      const entry = value[key]
      if (read === undefined) {
        if (!clean) result[key] = entry
      } else if (!isAbsent(entry, clean)) result[key] = read(entry)
    }
    return result
  }
}

const isAbsent = (value: unknown, clean: boolean) => value === null || value === undefined || (clean && value === '')

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
