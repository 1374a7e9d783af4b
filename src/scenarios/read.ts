import { type Document, isNode, LineCounter, parseDocument, visit } from 'yaml'
import { parseDuration } from '../kernel/clock.ts'
import { eventTypes } from '../kernel/event-types.ts'
import { didYouMean } from '../kernel/spelling.ts'
import type { Person } from './client.ts'
import { operations } from './operations.ts'
import { books, type Scenario, type Step, things } from './scenario.ts'
import { addsNoDuration, referencesOf, rootOf } from './variables.ts'

/** Thrown for a file that is no scenario. It names every place that is wrong, with line, column and what was expected there. */
export class ScenarioError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

type Path = readonly (string | number)[]
type Complain = (path: Path, sentence: string) => void
type Fields = Readonly<Record<string, unknown>>

const PROBLEMS_MAX = 20
const ALIASES_MAX = 100
const stepFields = [
  'step', 'says', 'as', 'call', 'path', 'query', 'headers', 'body', 'files', 'wait', 'wait_until', 'receiver', 'expect',
] // biome-ignore format: a list of words
const kinds = ['call', 'wait', 'wait_until', 'receiver'] as const
const expectationFields = ['status', 'answer', ...Object.keys(things), 'events', 'money', 'mail', 'received']

/** Reads a scenario. `file` is its path as people are told it, and its file name is the name of the scenario. */
export function readScenario(text: string, file: string): Scenario {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const problems: string[] = []
  const placeOf = (path: Path) => {
    const { line, col } = lines.linePos(offsetOf(document, path))
    return `${file}:${line}:${col}`
  }
  const complainAt = (offset: number, sentence: string) => {
    const { line, col } = lines.linePos(offset)
    problems.push(`${file}:${line}:${col}: ${sentence}`)
  }
  for (const { pos, message } of document.errors) complainAt(pos[0], message)
  visit(document, {
    Alias(_, alias, path) {
      const meant = alias.resolve(document)
      if (meant && !path.includes(meant)) return
      complainAt(alias.range?.[0] ?? 0, `expected &${alias.source} before *${alias.source}, and not around it.`)
    },
  })
  if (problems.length > 0) throw new ScenarioError(problems)
  const complain: Complain = (path, sentence) => {
    if (problems.length < PROBLEMS_MAX) problems.push(`${placeOf(path)}: ${sentence}`)
  }
  const name = file.replace(/^.*[\\/]/, '').replace(/\.ya?ml$/, '')
  const scenario = check(readValue(document, placeOf([])), complain, (path) => placeOf(path))
  if (problems.length > 0) throw new ScenarioError(problems)
  return { name, ...scenario }
}

/** What the document says. When its aliases would make it many times as large, it is refused before they do. */
function readValue(document: Document, place: string): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX })
  } catch (error) {
    // The library throws this error only for aliases, and every alias here leads somewhere, so there are too many.
    if (!(error instanceof ReferenceError)) throw error
    throw new ScenarioError([
      `${place}: expected every & to be repeated at most ${ALIASES_MAX} times, those inside others counted, found more.`,
    ])
  }
}

/** Where a value begins in the text; where it is missing, the thing that should have it. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))

function check(given: unknown, complain: Complain, placeOf: (path: Path) => string): Omit<Scenario, 'name'> {
  const scenario = isFields(given) ? given : {}
  if (!isFields(given)) complain([], `expected title, about, people and steps, found ${shown(given)}.`)
  only(scenario, ['title', 'about', 'people', 'steps'], [], complain)
  const text = (field: string) => {
    const value = scenario[field]
    if (typeof value !== 'string') complain([field], `expected a text as ${field}, found ${shown(value)}.`)
    return String(value).trim()
  }
  const people = checkPeople(scenario['people'], complain)
  const steps = scenario['steps']
  if (!Array.isArray(steps) || steps.length === 0)
    complain(['steps'], `expected a list of steps, found ${shown(steps)}.`)
  const earlier = new Set(['now', 'today', 'receiver'])
  const read = (Array.isArray(steps) ? steps : []).map((step: unknown, i) => {
    const path: Path = ['steps', i]
    const result = checkStep(step, { path, people, earlier, complain })
    if (typeof result.step === 'string') earlier.add(result.step)
    return { ...result, at: placeOf(path) }
  })
  return { title: text('title'), about: text('about'), people, steps: read }
}

function only(fields: Fields, known: readonly string[], path: Path, complain: Complain): void {
  for (const key of Object.keys(fields))
    if (!known.includes(key))
      complain([...path, key], `expected one of ${known.join(', ')}, found ${key}.${didYouMean(key, known)}`)
}

function checkPeople(given: unknown, complain: Complain): Record<string, Person> {
  if (!isFields(given) || Object.keys(given).length === 0) {
    complain(['people'], `expected people by name, such as "seller: sandbox-merchant", found ${shown(given)}.`)
    return {}
  }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value === 'string') return [name, { client_id: value }]
      const person = isFields(value) ? value : {}
      const texts = [person['client_id'], person['client_secret'] ?? '', person['for'] ?? '']
      if (texts.some((text) => typeof text !== 'string'))
        complain(
          ['people', name],
          `expected a client id, or client_id, client_secret and for as texts, found ${shown(value)}.`,
        )
      only(person, ['client_id', 'client_secret', 'for'], ['people', name], complain)
      // The fields were checked just now.
      return [name, person as unknown as Person]
    }),
  )
}

interface StepPlace {
  readonly path: Path
  readonly people: Readonly<Record<string, Person>>
  /** The names that a reference may begin with. */
  readonly earlier: ReadonlySet<string>
  readonly complain: Complain
}

