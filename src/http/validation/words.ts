import type { ErrorObject } from 'ajv/dist/2019.js'
import { amountPattern } from '../../kernel/money.ts'

/** `a, b or c`, cut short where the list is long. */
export function joinWords(words: readonly unknown[]): string {
  const distinct = [...new Set(words.map((word) => String(word)))]
  const shown = distinct.slice(0, 40)
  if (distinct.length > shown.length)
    return `one of ${distinct.length} known values, such as ${shown.slice(0, 5).join(', ')}`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`
}

const formats: Readonly<Record<string, string>> = {
  date: 'Must be a date of the calendar, such as 2026-03-01.',
  'date-time': 'Must be a date and time with seconds and a zone, such as 2026-03-01T09:00:00Z.',
  email: 'Must be an e-mail address, such as buyer@example.com.',
  uri: 'Must be an absolute address, such as https://example.com/path.',
}

/** Patterns that people meet in forms, in words. */
const patterns: Readonly<Record<string, string>> = {
  [amountPattern]: 'Must be a number of digits and a decimal point, such as 1250.00.',
  '^.+@[^"\\-].+$': 'Must be an e-mail address, such as buyer@example.com.',
  '^([A-Z]{2}|C2)$': 'Must be a country as two capital letters, such as US.',
  '^[0-9]*$': 'Must be digits alone.',
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

const range = (
  schema: Readonly<Record<string, unknown>> | undefined,
  min: string,
  max: string,
  unit: string,
): string => {
  const least = Number(schema?.[min] ?? 0)
  const most = schema?.[max]
  if (least === most) return `Must have exactly ${least} ${unit}.`
  if (most === undefined) return `Must have at least ${least} ${unit}.`
  return least > 0 ? `Must have ${least} to ${most} ${unit}.` : `Must have at most ${most} ${unit}.`
}

/** A sentence that says what would be right. */
export function describeViolation({ keyword, params, parentSchema, data }: ErrorObject): string {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return `The field ${params['missingProperty']} is missing.`
    case 'maxLength':
    case 'minLength':
      return range(parentSchema, 'minLength', 'maxLength', 'characters')
    case 'maxItems':
    case 'minItems':
      return range(parentSchema, 'minItems', 'maxItems', 'items')
    case 'maxProperties':
    case 'minProperties':
      return range(parentSchema, 'minProperties', 'maxProperties', 'fields')
    case 'minimum':
      return `Must be ${limit} or more.`
    case 'exclusiveMinimum':
      return `Must be more than ${limit}.`
    case 'maximum':
      return `Must be ${limit} or less.`
    case 'exclusiveMaximum':
      return `Must be less than ${limit}.`
    case 'multipleOf':
      return `Must be a multiple of ${params['multipleOf']}.`
    case 'enum':
      return `Must be ${joinWords(params['allowedValues'])}.`
    case 'const':
      return `Must be ${params['allowedValue']}.`
    case 'type':
      return describeType(params['type'], data)
    case 'format':
      return formats[params['format']] ?? `Must be of the form ${params['format']}.`
    case 'pattern':
      return patterns[params['pattern']] ?? `Must match the pattern ${params['pattern']}`
    case 'uniqueItems':
      return 'Must not have the same item twice.'
    case 'additionalProperties':
      return `The field ${String(params['additionalProperty']).slice(0, 100)} is not known here.`
    default:
      return 'Is not accepted here.'
  }
}

function describeType(type: unknown, data: unknown): string {
  const wanted = [type].flat().map((one) => kinds[String(one)] ?? String(one))
  if (Array.isArray(data) && !wanted.includes('a list'))
    return `Must be one value and not a list: ${joinWords(wanted)}.`
  return `Must be ${joinWords(wanted)}.`
}
