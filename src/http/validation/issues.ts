import type { ErrorObject } from 'ajv/dist/2019.js'
import type { Issue } from '../../kernel/problem.ts'
import { describeViolation, joinWords } from './words.ts'

export type Place = 'body' | 'path' | 'query'

/** A caller has no use for more issues at once; the rest shows when these are mended. */
const maxIssues = 50

/** At most this many errors of a body are looked at. */
const maxErrors = 5_000

/** A violation and its place, before it gets its code and description. */
interface Violation {
  readonly error: ErrorObject
  readonly path: string
  /** Set if several alternatives failed and one sentence stands for all of them. */
  readonly folded?: { readonly code: string; readonly description: string }
}

/** Turns what the schema checker found into issues in document order, one for each field and code. */
export function issuesOf(errors: readonly ErrorObject[], value: unknown, place: Place): Issue[] {
  const violations = withoutEchoes(foldAlternatives(errors.slice(0, maxErrors)))
  const placeOf = placesIn(value)
  const ordered = violations
    .map((violation) => ({ violation, at: placeOf(violation.error.instancePath) }))
    .sort((a, b) => inOrder(a.at, b.at))

  const issues = new Map<string, Issue>()
  for (const { violation } of ordered) {
    const issue = toIssue(violation, place)
    const key = `${issue.issue} ${issue.field}`
    if (!issues.has(key)) issues.set(key, issue)
    if (issues.size === maxIssues) break
  }
  return [...issues.values()]
}

/** Adds what else is wrong with those parts of a body in which its schema found nothing. In the order of the document. */
export function withOthers(
  value: unknown,
  issues: readonly Issue[],
  alsoWrong: ((sound: object) => readonly Issue[]) | undefined,
): readonly Issue[] {
  // When the list of issues is full, parts of the body were not looked at, and may not be sound.
  if (!alsoWrong || issues.length >= maxIssues) return issues
  const fields = issues.map(({ field = '/' }) => field)
  const sound = soundPart(value, fields)
  if (sound === undefined) return issues
  const isTold = ({ field = '' }: Issue) => fields.some((told) => `${field}/`.startsWith(`${told}/`))
  const all = [...issues, ...alsoWrong(sound).filter((issue) => !isTold(issue))]
  const placeOf = placesIn(value)
  return all
    .map((issue) => ({ issue, at: placeOf(issue.field ?? '') }))
    .sort((a, b) => inOrder(a.at, b.at))
    .slice(0, maxIssues)
    .map(({ issue }) => issue)
}

/** A copy without the values that these pointers lead to. Undefined if nothing is left. */
function soundPart(value: unknown, pointers: readonly string[]): object | undefined {
  if (typeof value !== 'object' || value === null || pointers.includes('/')) return undefined
  const copy = structuredClone(value)
  for (const pointer of pointers) {
    const path = pointer.slice(1).split('/').map(unescapePointer)
    const last = path.pop()!
    const parent = path.reduce<unknown>(childOf, copy)
    if (typeof parent === 'object' && parent !== null) (parent as Record<string, unknown>)[last] = undefined
  }
  return copy
}

const childOf = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[name] : undefined

/** Where a value stands in a document: on each level, how many come before it. */
type At = readonly number[]

/**
 * Tells where the value stands that a pointer leads to; if there is none, where the nearest one around it stands. Only the way of
 * a pointer is gone. Pointers of all values would be as long as their names together, and so long ones take the engine for ever
 * to tell apart.
 */
function placesIn(document: unknown): (pointer: string) => At {
  const orders = new Map<object, ReadonlyMap<string, number>>()
  function orderIn(node: object): ReadonlyMap<string, number> {
    const order = orders.get(node) ?? new Map(Object.keys(node).map((name, i) => [name, i]))
    orders.set(node, order)
    return order
  }
  return (pointer) => {
    const at: number[] = []
    let node = document
    for (const name of pointer.split('/').slice(1).map(unescapePointer)) {
      if (typeof node !== 'object' || node === null) break
      const place = orderIn(node).get(name)
      if (place === undefined) break
      at.push(place)
      node = childOf(node, name)
    }
    return at
  }
}

/** What holds others comes before them. */
function inOrder(a: At, b: At): number {
  const level = a.findIndex((place, i) => place !== b[i])
  if (level < 0) return a.length - b.length
  return level < b.length ? a[level]! - b[level]! : 1
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * The checker reports the errors of every alternative and then that none fits. Its errors come in this order, each
 * alternative's right before the summary, so one pass with a stack sees which belong together.
 */
function foldAlternatives(errors: readonly ErrorObject[]): Violation[] {
  const stack: Violation[] = []
  for (const error of errors) {
    if (error.keyword === 'if') continue
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      stack.push({ error, path: pathOf(error) })
      continue
    }
    const inner: Violation[] = []
    while (stack.length > 0 && belongs(stack.at(-1)!.error, error)) inner.push(stack.pop()!)
    for (const violation of fold(error, inner.reverse())) stack.push(violation)
  }
  return stack
}

const belongs = (inner: ErrorObject, summary: ErrorObject): boolean =>
  inner.schemaPath.startsWith(`${summary.schemaPath}/`) && inner.instancePath.startsWith(summary.instancePath)

