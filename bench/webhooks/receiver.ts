// A webhook endpoint that costs as little as one can: it counts, and tells when each event's first byte came.
import { createServer } from 'node:net'

const answer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
const endOfHead = Buffer.from('\r\n\r\n')
let count = 0
let waiting: { count: number; tell: () => void } | undefined
const arrivals: [eventId: string, at: number][] = []
let keeps = false
let lastHead = ''

const server = createServer((socket) => {
  let buffered: Buffer = Buffer.alloc(0)
  let at = 0
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    if (buffered.length === 0) at = performance.timeOrigin + performance.now()
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
    for (;;) {
      const end = buffered.indexOf(endOfHead)
      if (end < 0) return
      const head = buffered.toString('latin1', 0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      const next = end + endOfHead.length + length
      if (buffered.length < next) return
      buffered = buffered.subarray(next)
      lastHead = head
      if (keeps) arrivals.push([/webhook-id: (\S+)/i.exec(head)?.[1] ?? '', at])
      count++
      socket.write(answer)
      if (waiting && count >= waiting.count) waiting.tell()
    }
  })
})

interface Order {
  readonly kind: 'start' | 'arrivals' | 'until' | 'head'
  readonly count?: number
}

process.on('message', ({ kind, count: wanted = 0 }: Order) => {
  if (kind === 'start') {
    count = 0
    arrivals.length = 0
    keeps = wanted > 0
    process.send?.({ ready: true })
  } else if (kind === 'arrivals') process.send?.({ arrivals })
  else if (kind === 'head') process.send?.({ head: lastHead })
  else {
    const tell = () => {
      waiting = undefined
      process.send?.({ count, at: performance.timeOrigin + performance.now() })
    }
    waiting = { count: wanted, tell }
    if (count >= wanted) tell()
  }
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
