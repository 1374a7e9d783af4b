/** The letters that every identifier may have at the place of the mark. */
const CELL = /^[A-HJ-NP-Z]$/
export const isCell = (text: string): boolean => CELL.test(text)

/**
 * Where what outsiders hold says which cell it was made in: so many characters come before the mark. A balancer reads it
 * there. What is not in the table is found through something that is.
 */
export const markPlaces = {
  account: 0,
  client: 'A'.length,
  token: 0,
  accessToken: 'A21AA'.length,
  invoice: 'INV2-'.length,
  template: 'TEMP-'.length,
  transaction: 0,
  order: 0,
  attempt: 0,
  dispute: 'PP-R-'.length,
  document: 0,
  webhook: 0,
  lookup: 0,
  event: 'WH-'.length,
  certificate: 'CERT-'.length,
} as const satisfies Record<string, number>

export type MarkedKind = keyof typeof markPlaces

/** The identifier with the mark of its cell; without a cell as it is. */
export function marked(kind: MarkedKind, id: string, cell: string | undefined): string {
  if (cell === undefined) return id
  const place = markPlaces[kind]
  return id.slice(0, place) + cell + id.slice(place + 1)
}

export const markOf = (kind: MarkedKind, id: string): string => id.charAt(markPlaces[kind])
