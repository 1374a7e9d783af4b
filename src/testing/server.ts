import { spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keeperAddress, serverFolder } from './folder.ts'
import { onMessages } from './lines.ts'

/** A database of one's own. */
export interface WorldDatabase {
  readonly name: string
  readonly url: string
}

/** The server that all tests of this user share. */
export interface SharedServer {
  /** Whether its keeper has ended, and the server with it. */
  readonly isGone: boolean
  world(): Promise<WorldDatabase>
  /** Makes a copy of a world. Nobody may be connected to what is copied. */
  fork(name: string): Promise<WorldDatabase>
  drop(name: string): Promise<void>
  /** Called when nothing of it is used any more. */
  leave(): void
}

export class ServerGoneError extends Error {
  constructor() {
    super('The server for tests is gone: the process that kept it has ended.')
  }
}

const START_MS_MAX = 60_000
const POLL_MS = 10
const keeper = fileURLToPath(new URL('./keeper.js', import.meta.url))

let joined: Promise<SharedServer> | undefined
let users = 0

/** Joins the server, or starts it. The connection tells the keeper that this process lives, and is closed after the last use. */
export async function useServer(): Promise<SharedServer> {
  users++
  for (;;) {
    joined ??= join()
    const asked = joined
    const server = await asked.catch((error: unknown) => {
      if (joined === asked) joined = undefined
      leaveServer()
      throw error
    })
    if (!server.isGone) return server
    // The keeper was killed. Whoever comes after that gets another one.
    if (joined === asked) joined = undefined
  }
}

/** Called when somebody no longer uses the server. */
export function leaveServer(): void {
  users--
  if (users > 0) return
  joined?.then(
    (server) => server.leave(),
    () => {},
  )
  joined = undefined
}

async function join(): Promise<SharedServer> {
  const folder = serverFolder()
  const deadline = performance.now() + START_MS_MAX
  let starting = startKeeper
  let failure: string | undefined
  for (;;) {
    const socket = await connectTo(keeperAddress(folder))
    if (socket) return speak(socket)
    if (failure !== undefined) throw new Error(`The server for tests could not be started: ${failure}`)
    if (performance.now() > deadline) throw new Error(`The server for tests in ${folder} did not get ready.`)
    starting(folder, (code, said) => {
      if (code !== 0) failure = said || `its keeper ended with ${code}`
      // Another keeper was faster, or has just ended. If nobody answers, the next one is ours.
      else starting = startKeeper
    })
    starting = () => {}
    await pause(POLL_MS)
  }
}

/** Starts the keeper in a group of its own: what is typed at the tests must not reach it, for it has to tidy up after them. */
function startKeeper(folder: string, onExit: (code: number | null, said: string) => void): void {
  const { NODE_OPTIONS: _ofTheTests, ...env } = process.env
  const child = spawn(process.execPath, [keeper, folder], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    env,
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  child.on('exit', (code) => onExit(code, said.trim()))
  child.unref()
  // Nothing of the keeper may keep this process from ending.
  ;(child.stderr as unknown as { unref(): void }).unref()
}

function connectTo(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

interface Answer {
  readonly id: number
  readonly error?: string
}

function speak(socket: Socket): SharedServer {
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  let last = 0
  socket.on('error', () => {})
  let isGone = false
  socket.on('close', () => {
    isGone = true
    for (const { reject } of waiting.values()) reject(new ServerGoneError())
    waiting.clear()
  })
  onMessages<Answer>(socket, (answer) => {
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
    if (waiting.size === 0) socket.unref()
  })
  socket.unref()

  const ask = async <T>(task: string, name?: string): Promise<T> => {
    // The connection has closed already, so nothing would reject this promise any more.
    if (isGone) throw new ServerGoneError()
    const answer = await new Promise<Answer>((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      socket.ref()
      socket.write(`${JSON.stringify({ id, do: task, name })}\n`)
    })
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer as T
  }
  return {
    get isGone() {
      return isGone
    },
    world: () => ask('world'),
    fork: (name) => ask('fork', name),
    drop: (name) => ask('drop', name),
    leave: () => void socket.end(),
  }
}
