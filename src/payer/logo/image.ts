import { isPng, plainPng } from './png.ts'

/** A logo that a page and a PDF can show. */
export interface LogoImage {
  readonly type: 'image/png' | 'image/jpeg'
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** How large a logo may be, as a file and once it is unpacked. */
export const LOGO_BYTES_MAX = 1024 * 1024
const SIDE_MAX = 4_000
const PIXELS_MAX = 4_000_000

function checkSize(width: number, height: number): void {
  if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX || width * height > PIXELS_MAX)
    throw new Error(`A picture of ${width} by ${height} pixels is no logo.`)
}

/** Reads a file that somebody else's server called a logo. Unless its bytes are a PNG or a JPEG, it is refused. */
export function readLogo(bytes: Uint8Array): LogoImage {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const image = isPng(file) ? plainPng(file, checkSize) : plainJpeg(file)
  if (image.bytes.length > LOGO_BYTES_MAX) throw new Error('The picture cannot be kept in so little room.')
  return image
}

const START = 0xd8
const END = 0xd9
const SCAN = 0xda
const COMMENT = 0xfe
/** Marks of baseline, extended and progressive pictures. No program shows the other kinds. */
const frames = [0xc0, 0xc1, 0xc2]
const otherFrames = [0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf]
/** Whether this is something that programs add to a picture. Only what says how its colours are meant is kept. */
const isAddition = (marker: number) => (marker >= 0xe1 && marker <= 0xef && marker !== 0xee) || marker === COMMENT

/** A JPEG in grey or three colours, without anything that is not part of the picture. */
function plainJpeg(file: Buffer): LogoImage {
  if (file[0] !== 0xff || file[1] !== START) throw new Error('The file is neither a PNG nor a JPEG.')
  const kept = [file.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let isSeen = false
  for (let at = 2; ; ) {
    if (at + 2 > file.length || file[at] !== 0xff) throw new Error('The JPEG breaks off.')
    const marker = file[at + 1]!
    if (marker === END) {
      if (!size || !isSeen) throw new Error('The JPEG has no picture.')
      // After the end there may be another picture with additions of its own, or something that is no picture. It is cut off.
      return { type: 'image/jpeg', ...size, bytes: Buffer.concat([...kept, file.subarray(at, at + 2)]) }
    }
    if (at + 4 > file.length) throw new Error('The JPEG breaks off.')
    const data = at + 2 + file.readUInt16BE(at + 2)
    if (frames.includes(marker) && !size) size = readFrame(file.subarray(at + 4, data))
    else if (frames.includes(marker) || otherFrames.includes(marker)) throw new Error('The JPEG is of a rare kind.')
    if (marker === SCAN && !size) throw new Error('The JPEG does not say how large it is.')
    isSeen ||= marker === SCAN
    const next = marker === SCAN ? endOfScan(file, data) : data
    if (!isAddition(marker)) kept.push(file.subarray(at, next))
    at = next
  }
}

/** Where a scan ends. Inside a scan, every 0xff is followed by a zero, by another 0xff, or by the mark of a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const marker = file[at + 1] ?? 0
    const isInside = marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)
    if (!isInside) return at
  }
  throw new Error('The JPEG breaks off.')
}

function readFrame(frame: Buffer): { width: number; height: number } {
  if (frame.length < 6) throw new Error('The JPEG breaks off.')
  const [width, height] = [frame.readUInt16BE(3), frame.readUInt16BE(1)]
  checkSize(width, height)
  if (frame[0] !== 8 || (frame[5] !== 1 && frame[5] !== 3)) throw new Error('The JPEG is of a rare kind.')
  return { width, height }
}
