import type { TSchema } from '../../kernel/type.ts'

/** The parts of a schema that say how a body is read. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly readOnly?: boolean
  /** Text that may be sent as a JSON number: money, quantities, counts. */
  readonly 'x-numeric'?: boolean
}

type Read = (value: unknown) => unknown

interface ReaderOptions {
  /** Also drops empty text, fields that the schema does not name, and fields that it marks as read-only. */
  readonly clean?: boolean
}

/**
 * Reads a body the lenient way of the contract, before it is checked: null counts as absent, a number stands for its
 * decimal text, and `[]` for an object without members.
 */
export const readerOf = (schema: TSchema, { clean = false }: ReaderOptions = {}): Read =>
  compile(schema as Node, clean) ?? asItIs

const asItIs: Read = (value) => value

/** How a node is read. Undefined if a value is taken as it is. Made once for each schema, because bodies are read often. */
function compile({ properties, items, 'x-numeric': isNumeric }: Node, clean: boolean): Read | undefined {
  if (properties) return objectReader(properties, clean)
  if (items) return listReader(compile(items, clean) ?? asItIs, clean)
  return isNumeric ? decimalText : undefined
}

/**
 * Only a number with few digits still has all of them after parsing. One with more is left as it is, and the check refuses
 * it.
 */
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
    // Nearly every body is already as it should be, and then it stays the same object: a copy would cost more than its check.
    let result: Record<string, unknown> | undefined
    const names = Object.keys(value)
    for (let i = 0; i < names.length; i++) {
      const key = names[i]!
      const entry = value[key]
      const read = known.get(key)
      const isLeft = read === undefined ? clean : isAbsent(entry, clean)
      const given = isLeft || read === undefined ? entry : read(entry)
      if (!result && !isLeft && given === entry) continue
      // Keeps the caller's order, so that mistakes are reported in that order.
      result ??= firstOf(value, names, i)
      if (!isLeft) result[key] = given
    }
    return result ?? value
  }
}

/** The first `count` members of an object. */
function firstOf(value: Record<string, unknown>, names: readonly string[], count: number): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (let i = 0; i < count; i++) result[names[i]!] = value[names[i]!]
  return result
}

/** Reads each element. Gives the same array if none of them changes. */
function listReader(read: Read, clean: boolean): Read {
  return (value) => {
    if (!Array.isArray(value)) return value
    const given = value.map((entry) => (isAbsent(entry, clean) ? entry : read(entry)))
    if (given.some((entry) => isAbsent(entry, clean))) return given.filter((entry) => !isAbsent(entry, clean))
    return given.some((entry, i) => entry !== value[i]) ? given : value
  }
}

const isAbsent = (value: unknown, clean: boolean) => value === null || value === undefined || (clean && value === '')

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
