import { nearest } from '../../kernel/spelling.ts'
import type { TSchema } from '../../kernel/type.ts'
import { isRecord } from './reader.ts'

/** The parts of a schema that say what is known. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly allOf?: readonly Node[]
  readonly 'x-extensible-enum'?: readonly string[]
}

/** Something in a request that has no meaning here. */
export interface Unknown {
  readonly kind: 'field' | 'value'
  /** Where it is, as a JSON pointer. */
  readonly pointer: string
  /** The word that is not known, and the one that was probably meant. */
  readonly word: string
  readonly meant: string | undefined
}

/** More would not help a caller. */
const UNKNOWNS_MAX = 10
const DEPTH_MAX = 20

/** Looks for parts of a value that have no meaning here. */
export type FindUnknowns = (value: unknown) => Unknown[]

/**
 * Finds the fields of a value that no schema names at their place, and the values that are not among those a schema lists.
 * Clients may send back what they got from us, so the schemas of answers count as well as those of requests. The schemas are
 * asked for when a value first comes, which keeps the start of the service short.
 */
export function unknownsFinder(schemas: () => readonly TSchema[], alsoKnown: readonly string[] = []): FindUnknowns {
  const everywhere = new Set(alsoKnown)
  let root: Place | undefined
  /** Whether everything is known. That is nearly always so, and then nobody looks for places. */
  const isKnown = (place: Place, value: unknown, depth: number): boolean => {
    if (typeof value === 'string') return place.values.size === 0 || place.values.has(value)
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return true
    if (Array.isArray(value)) return value.every((item) => isKnown(place.items, item, depth + 1))
    if (place.names.size === 0) return true
    for (const name of Object.keys(value)) {
      const field = place.field(name)
      if (field ? !isKnown(field, (value as Record<string, unknown>)[name], depth + 1) : !everywhere.has(name))
        return false
    }
    return true
  }
  return (value) => {
    root ??= new Place(branches(schemas() as readonly Node[]))
    const found: Unknown[] = []
    const path: (string | number)[] = []
    const pointer = () => path.map((part) => `/${part}`).join('')
    const enter = (place: Place, part: string | number, value: unknown) => {
      path.push(part)
      visit(place, value)
      path.pop()
    }
    const visit = (place: Place, value: unknown): void => {
      if (found.length >= UNKNOWNS_MAX || path.length > DEPTH_MAX) return
      if (typeof value === 'string') {
        if (place.values.size > 0 && !place.values.has(value))
          found.push({ kind: 'value', pointer: pointer(), word: value, meant: nearest(value, place.values) })
      } else if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) enter(place.items, i, value[i])
      } else if (isRecord(value) && place.names.size > 0)
        for (const name of Object.keys(value)) visitField(place, name, value)
    }
    const visitField = (place: Place, name: string, object: Record<string, unknown>): void => {
      const field = place.field(name)
      if (field) enter(field, name, object[name])
      else if (!everywhere.has(name) && found.length < UNKNOWNS_MAX)
        found.push({ kind: 'field', pointer: `${pointer()}/${name}`, word: name, meant: nearest(name, place.names) })
    }
    if (!isKnown(root, value, 0)) visit(root, value)
    return found
  }
}

/** What all schemas together know about one place of a value. Worked out once, when a value first gets there. */
class Place {
  /** The names of its fields. If an object has none, any name is accepted. */
  readonly names: ReadonlySet<string>
  readonly values: ReadonlySet<string>
  readonly #nodes: readonly Node[]
  readonly #fields = new Map<string, Place>()
  #items: Place | undefined

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes
    this.names = new Set(nodes.flatMap(({ properties = {} }) => Object.keys(properties)))
    this.values = new Set(nodes.flatMap((node) => node['x-extensible-enum'] ?? []))
  }

  field(name: string): Place | undefined {
    let place = this.#fields.get(name)
    if (!place) {
      if (!this.names.has(name)) return undefined
      const parts = this.#nodes.flatMap(({ properties = {} }) =>
        Object.hasOwn(properties, name) ? properties[name]! : [],
      )
      place = new Place(branches(parts))
      this.#fields.set(name, place)
    }
    return place
  }

  get items(): Place {
    this.#items ??= new Place(branches(this.#nodes.flatMap(({ items }) => items ?? [])))
    return this.#items
  }
}

/** The schemas and all of their alternatives. */
const branches = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) => [node, ...branches([...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])])])

/** Enough to fit into a header. */
const HEADER_LENGTH_MAX = 1_000

export const warningsOf = (unknowns: readonly Unknown[]): string =>
  unknowns
    .map(sentenceOf)
    .join('; ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, HEADER_LENGTH_MAX)

/** `unknown field /detail/curency_code, did you mean currency_code`. */
export function sentenceOf({ kind, pointer, word, meant }: Unknown): string {
  const what = kind === 'field' ? `unknown field ${pointer}` : `unknown value ${word} in ${pointer}`
  return meant === undefined ? what : `${what}, did you mean ${meant}`
}
