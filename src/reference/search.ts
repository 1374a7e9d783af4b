import type { Catalogue, Schema } from './catalogue.ts'
import { everyRefusal } from './refusals.ts'

interface Entry {
  readonly name: string
  /** What stands behind the name. */
  readonly beside: string
  readonly about: string
  readonly href: string
}

interface Indexed extends Entry {
  /** In small letters: the name, and all that it is found by. */
  readonly key: string
  readonly text: string
}

export interface Found {
  readonly operations: readonly Entry[]
  readonly fields: readonly Entry[]
  readonly errors: readonly Entry[]
}

export type Search = (query: string) => Found

/** How many of a kind are shown. */
export const MOST = 12
const DEPTH_MAX = 8

/** Finds by operation, path, field and error: every word must be there, and names count before texts. */
export function makeSearch(catalogue: Catalogue): Search {
  const operations = [...catalogue.byId.values()].map(({ id, method, path, summary, description }) =>
    indexed({ name: id, beside: `${method} ${path}`, about: summary, href: `/docs/${id}` }, `${path} ${description}`),
  )
  const fields = fieldsIn(catalogue)
  const errors = everyRefusal().map(({ issue, status, when, mend, by }) =>
    indexed(
      { name: issue, beside: String(status), about: when, href: `/docs/errors#${issue}` },
      `${mend} ${by.join(' ')}`,
    ),
  )
  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return { operations: [], fields: [], errors: [] }
    const best = (entries: readonly Indexed[]) =>
      entries
        .map((entry) => ({ entry, rank: rankOf(entry, words) }))
        .filter(({ rank }) => rank > 0)
        .sort((a, b) => b.rank - a.rank || (a.entry.key < b.entry.key ? -1 : 1))
        .slice(0, MOST)
        .map(({ entry }) => entry)
    return { operations: best(operations), fields: best(fields), errors: best(errors) }
  }
}

const indexed = (entry: Entry, more: string): Indexed => ({
  ...entry,
  key: entry.name.toLowerCase(),
  text: `${entry.name} ${entry.beside} ${entry.about} ${more}`.toLowerCase(),
})

function rankOf({ key, text }: Indexed, words: readonly string[]): number {
  if (!words.every((word) => text.includes(word))) return 0
  return words.reduce(
    (rank, word) => rank + (key === word ? 8 : key.startsWith(word) ? 4 : key.includes(word) ? 3 : 1),
    0,
  )
}

/** Every field by its name, once for each meaning, with the operation that has it first. */
function fieldsIn({ byId, resolve }: Catalogue): Indexed[] {
  const found = new Map<string, Indexed>()
  const note = (name: string, about: string, operation: string, anchor: string) => {
    const key = `${name}\0${about}`
    if (!found.has(key))
      found.set(key, indexed({ name, beside: operation, about, href: `/docs/${operation}#${anchor}` }, ''))
  }
  const walk = (schema: Schema, operation: string, at: string, depth: number): void => {
    const full = resolve(schema)
    const of = full.items ? resolve(full.items) : full
    if (depth > DEPTH_MAX) return
    for (const [name, property] of Object.entries(of.properties ?? {})) {
      const { description = '' } = resolve(property)
      note(name, description, operation, `${at}-${name}`)
      walk(property, operation, `${at}-${name}`, depth + 1)
    }
  }
  for (const { id, parameters, body, answers } of byId.values()) {
    for (const { name, description = '', in: place } of parameters) note(name, description, id, `${place}-${name}`)
    if (body) walk(body.schema, id, 'body', 0)
    for (const { status, schema } of answers) if (schema) walk(schema, id, `answer-${status}`, 0)
  }
  return [...found.values()]
}
