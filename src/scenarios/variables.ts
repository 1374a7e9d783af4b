import { addDuration, dayIn, type Instant, parseDuration } from '../kernel/clock.ts'

/** What a text of a scenario can refer to: answers of earlier steps, the time, and the receiver of the story. */
export interface Variables {
  readonly now: Instant
  readonly answers: Readonly<Record<string, unknown>>
}

/** Thrown for a reference that leads nowhere; the message says what there is. */
export class NoSuchValue extends Error {}

const reference = /\$\{\s*([^}]+?)\s*\}/g
const timeReference = /^(now|today)(?:\s*\+\s*(\S+))?$/

/** The names of everything that a value refers to, anywhere in it. */
export function referencesOf(value: unknown): string[] {
  if (typeof value === 'string') return [...value.matchAll(reference)].map(([, name]) => name!)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(referencesOf)
}

/** The step, or the word of ours, that a reference begins with. */
export const rootOf = (name: string): string => timeReference.exec(name)?.[1] ?? name.split('.')[0]!

/** Whether a reference adds something to the time that is no duration. */
export function addsNoDuration(name: string): boolean {
  const added = timeReference.exec(name)?.[2]
  return added !== undefined && parseDuration(added) === undefined
}

/** The value with every `${…}` replaced by what it refers to. */
export function expand(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return expandText(value, variables)
  if (Array.isArray(value)) return value.map((item) => expand(item, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item, variables)]))
}

function expandText(text: string, variables: Variables): unknown {
  const whole = /^\$\{\s*([^}]+?)\s*\}$/.exec(text)
  if (whole) return referredTo(whole[1]!, variables)
  return text.replace(reference, (_, name: string) => String(referredTo(name, variables)))
}

function referredTo(name: string, { now, answers }: Variables): unknown {
  const time = timeReference.exec(name)
  if (time) {
    const duration = time[2] === undefined ? undefined : parseDuration(time[2])
    const instant = duration ? addDuration(now, duration) : now
    // Days are those of the time zone of the seeded merchants.
    return time[1] === 'today' ? dayIn(instant, 'America/Los_Angeles') : instant
  }
  let value: unknown = answers
  let path = ''
  for (const key of name.split('.')) {
    const inside = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    if (!Object.hasOwn(inside, key))
      throw new NoSuchValue(
        `\${${name}} refers to nothing: ${path === '' ? 'the story' : path} has ${Object.keys(inside).join(', ') || 'no fields'}, and no ${key}.`,
      )
    value = inside[key]
    path = path === '' ? key : `${path}.${key}`
  }
  return value
}
