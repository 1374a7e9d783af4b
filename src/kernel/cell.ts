const CELL = /^[A-HJ-NP-Z]$/

/** Whether it can be the mark of a cell: a letter that every identifier may have at the place of the mark. */
export const isCell = (text: string): boolean => CELL.test(text)

/**
 * What comes before the mark in the identifiers that outsiders hold, so that a balancer can read from them in which cell
 * they were made. A kind that is not in this table is found through one that is.
 */
export const beforeMark = {
  account: '',
  client: 'A',
  token: '',
  accessToken: 'A21AA',
  invoice: 'INV2-',
  template: 'TEMP-',
  transaction: '',
  order: '',
  attempt: '',
  dispute: 'PP-R-',
  document: '',
  webhook: '',
  lookup: '',
  event: 'WH-',
  certificate: 'CERT-',
} as const satisfies Record<string, string>

export type MarkedKind = keyof typeof beforeMark

/** The identifier with the mark of its cell. Without a cell it stays as it is. */
export function marked(kind: MarkedKind, id: string, cell: string | undefined): string {
  if (cell === undefined) return id
  const place = beforeMark[kind].length
  return id.slice(0, place) + cell + id.slice(place + 1)
}

export const markOf = (kind: MarkedKind, id: string): string => id.charAt(beforeMark[kind].length)