function fold(summary: ErrorObject, inner: readonly Violation[]): readonly Violation[] {
  const path = summary.instancePath
  const as = (code: string, description: string): Violation[] => [
    { error: summary, path, folded: { code: overrideOf(summary) ?? code, description } },
  ]

  const alternatives = summary.schema as readonly Record<string, unknown>[]
  const allowed = alternatives.flatMap((one) => ('const' in one ? [one['const']] : ((one['enum'] as unknown[]) ?? [])))
  if (alternatives.every((one) => 'const' in one || 'enum' in one)) {
    return as('INVALID_PARAMETER_VALUE', `Must be ${joinWords(allowed)}.`)
  }

  const branches = new Map<string | undefined, Violation[]>()
  for (const violation of inner) {
    const branch = violation.error.schemaPath.slice(summary.schemaPath.length + 1).split('/', 1)[0]
    branches
      .set(branch, branches.get(branch) ?? [])
      .get(branch)!
      .push(violation)
  }
  const fitting = [...branches.values()].filter((branch) => branch.every(({ error }) => !decidesAgainst(error, path)))
  if (fitting.length === 1 && overrideOf(summary) === undefined) return fitting[0]!

  const missing = inner.filter(({ error }) => error.keyword === 'required' && error.instancePath === path)
  if (inner.length > 0 && missing.length === inner.length) {
    const names = missing.map(({ error }) => error.params['missingProperty'] as string)
    const description = `Send one of these fields: ${joinWords(names)}.`
    return [
      { error: missing[0]!.error, path: missing[0]!.path, folded: { code: 'MISSING_REQUIRED_PARAMETER', description } },
    ]
  }
  return as('INVALID_PARAMETER_SYNTAX', 'Has none of the forms that are accepted here, or more than one of them.')
}

/** Whether the error shows that this alternative was not meant: another type, or another value of a deciding field. */
function decidesAgainst(error: ErrorObject, path: string): boolean {
  if (error.keyword === 'type') return error.instancePath === path
  if (error.keyword !== 'const' && error.keyword !== 'enum') return false
  return !error.instancePath.slice(path.length + 1).includes('/')
}

/** Of several violations of one value, only the first in this order is worth telling: type, then length, then form. */
function withoutEchoes(violations: readonly Violation[]): Violation[] {
  const wrongType = new Set<string>()
  const wrongLength = new Set<string>()
  for (const { error } of violations) {
    if (error.keyword === 'type') wrongType.add(error.instancePath)
    if (error.keyword === 'maxLength' || error.keyword === 'minLength') wrongLength.add(error.instancePath)
  }
  return violations.filter(({ error: { keyword, instancePath } }) => {
    if (keyword !== 'type' && wrongType.has(instancePath)) return false
    return (keyword !== 'pattern' && keyword !== 'format') || !wrongLength.has(instancePath)
  })
}

/** The path of a missing field is where it should have been. */
function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  const missing: unknown =
    keyword === 'required' || keyword === 'dependentRequired' ? params['missingProperty'] : undefined
  return typeof missing === 'string' ? `${instancePath}/${escapePointer(missing)}` : instancePath
}

const overrideOf = ({ parentSchema }: ErrorObject): string | undefined => {
  const code: unknown = parentSchema?.['issue']
  return typeof code === 'string' ? code : undefined
}

function toIssue({ error, path, folded }: Violation, place: Place): Issue {
  const value = shown(path === error.instancePath ? error.data : undefined)
  return {
    issue: folded?.code ?? codeOf(error),
    description: folded?.description ?? describeViolation(error),
    field: place === 'body' ? path || '/' : path.slice(1),
    ...(value !== undefined && { value }),
    location: place,
  }
}

// biome-ignore format: a table reads best as a table
const codes: Readonly<Record<string, string>> = {
  required:          'MISSING_REQUIRED_PARAMETER',
  dependentRequired: 'MISSING_REQUIRED_PARAMETER',
  minProperties:     'MISSING_REQUIRED_PARAMETER',
  minLength:         'INVALID_STRING_LENGTH',
  pattern:           'INVALID_PARAMETER_SYNTAX',
  format:            'INVALID_PARAMETER_SYNTAX',
  type:              'INVALID_PARAMETER_SYNTAX',
  maxItems:          'INVALID_ARRAY_MAX_ITEMS',
  minItems:          'INVALID_ARRAY_MIN_ITEMS',
  minimum:           'INVALID_INTEGER_MIN_VALUE',
  exclusiveMinimum:  'INVALID_INTEGER_MIN_VALUE',
  maximum:           'INVALID_INTEGER_MAX_VALUE',
  exclusiveMaximum:  'INVALID_INTEGER_MAX_VALUE',
}

function codeOf(error: ErrorObject): string {
  const { keyword, parentSchema } = error
  if (keyword === 'required' || keyword === 'dependentRequired') return 'MISSING_REQUIRED_PARAMETER'
  const override = overrideOf(error)
  if (override !== undefined) return override
  if (keyword === 'maxLength') {
    return Number(parentSchema?.['minLength'] ?? 0) > 0 ? 'INVALID_STRING_LENGTH' : 'INVALID_STRING_MAX_LENGTH'
  }
  return codes[keyword] ?? 'INVALID_PARAMETER_VALUE'
}

const maxShown = 100

/** A scalar as text that is short enough to print; never an object. */
function shown(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (typeof value !== 'string') return undefined
  if (value.length <= maxShown) return value
  // Cut between characters, not between the halves of one.
  return `${value.slice(0, maxShown - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
