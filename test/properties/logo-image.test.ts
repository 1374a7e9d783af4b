import { deflateSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLogo } from '../../src/payer/logo/image.ts'
import { blueLogo, chunk, header, jpegLogo, type Picture, pngOf, SIGNATURE } from '../support/logo.ts'

const samplesOf = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const
const forms = fc.constantFrom(
  ...([0, 2, 3, 4, 6] as const).flatMap((kind) =>
    ([1, 2, 4, 8, 16] as const)
      .filter((depth) => (kind === 0 ? true : kind === 3 ? depth <= 8 : depth >= 8))
      .map((depth) => ({ kind, depth })),
  ),
)

const anyPicture = fc
  .record({
    form: forms,
    width: fc.integer({ min: 1, max: 19 }),
    height: fc.integer({ min: 1, max: 19 }),
    interlaced: fc.boolean(),
    filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 }),
    isSeen: fc.boolean(),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map(({ form: { kind, depth }, width, height, interlaced, filters, isSeen, seed }): Picture => {
    const values = Array.from(
      { length: width * height * samplesOf[kind] },
      (_, i) => ((i + seed) * 2_654_435_761) % 2 ** Math.min(depth, 16),
    )
    const samples = (x: number, y: number) =>
      values.slice((y * width + x) * samplesOf[kind], (y * width + x + 1) * samplesOf[kind])
    const palette = Array.from({ length: 3 * 2 ** Math.min(depth, 8) }, (_, i) => (i * 37 + seed) % 256)
    // A colour that stands for nothing: that of the first pixel, or the first entries of the palette.
    const first = samples(0, 0).flatMap((value) => [value >> 8, value & 255])
    const transparency = kind === 3 ? [0, 77] : first
    return {
      kind,
      depth,
      width,
      height,
      interlaced,
      filters,
      samples,
      ...(kind === 3 && { palette }),
      ...(isSeen && kind <= 3 && { transparency }),
    }
  })

/** What a reader should see of a pixel: red, green, blue and opacity; of one that cannot be seen, nothing. */
const seen = (picture: Picture, x: number, y: number) => visible(valuesOf(picture, x, y))
const visible = (values: number[]) => (values[3] === 0 ? [0, 0, 0, 0] : values)

function valuesOf({ kind, depth, palette = [], transparency, samples }: Picture, x: number, y: number): number[] {
  const raw = samples(x, y)
  if (kind === 3) return [...palette.slice(3 * raw[0]!, 3 * raw[0]! + 3), transparency?.[raw[0]!] ?? 255]
  const bytes = raw.map((value) => Math.round((value / (2 ** depth - 1)) * 255))
  const isHole =
    transparency !== undefined &&
    raw.every((value, n) => value === transparency[2 * n]! * 256 + transparency[2 * n + 1]!)
  const colours = kind === 0 || kind === 4 ? [bytes[0]!, bytes[0]!, bytes[0]!] : bytes.slice(0, 3)
  return [...colours, kind === 4 || kind === 6 ? bytes.at(-1)! : isHole ? 0 : 255]
}

/** The parts of a PNG by their names. */
function partsOf(png: Buffer): Map<string, Buffer> {
  const parts = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    parts.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  return parts
}

describe('A PNG of any form', () => {
  it('becomes a plain one that shows the same', () => {
    fc.assert(
      fc.property(anyPicture, (picture) => {
        const { width, height } = picture
        const given = pngOf(picture)

        const logo = readLogo(given)

        const png = Buffer.from(logo.bytes)
        const parts = partsOf(png)
        expect([logo.type, logo.width, logo.height]).toEqual(['image/png', width, height])
        expect([...parts.keys()].filter((name) => name !== 'PLTE')).toEqual(['IHDR', 'IDAT', 'IEND'])
        const [depth, kind, , , interlace] = parts.get('IHDR')!.subarray(8)
        expect([depth, interlace]).toEqual([8, 0])
        if (picture.depth === 8 && !picture.interlaced && !picture.transparency) {
          expect(parts.get('IDAT')!.equals(partsOf(given).get('IDAT')!)).toBe(true)
          return
        }
        const count = kind === 6 ? 4 : 3
        const rows = inflateSync(parts.get('IDAT')!)
        const places = Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)] as const)
        const shown = places.map(([x, y]) => {
          const at = y * (1 + width * count) + 1 + x * count
          return visible([...rows.subarray(at, at + count), 255].slice(0, 4))
        })
        expect(shown).toEqual(places.map(([x, y]) => seen(picture, x, y)))
      }),
      { numRuns: 200 },
    )
  })
})

