import { readFileSync } from 'node:fs'
import { nearest } from './kernel/spelling.ts'

export type Environment = 'sandbox' | 'live'

/** One setting: how it is written, what it is when nobody sets it, and what it is for. */
export interface Setting<Value> {
  /** The environment variable; the flag is the same in lower case with dashes. */
  readonly variable: string
  readonly initial: Value | ((environment: Environment) => Value)
  /** How `initial` reads in the documentation when it is not a constant. */
  readonly initialText?: string
  /** Reads the text of a variable or flag; undefined when it is not acceptable. */
  read(text: string): Value | undefined
  /** Nobody else may read it, so it may stand in a file, which the variable with `_FILE` behind its name names. */
  readonly confidential?: true
  /** Whether a value that reads well must not be used in an environment. */
  unfit?(value: Value, environment: Environment): boolean
  readonly form: string
  readonly description: string
}

export const text = (pattern = /^.+$/) => ({
  form: 'text',
  read: (value: string) => (pattern.test(value) ? value : undefined),
})
export const flag = {
  form: '`true` or `false`',
  read: (value: string) => (value === 'true' ? true : value === 'false' ? false : undefined),
}
/** On where the credentials are public anyway, off where they are not. */
export const inSandbox = {
  ...flag,
  initial: (environment: Environment) => environment === 'sandbox',
  initialText: '`true` in the sandbox, `false` in live',
}
/** A default that depends on the environment. */
export const perEnvironment = <Value extends number>(sandbox: Value, live: Value) => ({
  initial: (environment: Environment): number => (environment === 'sandbox' ? sandbox : live),
  initialText: `${sandbox} in the sandbox, ${live} in live`,
})
export const whole = (min: number, max: number) => ({
  form: `${min} to ${max}`,
  read: (value: string) => (/^\d{1,10}$/.test(value) && +value >= min && +value <= max ? +value : undefined),
})
export const oneOf = <const Values extends readonly string[]>(values: Values) => ({
  form: values.map((value) => `\`${value}\``).join(' or '),
  read: (value: string) => values.find((known): known is Values[number] => known === value),
})
/** Paths are put behind it. */
export const url = {
  form: 'an http or https address without user, query and fragment',
  read: (value: string) =>
    URL.canParse(value) && /^https?:[^?#@]+$/.test(value) ? value.replace(/\/+$/, '') : undefined,
}

export const databaseAddress = {
  form: 'an address such as `postgres://user:password@host:5432/database`',
  read: (value: string): string | undefined => (/^(postgres(ql)?:\/\/|socket:)./.test(value) ? value : undefined),
}

export const setting = <Value>(definition: Setting<Value>) => definition

/** Settings by the name that the source calls them. */
type SettingTable = Readonly<Record<string, Setting<unknown>>>

/** What is read by a table of settings. */
export type SettingsOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer Value> ? Value : never
}

/** A setting that cannot be used as it is written; the message says how it must be. */
export class SettingError extends Error {}

export type Written = Readonly<Record<string, string | undefined>>

/** What a setting is when nobody sets it, as documents write it. */
export const defaultOf = ({ initial, initialText }: Pick<Setting<unknown>, 'initial' | 'initialText'>): string =>
  initialText ?? (initial === undefined ? 'none' : `\`${String(initial)}\``)

export const flagOf = (variable: string) =>
  variable
    .toLowerCase()
    .replace(/^quittance_/, '')
    .replaceAll('_', '-')

/** The variable that names the file in which a setting stands. */
export const fileVariable = (variable: string) => `${variable}_FILE`

/** What stands in the file that a variable names, without the line end that editors leave. */
function readFrom(variable: string, variables: Written): string | undefined {
  const named = fileVariable(variable)
  const path = variables[named]
  if (!path) return undefined
  if (variables[variable]) throw new SettingError(`${variable} and ${named} are both set: set one of them.`)
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new SettingError(`${named} names a file that cannot be read: ${(error as Error).message}.`)
  }
  if (text.trim() === '') throw new SettingError(`${named} names a file with nothing in it: ${path}.`)
  return text
}

/** What a flag says, or else a variable or the file that one names, or else the default. What is written empty is not written. */
function readOne<Value>(
  { variable, initial, read, unfit, form, confidential }: Setting<Value>,
  { variables, flags }: { variables: Written; flags: Readonly<Record<string, unknown>> },
  environment: Environment,
): Value {
  const flagged = flags[flagOf(variable)]
  const stated = () => (confidential && readFrom(variable, variables)) || variables[variable]
  const written = flagged === undefined ? stated() : String(flagged)
  if (written === undefined || written === '')
    return typeof initial === 'function' ? (initial as (environment: Environment) => Value)(environment) : initial
  const value = read(written)
  if (value === undefined || unfit?.(value, environment)) throw new SettingError(`${variable} must be ${form}.`)
  return value
}

/** Reads every setting of a table, the environment among them, since the defaults of others depend on it. */
export function readAll<Table extends SettingTable & { environment: Setting<Environment> }>(
  table: Table,
  variables: Written,
  flags: Readonly<Record<string, unknown>>,
): SettingsOf<Table> {
  const environment = readOne(table.environment, { variables, flags }, 'sandbox')
  const values = Object.entries(table).map(([name, definition]) => [
    name,
    readOne(definition as Setting<unknown>, { variables, flags }, environment),
  ])
  // Each value was read by the definition of the same name.
  return Object.fromEntries(values) as SettingsOf<Table>
}

/** Names of an environment that are meant for us; most are not. */
const looksLikeOurs = (name: string) => name.startsWith('QUITTANCE_')

/** Variables that look like settings of ours and are none, each with a sentence that says so. */
export function unknownIn(table: SettingTable, variables: Written, isOurs = looksLikeOurs): string[] {
  const known = Object.values(table).flatMap(({ variable, confidential }) =>
    confidential ? [variable, fileVariable(variable)] : [variable],
  )
  return Object.keys(variables)
    .filter((name) => isOurs(name) && !known.includes(name))
    .map((name) => {
      const plain = known.find((variable) => flagOf(variable) === flagOf(name)) ?? nearest(name, known)
      return `${name} is not a setting and has no effect.${plain === undefined ? '' : ` Did you mean ${plain}?`}`
    })
}
