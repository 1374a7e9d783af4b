import { createHash, randomFillSync } from 'node:crypto'
import { actorOf, type Cause } from './cause.ts'
import { beforeMark, type MarkedKind, marked } from './cell.ts'

const upper = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const digits = '0123456789'
const hex = '0123456789abcdef'
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Draws `length` characters from an alphabet. Random in production, counting in tests. */
export type Draw = (alphabet: string, length: number) => string

/** The form of every identifier, one line for each kind, so that each line says what it names. */
const forms = {
  account: (draw: Draw) => draw(readable, 13),
  app: (draw: Draw) => `APP-${draw(upper, 17)}`,
  client: (draw: Draw) => `A${draw(base64url, 79)}`,
  secret: (draw: Draw) => `E${draw(base64url, 79)}`,
  token: (draw: Draw) => draw(upper, 20),
  nonce: (draw: Draw) => draw(base64url, 43),
  debug: (draw: Draw) => draw(hex, 13),
  request: (draw: Draw) => uuid(draw),
  event: (draw: Draw) => `WH-${draw(upper, 17)}-${draw(upper, 17)}`,
  webhook: (draw: Draw) => draw(upper, 17),
  lookup: (draw: Draw) => draw(upper, 17),
  invoice: (draw: Draw) => `INV2-${draw(readable, 4)}-${draw(readable, 4)}-${draw(readable, 4)}-${draw(readable, 4)}`,
  item: (draw: Draw) => `ITEM-${draw(upper, 17)}`,
  tax: (draw: Draw) => `TAX-${draw(upper, 17)}`,
  template: (draw: Draw) => `TEMP-${draw(upper, 17)}`,
  record: (draw: Draw) => `EXTR-${draw(upper, 17)}`,
  transaction: (draw: Draw) => draw(upper, 17),
  order: (draw: Draw) => draw(upper, 17),
  posting: (draw: Draw) => draw(upper, 20),
  attempt: (draw: Draw) => draw(upper, 26),
  dispute: (draw: Draw) => `PP-R-${draw(letters, 3)}-${draw(digits, 8)}`,
  document: (draw: Draw) => draw(upper, 26),
  mail: (draw: Draw) => draw(upper, 20),
  person: (draw: Draw) => `PER-${draw(upper, 17)}`,
} as const satisfies Record<string, (draw: Draw) => string>

export type IdKind = keyof typeof forms

/** Where every new identifier comes from. */
export interface Ids {
  next(kind: IdKind): string
}

export const makeIds = (draw: Draw): Ids => ({ next: (kind) => forms[kind](draw) })

const isMarked = (kind: IdKind): kind is IdKind & MarkedKind => Object.hasOwn(beforeMark, kind)

/** The same identifiers with the mark of a cell. Without a cell they stay as they are. */
export const idsIn = (cell: string | undefined, ids: Ids): Ids =>
  cell === undefined ? ids : { next: (kind) => (isMarked(kind) ? marked(kind, ids.next(kind), cell) : ids.next(kind)) }

/**
 * Unpredictable identifiers. Bytes past the last whole multiple of the alphabet are thrown away, so that all characters are
 * equally likely.
 */
export const randomIds: Ids = makeIds((alphabet, length) => drawn(alphabet, length, nextByte))

function drawn(alphabet: string, length: number, nextByte: () => number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    const byte = nextByte()
    if (byte < limit) text += alphabet[byte % alphabet.length]
  }
  return text
}

/** Where units of work get their identifiers. Called each time one is begun. */
export type IdsOf = (cause: Cause) => () => Ids

/**
 * Identifiers that repeat: with the same seed, the first, second and third work of a kind by somebody always get the same
 * ones, whatever happens in between. Anybody can tell them in advance, so they are only for a sandbox.
 */
export function seededIds(seed: number, cell?: string): { readonly ids: Ids; readonly idsOf: IdsOf } {
  const counts = new Map<string, number>()
  return {
    ids: drawnFrom(`${seed} answers`),
    idsOf(cause) {
      const kind = `${actorOf(cause)} ${cause.kind === 'request' ? cause.operation : ''}`
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return () => idsIn(cell, drawnFrom(`${seed} ${kind} ${count}`))
    },
  }
}

/** The seed of a fork lies beyond all seeds that can be set. The copied data already uses what follows from the seed itself. */
export const seedOfFork = (seed: number | undefined, number: number): number | undefined =>
  seed === undefined ? undefined : seed + number * 2 ** 31

/** An endless row of bytes that follows from a name. */
function drawnFrom(name: string): Ids {
  let bytes = Buffer.alloc(0)
  let used = 0
  let blocks = 0
  const next = () => {
    if (used === bytes.length) {
      bytes = createHash('sha512').update(`${name} ${++blocks}`).digest()
      used = 0
    }
    return bytes[used++]!
  }
  return makeIds((alphabet, length) => drawn(alphabet, length, next))
}

/** Identifiers that count up, so that a test can be read and repeated. They are as long as real ones. */
export function countingIds(): Ids {
  let count = 0
  return makeIds((alphabet, length) => {
    let rest = ++count
    let text = ''
    while (text.length < length) {
      text = alphabet[rest % alphabet.length] + text
      rest = Math.floor(rest / alphabet.length)
    }
    return text
  })
}

function uuid(draw: Draw): string {
  const variant = draw('89ab', 1)
  return `${draw(hex, 8)}-${draw(hex, 4)}-4${draw(hex, 3)}-${variant}${draw(hex, 3)}-${draw(hex, 12)}`
}

// Random bytes are taken from the system in blocks: a call for every character would cost more than the identifier.
const block = Buffer.alloc(4096)
let used = block.length

function nextByte(): number {
  if (used === block.length) {
    randomFillSync(block)
    used = 0
  }
  return block[used++]!
}
