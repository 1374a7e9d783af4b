import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { type Font, layingOutOnce } from './layout.ts'

const require = createRequire(import.meta.url)
const folderOf = (family: string) => dirname(require.resolve(`@fontsource/${family}/package.json`))

/** A font file that a page may ask for. Only files of these two families can be had, by their own names. */
export function webFont(name: string): Buffer | undefined {
  const family = /^(ibm-plex-sans-jp|ibm-plex-sans)-[a-z0-9-]+-(400|600)-normal\.woff2$/.exec(name)?.[1]
  if (family === undefined) return undefined
  try {
    return readFileSync(join(folderOf(family), 'files', name))
  } catch {
    return undefined
  }
}

let japanese: string | undefined

/** The style for the Japanese family, which is cut into slices: a browser fetches only slices with characters of the page. */
export function japaneseStyle(): string {
  japanese ??= [400, 600]
    .map((weight) => readFileSync(join(folderOf('ibm-plex-sans-jp'), `${weight}.css`), 'utf8'))
    .join('\n')
    .replace(/src: url\(\.\/files\/([\w-]+\.woff2)\)[^;]*;/g, 'src: url(/invoice/assets/fonts/$1) format("woff2");')
    .replaceAll("'IBM Plex Sans JP'", '"Plex JP"')
  return japanese
}

const printFonts = new Map<string, Font>()

/** Loaded when it is needed: the library has megabytes, and only printing uses it. */
const openFont = (file: Uint8Array) => (require('fontkit') as typeof import('fontkit')).create(file)

/**
 * A font for print. It is read and unpacked once, because its tables are large and each lookup in the packed file would
 * unpack them.
 */
export function printFont(family: string, subset: string, weight: 400 | 600): Font {
  const path = join(folderOf(family), 'files', `${family}-${subset}-${weight}-normal.woff`)
  let font = printFonts.get(path)
  if (!font) {
    font = layingOutOnce(openFont(unpacked(readFileSync(path))))
    printFonts.set(path, font)
  }
  return font
}

const WOFF_HEADER = 44
const WOFF_ENTRY = 20
const SFNT_HEADER = 12
const SFNT_ENTRY = 16

/** WOFF 1.0 to the tables it holds: a directory, then each table on a boundary of four bytes. */
function unpacked(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, i) => {
    const entry = WOFF_HEADER + i * WOFF_ENTRY
    const [offset, packedLength, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at)) as [
      number,
      number,
      number,
    ]
    const stored = woff.subarray(offset, offset + packedLength)
    const data = packedLength < length ? inflateSync(stored) : stored
    return { tag: woff.subarray(entry, entry + 4), checksum: woff.readUInt32BE(entry + 16), data }
  })
  const header = Buffer.alloc(SFNT_HEADER + count * SFNT_ENTRY)
  woff.copy(header, 0, 4, 8)
  const power = 2 ** Math.floor(Math.log2(count))
  header.writeUInt16BE(count, 4)
  header.writeUInt16BE(power * 16, 6)
  header.writeUInt16BE(Math.log2(power), 8)
  header.writeUInt16BE(count * 16 - power * 16, 10)
  const parts: Buffer[] = [header]
  let at = header.length
  tables.forEach(({ tag, checksum, data }, i) => {
    const entry = SFNT_HEADER + i * SFNT_ENTRY
    tag.copy(header, entry)
    header.writeUInt32BE(checksum, entry + 4)
    header.writeUInt32BE(at, entry + 8)
    header.writeUInt32BE(data.length, entry + 12)
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4)
    parts.push(data, padding)
    at += data.length + padding.length
  })
  return Buffer.concat(parts)
}
