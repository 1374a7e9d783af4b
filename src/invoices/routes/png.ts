import { crc32 as crcOf, deflateSync } from 'node:zlib'

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Makes a black and white PNG with one bit a pixel. The library that decodes logos writes at least eight bits a pixel: for a
 * code of 500 pixels it takes 12 ms and 16 KB, and this takes 5 ms and half a KB.
 */
export function png(width: number, height: number, isDark: (x: number, y: number) => boolean): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // One bit a pixel, greyscale, no interlacing.
  header.writeUInt8(1, 8)

  const stride = 1 + Math.ceil(width / 8)
  const rows = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (!isDark(x, y)) rows[y * stride + 1 + (x >> 3)]! |= 0x80 >> (x & 7)

  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A chunk of a PNG, framed by its length and checksum. */
function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crcOf(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
