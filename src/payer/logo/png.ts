import { crc32, inflateSync } from 'node:zlib'
import { PNG } from 'pngjs'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const HEADER_LENGTH = 13
/** Samples for each pixel, by colour type. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Where each pass over the picture begins, and its steps. There is one pass unless the picture is interlaced. */
const straight = [[0, 0, 1, 1]] as const
const interlaced = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

export const isPng = (file: Buffer) => file.subarray(0, SIGNATURE.length).equals(SIGNATURE)

interface Chunk {
  readonly type: string
  readonly data: Buffer
  /** The whole chunk: length, type, data and checksum. */
  readonly bytes: Buffer
}

/** The chunks that are the picture, and those that a reader must know. What programs add is left out. */
function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length, last = ''; last !== 'IEND'; ) {
    const end = at + 12 > file.length ? Number.POSITIVE_INFINITY : at + 12 + file.readUInt32BE(at)
    if (end > file.length) throw new Error('The PNG breaks off.')
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) throw new Error('The PNG is damaged.')
    last = file.toString('latin1', at + 4, at + 8)
    if (last === 'tRNS' || /^[^a-z]/.test(last))
      chunks.push({ type: last, data: file.subarray(at + 8, end - 4), bytes: file.subarray(at, end) })
    at = end
  }
  return chunks
}

/** How many bytes the unpacked rows have, each with one byte in front that says how it was filtered. */
function unpackedLength(width: number, height: number, header: Buffer): number {
  const bits = (samples[header[9]!] ?? Number.NaN) * header[8]!
  return (header[12] === 1 ? interlaced : straight).reduce((sum, [x, y, dx, dy]) => {
    const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)]
    return columns > 0 && rows > 0 ? sum + rows * (Math.ceil((columns * bits) / 8) + 1) : sum
  }, 0)
}

/**
 * Brings a PNG into the plainest form: eight bits a sample, no interlacing, no transparent colour, and only the chunks of
 * the picture. What is not a complete and proper PNG is refused before it can take up memory: the library that decodes it
 * believes the last header it meets, inflates interlaced pictures without a limit, and makes up the rest of a file that
 * breaks off.
 */
export function plainPng(file: Buffer, checkSize: (width: number, height: number) => void) {
  const [header, ...others] = chunksOf(file)
  if (header?.type !== 'IHDR' || header.data.length !== HEADER_LENGTH || others.some(({ type }) => type === 'IHDR'))
    throw new Error('The PNG has no proper header.')
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  checkSize(width, height)
  const packed = Buffer.concat(others.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  const length = unpackedLength(width, height, header.data)
  if (inflateSync(packed, { maxOutputLength: length }).length !== length) throw new Error('The PNG breaks off.')

  const bare = Buffer.concat([SIGNATURE, header.bytes, ...others.map(({ bytes }) => bytes)])
  const picture = PNG.sync.read(bare)
  const isPlain = picture.depth === 8 && !picture.interlace && others.every(({ type }) => type !== 'tRNS')
  if (isPlain) return { type: 'image/png', width, height, bytes: bare } as const
  const isOpaque = picture.data.every((value, i) => i % 4 !== 3 || value === 255)
  const bytes = PNG.sync.write(picture, { colorType: isOpaque ? 2 : 6, filterType: 0 })
  return { type: 'image/png', width, height, bytes } as const
}