function checkStep(given: unknown, place: StepPlace): Omit<Step, 'at'> {
  const { path, complain, earlier } = place
  const step = isFields(given) ? given : {}
  only(step, stepFields, path, complain)
  const name = step['step']
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name))
    complain([...path, 'step'], `expected step, a name in small letters, digits and _, found ${shown(name)}.`)
  else if (earlier.has(name)) complain([...path, 'step'], `expected a name that no earlier step has, found ${name}.`)
  if (typeof step['says'] !== 'string')
    complain([...path, 'says'], `expected says, what happens in a sentence, found ${shown(step['says'])}.`)
  checkKind(step, place)
  checkReferences(step, place)
  checkExpectation(step['expect'] ?? {}, [...path, 'expect'], complain)
  // Every field was checked above.
  return { ...(step as unknown as Step), expect: (step['expect'] ?? {}) as Step['expect'] }
}

/** A step does one thing: it calls an operation, waits, or tells the receiver how to answer. */
function checkKind(step: Fields, place: StepPlace): void {
  const { path, complain } = place
  const [kind, ...others] = kinds.filter((one) => step[one] !== undefined)
  if (kind === undefined || others.length > 0) {
    const found = kind === undefined ? 'none' : [kind, ...others].join(' and ')
    complain(path, `expected one of ${kinds.join(', ')} in a step, found ${found}.`)
  }
  if (kind === 'call') checkCall(step, place)
  if (kind === 'wait' && (typeof step['wait'] !== 'string' || !parseDuration(step['wait'])))
    complain([...path, 'wait'], `expected an ISO 8601 duration such as P20D, found ${shown(step['wait'])}.`)
  if (kind === 'receiver') {
    const answers = isFields(step['receiver']) ? step['receiver']['answers'] : undefined
    if (!Number.isInteger(answers) || Number(answers) < 200 || Number(answers) > 599)
      complain([...path, 'receiver'], `expected answers, an HTTP status, found ${shown(step['receiver'])}.`)
  }
}

const partsWithReferences = ['path', 'query', 'headers', 'body', 'wait_until', 'expect', 'files']

function checkReferences(step: Fields, { path, earlier, complain }: StepPlace): void {
  for (const part of partsWithReferences)
    for (const reference of referencesOf(step[part])) {
      const root = rootOf(reference)
      const found = `found \${${reference}}.`
      if (!earlier.has(root))
        complain([...path, part], `expected an earlier step behind $, ${found}${didYouMean(root, earlier)}`)
      else if (addsNoDuration(reference))
        complain([...path, part], `expected an ISO 8601 duration such as P20D behind the plus, ${found}`)
    }
}

function checkCall(step: Fields, { path, people, complain }: StepPlace): void {
  const { call, as } = step
  const operation = operations().get(String(call))
  if (!operation) {
    complain(
      [...path, 'call'],
      `expected the name of an operation, found ${shown(call)}.${didYouMean(String(call), operations().keys())}`,
    )
    return
  }
  if (as !== undefined && !Object.hasOwn(people, String(as)))
    complain([...path, 'as'], `expected one of ${Object.keys(people).join(', ')}, found ${shown(as)}.`)
  const given = isFields(step['path']) ? step['path'] : {}
  only(given, operation.parameters, [...path, 'path'], complain)
  for (const parameter of operation.parameters)
    if (given[parameter] === undefined)
      complain([...path, 'path'], `expected path.${parameter}, which ${String(call)} needs, found nothing.`)
  const files = step['files'] ?? []
  if (!Array.isArray(files)) complain([...path, 'files'], `expected a list of files, found ${shown(files)}.`)
  for (const [i, file] of (Array.isArray(files) ? files : []).entries()) {
    const { name, type, content } = isFields(file) ? file : {}
    if ([name, type, content].some((value) => typeof value !== 'string'))
      complain([...path, 'files', i], `expected name, type and content as texts, found ${shown(file)}.`)
    else only(file as Fields, ['name', 'type', 'content', 'part'], [...path, 'files', i], complain)
  }
}

function checkExpectation(expected: unknown, path: Path, complain: Complain): void {
  if (!isFields(expected)) complain(path, `expected what must be true then, found ${shown(expected)}.`)
  const given = isFields(expected) ? expected : {}
  only(given, expectationFields, path, complain)
  const { events, money, received, mail, status } = given
  if (status !== undefined && !Number.isInteger(status))
    complain([...path, 'status'], `expected an HTTP status, found ${shown(status)}.`)
  for (const name of Array.isArray(events) ? events : []) checkEvent(name, [...path, 'events'], complain)
  for (const name of isFields(received) ? Object.keys(received) : [])
    checkEvent(name, [...path, 'received', name], complain)
  for (const [field, value, isList] of [
    ['events', events, true],
    ['mail', mail, true],
    ['money', money, false],
    ['received', received, false],
  ] as const)
    if (value !== undefined && value !== 'none' && (isList ? !Array.isArray(value) : !isFields(value)))
      complain([...path, field], `expected ${isList ? 'a list' : 'fields'} or none, found ${shown(value)}.`)
  if (isFields(money)) only(money, books, [...path, 'money'], complain)
}

function checkEvent(name: unknown, path: Path, complain: Complain): void {
  const known = Object.keys(eventTypes)
  if (known.includes(String(name))) return
  complain(path, `expected the name of an event, found ${shown(name)}.${didYouMean(String(name), known)}`)
}
