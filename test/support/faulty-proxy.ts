import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { connectionSettings } from '../../src/database/address.ts'

/** What becomes of a connection: it is passed on, or one of the ways in which databases and networks fail. */
export type Weather =
  | 'fine'
  | 'closes'
  | 'resets'
  | 'starting up'
  | 'starting up, and stays'
  | 'is full'
  | 'hangs'
  | 'is a standby'
  | 'is a pooler before a standby'

/** What has to happen before these bytes of the service go on to its database. */
type Hold = (bytes: Buffer) => Promise<void>

/** Stands between the service and its database on a port of its own, and can fail in every way a network does. */
export class FaultyProxy {
  readonly #server: Server
  readonly #target: () => Socket
  readonly #hold: Hold | undefined
  readonly #pairs = new Set<readonly [near: Socket, far: Socket]>()
  readonly #lonely = new Set<Socket>()
  #weather: Weather = 'fine'
  /** How many connections were asked for. */
  knocks = 0

  private constructor(databaseUrl: string, hold: Hold | undefined) {
    this.#hold = hold
    const { host, port, connectionString } = connectionSettings(databaseUrl)
    const address = connectionString === undefined ? undefined : new URL(connectionString)
    this.#target = () =>
      address ? connect(Number(address.port || 5432), address.hostname) : connect(`${host}/.s.PGSQL.${port}`)
    this.#server = createServer((near) => this.#take(near))
  }

  static async before(databaseUrl: string, hold?: Hold): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(databaseUrl, hold)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** The address of the same database through here. */
  url(databaseUrl: string): string {
    const { database, connectionString } = connectionSettings(databaseUrl)
    if (connectionString === undefined) return `postgres://postgres@127.0.0.1:${this.port}/${database}`
    const address = new URL(connectionString)
    address.hostname = '127.0.0.1'
    address.port = String(this.port)
    return address.href
  }

  /** Lets new connections and those there are fail in the same way, or lets new ones through again. */
  set(weather: Weather): void {
    this.#weather = weather
    // A server that is full goes on with those it has.
    if (weather === 'is full') return
    if (weather !== 'fine') for (const pair of this.#pairs) spoil(pair, weather)
    // What hangs stays so: nobody comes back to a connection.
    else for (const socket of this.#lonely) socket.destroy()
  }

  close(): void {
    this.#server.close()
    for (const [near, far] of this.#pairs) {
      near.destroy()
      far.destroy()
    }
    for (const socket of this.#lonely) socket.destroy()
  }

  #take(near: Socket): void {
    this.knocks++
    near.on('error', () => {})
    if (this.#weather === 'fine') this.#pass(near)
    else this.#refuse(near, this.#weather)
  }

  #pass(near: Socket): void {
    const far = this.#target()
    const pair = [near, far] as const
    this.#pairs.add(pair)
    far.on('error', () => near.destroy())
    for (const [from, to] of [pair, [far, near] as const]) {
      const isHeld = this.#hold && from === near
      if (isHeld)
        from
          .pipe(held(this.#hold))
          .on('error', () => from.destroy())
          .pipe(to)
      else from.pipe(to)
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
    }
  }

  #refuse(near: Socket, weather: Exclude<Weather, 'fine'>): void {
    this.#lonely.add(near)
    near.on('close', () => this.#lonely.delete(near))
    switch (weather) {
      case 'closes':
        return void near.end()
      case 'resets':
        return void near.resetAndDestroy()
      case 'starting up':
        return void near.once('data', () => near.end(startingUp))
      case 'starting up, and stays':
        return void near.once('data', () => near.write(startingUp))
      case 'is full':
        return void near.once('data', () => near.end(full))
      case 'is a standby':
        return void near.once('data', () => near.write(standbyGreeting))
      case 'is a pooler before a standby':
        return void near.once('data', () => {
          near.write(greeting)
          near.once('data', () => near.write(sayReadOnly))
        })
      case 'hangs':
        return // It is connected, and hears nothing ever.
    }
  }
}

const held = (hold: Hold) =>
  new Transform({
    transform: (bytes: Buffer, _, pass) => void hold(bytes).then(() => pass(null, bytes), pass),
  })

function spoil([near, far]: readonly [Socket, Socket], weather: Exclude<Weather, 'fine'>): void {
  far.unpipe(near)
  near.unpipe(far)
  if (weather === 'closes') near.end()
  else if (weather === 'resets') near.resetAndDestroy()
  else if (weather === 'starting up') near.end(shuttingDown)
  else if (weather === 'starting up, and stays') near.write(shuttingDown)
}

/** A message of the server in the words of its protocol. */
function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const fatal = (code: string, text: string) => message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)
const startingUp = fatal('57P03', 'the database system is starting up')
const full = fatal('53300', 'sorry, too many clients already')
const shuttingDown = fatal('57P01', 'terminating connection due to administrator command')

const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', 'I')
const greeting = Buffer.concat([authenticated, ready])
const standbyGreeting = Buffer.concat([authenticated, message('S', 'in_hot_standby\0on\0'), ready])
const sayReadOnly = Buffer.concat([
  // One column of text, with the name the statement gives it, and one row in which it is "on".
  message(
    'T',
    Buffer.from([0, 1]),
    'transaction_read_only\0',
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
  ),
  message('D', Buffer.from([0, 1, 0, 0, 0, 2]), 'on'),
  message('C', 'SHOW\0'),
  ready,
])
