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

/** Something in a request that means nothing to us. */
export interface Unknown {
  readonly kind: 'field' | 'value'
  /** Where it is, as a JSON pointer. */
  readonly pointer: string
  /** What is not known, and what was probably meant. */
  readonly word: string
  readonly meant: string | undefined
}

/** More would not help a caller. */
const UNKNOWNS_MAX = 10
const DEPTH_MAX = 20

/**
 * Finds the fields of a value that no schema names at their place, and the values that are none of those a schema lists
 * as known. What clients got from us they may send back, so the schemas of answers count as well as those of requests.
 */
export function unknownsIn(schemas: readonly TSchema[], value: unknown, alsoKnown: readonly string[] = []): Unknown[] {
  const found: Unknown[] = []
  const visit = (nodes: readonly Node[], node: unknown, pointer: string, depth: number): void => {
    if (found.length >= UNKNOWNS_MAX || depth > DEPTH_MAX || nodes.length === 0) return
    if (typeof node === 'string') {
      const known = nodes.flatMap((one) => one['x-extensible-enum'] ?? [])
      if (known.length > 0 && !known.includes(node))
        found.push({ kind: 'value', pointer, word: node, meant: nearest(node, known) })
    } else if (Array.isArray(node)) {
      const items = branches(nodes.flatMap((one) => one.items ?? []))
      for (const [i, item] of node.entries()) visit(items, item, `${pointer}/${i}`, depth + 1)
    } else if (isRecord(node)) visitFields(nodes, node, pointer, depth)
  }
  const visitFields = (
    nodes: readonly Node[],
    object: Record<string, unknown>,
    pointer: string,
    depth: number,
  ): void => {
    const objects = nodes.map(({ properties = {} }) => properties).filter((named) => Object.keys(named).length > 0)
    // A schema that names no fields takes any.
    if (objects.length === 0) return
    for (const [name, part] of Object.entries(object)) {
      const parts = objects.flatMap((properties) => (Object.hasOwn(properties, name) ? properties[name]! : []))
      if (parts.length > 0) visit(branches(parts), part, `${pointer}/${name}`, depth + 1)
      else if (!alsoKnown.includes(name) && found.length < UNKNOWNS_MAX)
        found.push({
          kind: 'field',
          pointer: `${pointer}/${name}`,
          word: name,
          meant: nearest(name, objects.flatMap(Object.keys)),
        })
    }
  }
  visit(branches(schemas as readonly Node[]), value, '', 0)
  return found
}

/** The schemas and all of their alternatives. */
const branches = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) => [node, ...branches([...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])])])

/** As a header may hold it. */
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
