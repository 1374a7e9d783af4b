import type { Account } from '../../accounts/schema.ts'
import { derivedCode } from '../schema/codes.ts'
import type { Template } from './schema.ts'

const names = [
  ['Quantity', 'QUANTITY'],
  ['Hours', 'HOURS'],
  ['Amount', 'AMOUNT'],
] as const

/** The three templates every merchant has from the start. They are not stored: they follow from the account. */
export const systemTemplates = ({ id, currency_code }: Account): Template[] =>
  names.map(([name, unit_of_measure]) => ({
    id: `TEMP-${derivedCode(`${id}\u0000${name}`)}`,
    name,
    template_info: { detail: { currency_code } },
    unit_of_measure,
  }))
