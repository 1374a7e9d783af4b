import { setting } from '../config.ts'
import { isCell } from '../kernel/cell.ts'

/** Says which of several databases this one is. */
export const cellSettings = {
  cell: setting<string | undefined>({
    variable: 'CELL',
    initial: undefined,
    initialText: 'none',
    form: 'one letter, A to Z without I and O',
    read: (value) => (isCell(value) ? value : undefined),
    description:
      'The mark of this database among several, each with accounts of its own. New ids, credentials and addresses carry it, so that a balancer knows where a call belongs: docs/scaling.md. The first start with it writes it into the database, and a start with another or without refuses.',
  }),
} as const
