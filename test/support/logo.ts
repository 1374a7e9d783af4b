import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

/** A picture as it is written to a PNG: raw samples of each pixel, in any of the forms the format has. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly kind: 0 | 2 | 3 | 4 | 6
  readonly depth: 1 | 2 | 4 | 8 | 16
  readonly interlaced?: boolean
  /** The filter of each row, in turn. */
  readonly filters?: readonly number[]
  readonly palette?: readonly number[]
  readonly transparency?: readonly number[]
  samples(x: number, y: number): readonly number[]
}

export const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

export function header({ width, height, kind, depth, interlaced }: Omit<Picture, 'samples'>): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([depth, kind, 0, 0, interlaced ? 1 : 0], 8)
  return chunk('IHDR', data)
}

/** For each place of a square of eight by eight, the pass that paints it. */
const order = ['16462646', '77777777', '56565656', '77777777', '36463646', '77777777', '56565656', '77777777']

export function pngOf(picture: Picture): Buffer {
  const { width, height, palette, transparency } = picture
  const passes = picture.interlaced ? ['1', '2', '3', '4', '5', '6', '7'] : ['all']
  const rows: Buffer[] = []
  for (const pass of passes) {
    let above: Buffer | undefined
    for (let y = 0; y < height; y++) {
      const columns = Array.from({ length: width }, (_, x) => x).filter(
        (x) => pass === 'all' || order[y % 8]![x % 8] === pass,
      )
      if (columns.length === 0) continue
      const row = packed(
        columns.flatMap((x) => [...picture.samples(x, y)]),
        picture.depth,
      )
      const filter = picture.filters?.[rows.length % picture.filters.length] ?? 0
      rows.push(Buffer.from([filter, ...filtered(filter, row, above ?? Buffer.alloc(row.length), picture)]))
      above = row
    }
  }
  return Buffer.concat([
    SIGNATURE,
    header(picture),
    chunk('tEXt', Buffer.from('Comment\0made by somebody')),
    ...(palette ? [chunk('PLTE', Buffer.from(palette))] : []),
    ...(transparency ? [chunk('tRNS', Buffer.from(transparency))] : []),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function packed(samples: readonly number[], depth: number): Buffer {
  const bits = samples.map((sample) => sample.toString(2).padStart(depth, '0')).join('')
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)))
}

function filtered(filter: number, row: Buffer, above: Buffer, { kind, depth }: Picture): number[] {
  const back = Math.max(1, ({ 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[kind] * depth) / 8)
  return [...row].map((byte, i) => {
    const [a, b, c] = [row[i - back] ?? 0, above[i]!, (i < back ? 0 : above[i - back]) ?? 0]
    const p = a + b - c
    const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)]
    const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
    return (byte - [0, a, b, Math.floor((a + b) / 2), paeth][filter]!) & 255
  })
}

/** A blue mark on nothing, 60 by 40. */
export const blueLogo = pngOf({
  width: 60,
  height: 40,
  kind: 6,
  depth: 8,
  samples: (x, y) => [11, 92, 171, Math.hypot(x - 30, (y - 20) * 1.5) < 28 ? 255 : 0],
})

/** A blue field, 16 by 8, as a browser writes it. */
export const jpegLogo = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6j' +
    'q62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk' +
    'pKSkpKSkpKT/wAARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QA' +
    'FAEBAAAAAAAAAAAAAAAAAAAABP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIADwn//2Q==',
  'base64',
)

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A merchant's web server on loopback, which remembers what it was asked for. */
export async function startLogoServer() {
  const answers = new Map<string, Answer>()
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    response.on('error', () => {})
    const answer = answers.get(request.url!)
    if (answer) answer(response, request)
    else response.writeHead(404).end('not here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    asked,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    answers: (path: string, answer: Buffer | Answer, type = 'image/png') =>
      answers.set(
        path,
        typeof answer === 'function'
          ? answer
          : (response) => response.writeHead(200, { 'content-type': type }).end(answer),
      ),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
