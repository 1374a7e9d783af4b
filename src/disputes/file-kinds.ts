/** What a file is, by its bytes: its media type, the extensions it may have, and how large a picture it holds. */
export interface FileKind {
  readonly type: string
  readonly extensions: readonly string[]
  readonly pixels: number
}

/** Reads a file's structure to its end; undefined when it is none of the four kinds, or broken, or cut off. */
export function kindOf(bytes: Buffer): FileKind | undefined {
  for (const [first, read] of readers) if (bytes.subarray(0, first.length).equals(first)) return read(bytes)
  return undefined
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const readers: readonly (readonly [Buffer, (bytes: Buffer) => FileKind | undefined])[] = [
  [PNG, readPng],
  [Buffer.from([0xff, 0xd8, 0xff]), readJpeg],
  [Buffer.from('GIF87a'), readGif],
  [Buffer.from('GIF89a'), readGif],
  [Buffer.from('%PDF-'), readPdf],
]

/** A chain of chunks from IHDR to IEND, with nothing behind. */
function readPng(bytes: Buffer): FileKind | undefined {
  let at = PNG.length
  let pixels = 0
  let hasData = false
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (!/^[A-Za-z]{4}$/.test(name) || at + 12 + length > bytes.length) return undefined
    if (at === PNG.length) {
      if (name !== 'IHDR' || length !== 13) return undefined
      pixels = bytes.readUInt32BE(at + 8) * bytes.readUInt32BE(at + 12)
    }
    if (name === 'IDAT') hasData = true
    at += 12 + length
    if (name === 'IEND') {
      const whole = pixels > 0 && hasData && at === bytes.length
      return whole ? { type: 'image/png', extensions: ['png'], pixels } : undefined
    }
  }
  return undefined
}

/** Segments up to the first scan, one of which tells the size, and an end marker. */
function readJpeg(bytes: Buffer): FileKind | undefined {
  let at = 2
  let pixels = 0
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (marker === 0xff) {
      at += 1
      continue
    }
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2 || at + 2 + length > bytes.length) return undefined
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) {
      if (length < 8) return undefined
      pixels = bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7)
    }
    at += 2 + length
    if (marker === 0xda) {
      const ends = bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) >= at
      return pixels > 0 && ends ? { type: 'image/jpeg', extensions: ['jpg', 'jpeg'], pixels } : undefined
    }
  }
  return undefined
}

/** A screen, blocks, at least one picture, and the trailer. */
function readGif(bytes: Buffer): FileKind | undefined {
  if (bytes.length < 14) return undefined
  const pixels = bytes.readUInt16LE(6) * bytes.readUInt16LE(8)
  let at = 13 + colours(bytes[10]!)
  let pictures = 0
  for (;;) {
    const block = bytes[at]
    if (block === 0x3b)
      return pixels > 0 && pictures > 0 ? { type: 'image/gif', extensions: ['gif'], pixels } : undefined
    if (block === 0x21) at += 2
    else if (block === 0x2c && at + 10 < bytes.length) {
      pictures += 1
      at += 11 + colours(bytes[at + 9]!)
    } else return undefined
    while (bytes[at] !== 0) {
      if (at >= bytes.length) return undefined
      at += 1 + bytes[at]!
    }
    at += 1
  }
}

/** The bytes of a colour table, by the flags that announce it. */
const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** A version at the start; a cross-reference and the end mark where readers look for them. */
function readPdf(bytes: Buffer): FileKind | undefined {
  const head = bytes.toString('latin1', 0, 8)
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - 1024))
  const whole = /^%PDF-[12]\.\d$/.test(head) && /startxref\s+\d+\s+%%EOF\s*$/.test(tail)
  return whole ? { type: 'application/pdf', extensions: ['pdf'], pixels: 0 } : undefined
}
