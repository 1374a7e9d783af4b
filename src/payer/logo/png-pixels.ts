import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { PNG_SIGNATURE, pngChunk } from '../../invoices/routes/png.ts'
import type { LogoImage } from './image.ts'

/** Samples of a pixel, and the depths a sample may have, by colour type. */
const kinds: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}
const GREY = 0
const COLOUR = 2
const PALETTE = 3
const COLOUR_ALPHA = 6

/** Where each pass over the picture begins and how it steps; one pass unless it is interlaced. */
const straight = [{ x: 0, y: 0, dx: 1, dy: 1 }]
const interlaced = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
]

interface Header {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly kind: number
  readonly passes: typeof straight
}

interface Parts extends Header {
  readonly palette: Uint8Array
  readonly transparency: Uint8Array | undefined
  readonly packed: Buffer
}

interface Limits {
  check(width: number, height: number): void
}

/**
 * A PNG in the plainest form there is: eight bits a sample, no interlacing, no colour that stands for nothing, and no
 * chunk but those of the picture. What is not a whole and proper PNG is refused, before it can take up room.
 */
export function plainPng(file: Buffer, limits: Limits): LogoImage {
  const parts = readParts(file, limits)
  const { width, height, depth, kind, transparency, passes, palette, packed } = parts
  const rows = unpacked(parts)
  const isPlain = depth === 8 && passes === straight && transparency === undefined
  const bytes = isPlain
    ? encoded(width, height, kind, packed, palette)
    : withPixels(width, height, pixelsOf(parts, rows))
  return { type: 'image/png', width, height, bytes }
}

function readParts(file: Buffer, limits: Limits): Parts {
  const first = readChunk(file, PNG_SIGNATURE.length)
  if (first.type !== 'IHDR') throw new Error('The PNG does not begin with its header.')
  const header = readHeader(first.data, limits)
  let palette: Uint8Array = new Uint8Array()
  let transparency: Uint8Array | undefined
  const packed: Buffer[] = []
  for (let at = first.next; ; ) {
    const { type, data, next } = readChunk(file, at)
    at = next
    if (type === 'PLTE') palette = data
    else if (type === 'tRNS') transparency = data
    else if (type === 'IDAT') packed.push(data)
    else if (type === 'IEND') break
    else if (!/^[a-z]/.test(type)) throw new Error(`The PNG has a part that nobody knows: ${type}.`)
  }
  if (header.kind === PALETTE && (palette.length === 0 || palette.length % 3 !== 0 || palette.length > 768))
    throw new Error('The PNG has no proper palette.')
  return { ...header, palette, transparency, packed: Buffer.concat(packed) }
}

function readChunk(file: Buffer, at: number): { type: string; data: Buffer; next: number } {
  if (at + 12 > file.length) throw new Error('The PNG breaks off.')
  const end = at + 8 + file.readUInt32BE(at)
  if (end + 4 > file.length) throw new Error('The PNG breaks off.')
  if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw new Error('The PNG is damaged.')
  return { type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end), next: end + 4 }
}

function readHeader(data: Buffer, limits: Limits): Header {
  if (data.length !== 13) throw new Error('The PNG has no proper header.')
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth, kind, compression, filter, interlace] = [...data.subarray(8)] as [
    number,
    number,
    number,
    number,
    number,
  ]
  limits.check(width, height)
  if (!kinds[kind]?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw new Error('The PNG is of a kind that does not exist.')
  return { width, height, depth, kind, passes: interlace === 1 ? interlaced : straight }
}

const bitsOf = ({ kind, depth }: Header) => kinds[kind]!.samples * depth

/** The size of each pass, without those that a small picture does not have. */
const passesOf = (header: Header) =>
  header.passes
    .map((pass) => {
      const columns = Math.ceil((header.width - pass.x) / pass.dx)
      const rows = Math.ceil((header.height - pass.y) / pass.dy)
      return { ...pass, columns, rows, stride: Math.ceil((columns * bitsOf(header)) / 8) }
    })
    .filter(({ columns, rows }) => columns > 0 && rows > 0)

/** The rows of the picture, each behind the byte that says how it was filtered: as many as there must be, no more. */
function unpacked(parts: Parts): Buffer {
  const passes = passesOf(parts)
  const length = passes.reduce((sum, { rows, stride }) => sum + rows * (stride + 1), 0)
  const rows = inflateSync(parts.packed, { maxOutputLength: length })
  if (rows.length !== length) throw new Error('The PNG breaks off.')
  let at = 0
  for (const pass of passes)
    for (let row = 0; row < pass.rows; row++, at += pass.stride + 1)
      if (rows[at]! > 4) throw new Error('The PNG is filtered in a way that does not exist.')
  return rows
}

