import { createHash } from 'node:crypto'
import type { Account } from '../../accounts/schema.ts'
import type { Template } from './schema.ts'

const names = [
  ['Quantity', 'QUANTITY'],
  ['Hours', 'HOURS'],
  ['Amount', 'AMOUNT'],
] as const

/** The three templates every merchant has from the start. They are not stored: they follow from the account. */
export const systemTemplates = ({ id, currency_code }: Account): Template[] =>
  names.map(([name, unit_of_measure]) => ({
    id: systemTemplateId(id, name),
    name,
    template_info: { detail: { currency_code } },
    unit_of_measure,
  }))

function systemTemplateId(accountId: string, name: string): string {
  const digest = createHash('sha256').update(`${accountId}\u0000${name}`).digest('hex')
  return `TEMP-${BigInt(`0x${digest}`).toString(36).toUpperCase().slice(0, 17)}`
}
