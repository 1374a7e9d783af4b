/**
 * The messages for a statement whose text the server knows already: its values, its execution, and the end of the
 * transaction.
 */

const BIND = 0x42
const DESCRIBE = 0x44
const EXECUTE = 0x45
const SYNC = 0x53
const TEXT = 0
const BINARY = 1
/** The most bytes that UTF-8 takes for one of the units in which JavaScript counts text. */
const BYTES_A_CHARACTER = 3

const describePortal = Buffer.from([DESCRIBE, 0, 0, 0, 6, 0x50, 0])
const executeAll = Buffer.from([EXECUTE, 0, 0, 0, 9, 0, 0, 0, 0, 0])
const sync = Buffer.from([SYNC, 0, 0, 0, 4])

/** Messages are written in here first and then copied out at their length. Most are small, and all are short-lived. */
const SPACE_BYTES = 65_536
let space = Buffer.allocUnsafe(SPACE_BYTES)
let used = 0

function makeRoom(bytes: number): void {
  if (used + bytes <= space.length) return
  const larger = Buffer.allocUnsafe(2 * space.length + bytes)
  space.copy(larger, 0, 0, used)
  space = larger
}

function addInt16(value: number): void {
  space[used++] = value >>> 8
  space[used++] = value
}

function setInt32(at: number, value: number): void {
  space[at] = value >>> 24
  space[at + 1] = value >>> 16
  space[at + 2] = value >>> 8
  space[at + 3] = value
}

function add(bytes: Uint8Array): void {
  makeRoom(bytes.length)
  space.set(bytes, used)
  used += bytes.length
}

function addValue(value: unknown): number {
  makeRoom(4)
  const at = used
  used += 4
  if (value === null || value === undefined) {
    setInt32(at, -1)
    return TEXT
  }
  if (value instanceof Uint8Array) {
    add(value)
    setInt32(at, value.length)
    return BINARY
  }
  const text = typeof value === 'string' ? value : String(value)
  makeRoom(text.length * BYTES_A_CHARACTER)
  const length = space.write(text, used, 'utf8')
  setInt32(at, length)
  used += length
  return TEXT
}

export interface Bound {
  /** The name it is prepared under. Empty for the statement that was parsed last. */
  readonly name: string
  readonly values: readonly unknown[]
  /** Turns a value into what is written. */
  readonly written: (value: unknown) => unknown
  /** Whether to ask for the description of the rows as well. */
  readonly describes: boolean
  /** Whether nothing follows it in the same transaction. */
  readonly ends: boolean
}

/**
 * Binds and executes a statement, and ends its transaction, in one piece of memory. The driver makes a piece for each of
 * these messages, lets the first grow several times for a document, and hands them to the system as a list.
 */
export function boundMessage({ name, values, written, describes, ends }: Bound): Buffer {
  used = 5
  makeRoom(name.length * BYTES_A_CHARACTER + values.length * 2 + 16)
  space[0] = BIND
  space[used++] = 0
  used += space.write(name, used, 'utf8')
  space[used++] = 0
  addInt16(values.length)
  const formats = used
  used += values.length * 2
  addInt16(values.length)
  for (let i = 0; i < values.length; i++) {
    const format = addValue(written(values[i]))
    space[formats + 2 * i] = 0
    space[formats + 2 * i + 1] = format
  }
  makeRoom(4)
  addInt16(1)
  addInt16(TEXT)
  setInt32(1, used - 1)
  if (describes) add(describePortal)
  add(executeAll)
  if (ends) add(sync)
  return taken()
}

/**
 * What was written. A long message, such as one with a file in it, is given away without copying: its large space would
 * otherwise be kept for ever.
 */
function taken(): Buffer {
  const written = space.subarray(0, used)
  if (space.length === SPACE_BYTES) return Buffer.from(written)
  space = Buffer.allocUnsafe(SPACE_BYTES)
  return written
}