/** Red, green, blue and opacity of every pixel. */
function pixelsOf(parts: Parts, data: Buffer): Buffer {
  const { width, height } = parts
  const pixels = Buffer.alloc(width * height * 4)
  const reach = Math.max(1, bitsOf(parts) >> 3)
  const paint = painter(parts, pixels)
  let at = 0
  for (const { x, y, dx, dy, columns, rows, stride } of passesOf(parts)) {
    let above: Buffer = Buffer.alloc(stride)
    for (let row = 0; row < rows; row++) {
      const line = data.subarray(at + 1, at + 1 + stride)
      unfilter(data[at]!, line, above, reach)
      for (let column = 0; column < columns; column++)
        paint(line, column, ((y + row * dy) * width + x + column * dx) * 4)
      above = line
      at += stride + 1
    }
  }
  return pixels
}

/** Undoes in place what the filter of a row did; `reach` is how far back the pixel before lies. */
function unfilter(filter: number, line: Buffer, above: Buffer, reach: number): void {
  if (filter === 0) return
  for (let i = 0; i < line.length; i++) {
    const left = i < reach ? 0 : line[i - reach]!
    const up = above[i]!
    const upLeft = i < reach ? 0 : above[i - reach]!
    const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : nearest(left, up, upLeft)
    // A byte keeps the remainder by itself.
    line[i] = line[i]! + guess
  }
}

function nearest(left: number, up: number, upLeft: number): number {
  const [toLeft, toUp, toUpLeft] = [Math.abs(up - upLeft), Math.abs(left - upLeft), Math.abs(left + up - 2 * upLeft)]
  if (toLeft <= toUp && toLeft <= toUpLeft) return left
  return toUp <= toUpLeft ? up : upLeft
}

/** Writes the pixel in a column of a row to its place. */
function painter({ kind, depth, palette, transparency }: Parts, pixels: Buffer) {
  const { samples } = kinds[kind]!
  const most = 2 ** depth - 1
  const sample = (line: Buffer, n: number) => {
    if (depth === 8) return line[n]!
    if (depth === 16) return line.readUInt16BE(2 * n)
    return (line[(n * depth) >> 3]! >> (8 - depth - ((n * depth) & 7))) & most
  }
  const byte = (value: number) => (depth === 8 ? value : Math.round((value * 255) / most))
  const see = (value: number, n: number) =>
    transparency !== undefined && transparency.length >= 2 * n + 2
      ? value === ((transparency[2 * n]! << 8) | transparency[2 * n + 1]!)
      : false

  return (line: Buffer, column: number, at: number) => {
    const first = sample(line, column * samples)
    const next = (n: number) => sample(line, column * samples + n)
    if (kind === PALETTE) {
      pixels[at] = palette[3 * first] ?? 0
      pixels[at + 1] = palette[3 * first + 1] ?? 0
      pixels[at + 2] = palette[3 * first + 2] ?? 0
      pixels[at + 3] = transparency?.[first] ?? 255
    } else if (kind === COLOUR || kind === COLOUR_ALPHA) {
      const [green, blue] = [next(1), next(2)]
      pixels[at] = byte(first)
      pixels[at + 1] = byte(green)
      pixels[at + 2] = byte(blue)
      pixels[at + 3] = kind === COLOUR_ALPHA ? byte(next(3)) : see(first, 0) && see(green, 1) && see(blue, 2) ? 0 : 255
    } else {
      pixels.fill(byte(first), at, at + 3)
      pixels[at + 3] = kind === GREY ? (see(first, 0) ? 0 : 255) : byte(next(1))
    }
  }
}

/** Packs pixels, without their opacity where all are opaque. */
function withPixels(width: number, height: number, pixels: Buffer): Buffer {
  const isOpaque = pixels.every((value, i) => i % 4 !== 3 || value === 255)
  const samples = isOpaque ? 3 : 4
  const rows = Buffer.alloc(height * (1 + width * samples))
  for (let y = 0, at = 0; y < height; y++) {
    at++
    for (let x = 0; x < width; x++, at += samples)
      pixels.copy(rows, at, (y * width + x) * 4, (y * width + x) * 4 + samples)
  }
  return encoded(width, height, isOpaque ? COLOUR : COLOUR_ALPHA, deflateSync(rows), new Uint8Array())
}

function encoded(width: number, height: number, kind: number, packed: Buffer, palette: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  header.writeUInt8(kind, 9)
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    ...(kind === PALETTE ? [pngChunk('PLTE', palette)] : []),
    pngChunk('IDAT', packed),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}