describe('A file that is no logo', () => {
  const plain = { width: 10, height: 10, kind: 0, depth: 8 } as const
  const made = (size: Partial<{ width: number; height: number }>, data: Uint8Array) =>
    Buffer.concat([SIGNATURE, header({ ...plain, ...size }), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
  const damaged = Buffer.from(blueLogo)
  damaged[60]! ^= 1
  const frame = jpegLogo.indexOf(Buffer.from([0xff, 0xc0]))
  const changed = (at: number, value: number) => {
    const copy = Buffer.from(jpegLogo)
    copy[at] = value
    return copy
  }

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['a moving picture', Buffer.from('GIF89a')],
    ['only the beginning of a PNG', blueLogo.subarray(0, 100)],
    ['a PNG with a bit turned', damaged],
    ['a PNG that unpacks to more than it says', made({}, deflateSync(Buffer.alloc(50_000_000)))],
    ['a PNG that unpacks to less than it says', made({}, deflateSync(Buffer.alloc(100)))],
    ['a PNG of too many pixels', made({ width: 3_000, height: 3_000 }, deflateSync(Buffer.alloc(3_001 * 3_000)))],
    ['a PNG as long as a road', made({ width: 100_000, height: 1 }, deflateSync(Buffer.alloc(100_001)))],
    ['a PNG of no size', made({ width: 0 }, deflateSync(Buffer.alloc(10)))],
    [
      'a PNG with a second header',
      Buffer.concat([
        SIGNATURE,
        header(plain),
        header({ ...plain, width: 30_000, height: 30_000 }),
        chunk('IDAT', deflateSync(Buffer.alloc(110))),
        chunk('IEND', Buffer.alloc(0)),
      ]),
    ],
    [
      'an interlaced PNG that unpacks to more than it says',
      Buffer.concat([
        SIGNATURE,
        header({ ...plain, interlaced: true }),
        chunk('IDAT', deflateSync(Buffer.alloc(50_000_000))),
        chunk('IEND', Buffer.alloc(0)),
      ]),
    ],
    ['a PNG with a filter that does not exist', made({}, deflateSync(Buffer.alloc(110, 9)))],
    ['only the beginning of a JPEG', jpegLogo.subarray(0, frame + 6)],
    ['a JPEG of four colours', changed(frame + 9, 4)],
    ['a JPEG of another kind', changed(frame + 1, 0xc3)],
    ['a JPEG of too many pixels', changed(frame + 5, 0xff)],
  ])('is refused: %s', (_, file) => {
    expect(() => readLogo(file)).toThrow()
  })

  it('is refused in a sentence when it ends behind a mark', () => {
    expect(() => readLogo(jpegLogo.subarray(0, frame + 2))).toThrow('The JPEG breaks off.')
  })

  it('and of any other bytes none is taken, whatever they begin with', () => {
    const beginnings = fc.constantFrom(
      SIGNATURE,
      Buffer.from([0xff, 0xd8]),
      jpegLogo.subarray(0, 150),
      blueLogo.subarray(0, 40),
    )
    fc.assert(
      fc.property(beginnings, fc.uint8Array({ maxLength: 200 }), (beginning, rest) => {
        expect(() => readLogo(Buffer.concat([beginning, rest]))).toThrow(Error)
      }),
    )
  })
})

describe('A JPEG', () => {
  it('is kept without what programs add to it', () => {
    const note = Buffer.from('\xff\xe1\x00\x10Exif\0\0a place\0', 'latin1')
    const { type, width, height, bytes } = readLogo(
      Buffer.concat([jpegLogo.subarray(0, 2), note, jpegLogo.subarray(2), Buffer.from('<script>')]),
    )

    expect([type, width, height]).toEqual(['image/jpeg', 16, 8])
    expect(Buffer.from(bytes).equals(jpegLogo)).toBe(true)
  })
})
