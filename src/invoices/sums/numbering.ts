import { INVOICE_NUMBER_MAX } from '../schema/given.ts'

const FIRST = '0001'

/**
 * The number after `last`: its last run of digits counts up and keeps its width, the rest stays. Length is counted in
 * characters.
 */
export function nextNumber(last: string | undefined): string {
  if (last === undefined) return FIRST
  const run = /\d+(?=\D*$)/.exec(last)
  if (!run) return `${[...last].slice(0, INVOICE_NUMBER_MAX - 2).join('')}-1`
  const [digits] = run
  const counted = (BigInt(digits) + 1n).toString().padStart(digits.length, '0')
  const next = last.slice(0, run.index) + counted + last.slice(run.index + digits.length)
  return [...next].length <= INVOICE_NUMBER_MAX ? next : FIRST
}

/** The next `count` numbers after `last`, in order. */
export function nextNumbers(last: string | undefined, count: number): string[] {
  const numbers: string[] = []
  while (numbers.length < count) numbers.push(nextNumber(numbers.at(-1) ?? last))
  return numbers
}

/** Numbers that differ only in upper and lower case are the same number. */
export const numberKey = (number: string): string => number.normalize('NFC').toLowerCase()
