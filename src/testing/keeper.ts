import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { connectionSettings, inDatabase } from '../database/address.ts'
import { Copies, copyDatabase } from '../database/copies.ts'
import { EmbeddedServerError, startEmbedded } from '../database/embedded/server.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { readSettings } from '../settings.ts'
import { SigningKeys } from '../webhooks/signing/keys.ts'
import { makeSeal } from '../webhooks/signing/seal.ts'
import { keeperAddress } from './folder.ts'
import { onMessages } from './lines.ts'
import { PATIENCE_MS } from './patience.ts'

/*
 * A process that keeps one server for all tests of a user. It hands out worlds, which are databases copied from a template, and
 * drops the worlds of whoever is gone. However a process went, its broken connection says so. The keeper ends, and the server
 * with it, when nobody has been there for a moment.
 */

const LINGER_MS = 1_000
const CONNECTIONS_MAX = 400
const SPARE = 1
const TEMPLATE = 'quittance_template'
const WORLD = 'quittance_world_'

interface Asked {
  readonly id: number
  readonly do: 'world' | 'fork' | 'drop'
  readonly name?: string
}

const folder = process.argv[2]!
const address = keeperAddress(folder)

const server = await startEmbedded({ dataDir: folder, durable: false, connectionsMax: CONNECTIONS_MAX }).catch(
  (error: unknown) => {
    if (!(error instanceof EmbeddedServerError)) throw error
    // Another keeper was faster, or there can be none; whoever started us finds out which.
    process.stderr.write(error.message)
    process.exit(/Another service/.test(error.message) ? 0 : 1)
  },
)
const client = new pg.Client(connectionSettings(server.url))
let isEnding = false
// The server is brought back if it dies, and a keeper without it is of no use to anybody. A keeper that is ending sees the
// server to its end.
client.on('error', () => isEnding || process.exit(1))
await client.connect()

const databases = async (beginning: string) =>
  (
    await client.query<{ name: string }>('select datname as name from pg_database where starts_with(datname, $1)', [
      beginning,
    ])
  ).rows.map(({ name }) => name)
const drop = (name: string) => client.query(`drop database if exists "${name}" with (force)`)

/** Databases that were left behind by a keeper that was killed. */
for (const beginning of [WORLD, 'quittance_copy_', `${TEMPLATE}_`])
  for (const name of await databases(beginning)) await drop(name)
if ((await databases(TEMPLATE)).length === 0) {
  // It has another name until it is complete, so that it does not matter when we are stopped.
  const unfinished = `${TEMPLATE}_${randomBytes(4).toString('hex')}`
  await client.query(`create database ${unfinished}`)
  await migrate(inDatabase(server.url, unfinished))
  await makeKeys(inDatabase(server.url, unfinished))
  await client.query(`alter database ${unfinished} rename to ${TEMPLATE}`)
}

/** Making the keys that sign webhooks takes longer than making a world may take, so all worlds share the same keys. */
async function makeKeys(url: string): Promise<void> {
  const database = openDatabase(url, {
    connectionsMax: 2,
    connectTimeoutMs: PATIENCE_MS,
    statementTimeoutMs: PATIENCE_MS,
  })
  const settings = readSettings({})
  await new SigningKeys(database, makeSeal(settings.secrets!), { publicUrl: 'http://127.0.0.1', settings }).current()
  await database.close()
}

const spare: Promise<string>[] = []
const newName = () => `${WORLD}${randomBytes(6).toString('hex')}`
async function make(template: string): Promise<string> {
  const name = newName()
  await copyDatabase(client, template, name)
  return name
}
const stockUp = () => {
  while (spare.length < SPARE) {
    const made = make(TEMPLATE)
    made.catch(() => {})
    spare.push(made)
  }
}

async function answer({ do: task, name }: Asked, owned: Set<string>): Promise<object> {
  if (task === 'drop') {
    owned.delete(name!)
    await dropWorld(name!)
    return {}
  }
  if (task === 'fork' && !owned.has(name!)) throw new Error(`There is no world ${name}.`)
  const made = await (task === 'fork' ? make(name!) : (spare.shift() ?? make(TEMPLATE)))
  owned.add(made)
  stockUp()
  return { name: made, url: inDatabase(server.url, made) }
}

/** Drops a world with its snapshots. */
async function dropWorld(name: string): Promise<void> {
  for (const { name: copy } of await new Copies(inDatabase(server.url, name)).list())
    await new Copies(inDatabase(server.url, name)).drop(copy)
  await drop(name)
}

const users = new Set<Socket>()
let lingering: NodeJS.Timeout | undefined
function lingerWhenAlone(): void {
  clearTimeout(lingering)
  lingering = setTimeout(() => {
    if (users.size === 0) void end()
  }, LINGER_MS)
}

async function end(): Promise<void> {
  isEnding = true
  listener.close()
  if (process.platform !== 'win32') rmSync(address, { force: true })
  await server.stop()
  process.exit(0)
}

const listener = createServer((socket) => {
  const owned = new Set<string>()
  users.add(socket)
  clearTimeout(lingering)
  socket.on('error', () => {})
  socket.on('close', () => {
    users.delete(socket)
    for (const name of owned) void dropWorld(name).catch(() => {})
    if (users.size === 0) lingerWhenAlone()
  })
  onMessages<Asked>(socket, (asked) => {
    answer(asked, owned).then(
      (given) => {
        // Whoever is gone by now has no use for the worlds.
        if (socket.destroyed) for (const name of owned) void dropWorld(name).catch(() => {})
        else socket.write(`${JSON.stringify({ id: asked.id, ...given })}\n`)
      },
      (error: Error) => socket.write(`${JSON.stringify({ id: asked.id, error: error.message })}\n`),
    )
  })
})
// We own the server, so whatever lies at the address belongs to a keeper that is gone.
if (process.platform !== 'win32') rmSync(address, { force: true })
listener.listen(address, () => {
  stockUp()
  lingerWhenAlone()
})
