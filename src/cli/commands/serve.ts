import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import type { App } from '../../app.ts'
import { SettingError } from '../../config.ts'
import { waysOf } from '../../database/address.ts'
import { type EmbeddedServer, startEmbedded } from '../../database/embedded/server.ts'
import { migrateBy } from '../../database/migrate.ts'
import { requireOneDatabase } from '../../database/ways.ts'
import { addressOf } from '../../http/address.ts'
import { credentials } from '../../sandbox/people.ts'
import type { Settings } from '../../settings.ts'
import { addressRefusal, requireFreeAddress } from '../address.ts'
import type { Command, CommandInput, FreeCommand } from '../command.ts'
import { lineLog, logOptions, terminalLog } from '../log.ts'
import { beforeMigrating } from '../ours.ts'
import { requireStartable } from '../startable.ts'
import { stopped } from '../stopping.ts'

/** After the grace, how long what is under way may take to finish. */
const SHUTDOWN_MAX_MS = 15_000

const runUntilStopped = (
  name: string,
  summary: string,
  parts: ServiceParts,
  examples: FreeCommand['examples'],
): FreeCommand => ({
  kind: 'free',
  goesBy: 'all',
  name,
  summary,
  examples,
  run: (input) => run(input, parts),
})

export const serveCommands: readonly Command[] = [
  runUntilStopped('start', 'Answer requests and do due work in one process', { serves: true, works: true }, [
    ['start', 'runs a sandbox on the data in ./data'],
    ['start --port 8081 --data-dir ./other', 'runs another one beside it'],
    [
      'start --environment live --public-url https://pay.example.com',
      'runs live, with DATABASE_URL and QUITTANCE_SECRET set',
    ],
  ]),
  runUntilStopped('serve', 'Answer requests; due work is left to other processes', { serves: true, works: false }, [
    ['serve --port 8081', 'answers at this port; the database is that of DATABASE_URL'],
  ]),
  runUntilStopped('work', 'Do due work; requests are left to other processes', { serves: false, works: true }, [
    ['work', 'delivers, mails and keeps deadlines beside processes that serve'],
  ]),
]

async function run({ settings, output }: CommandInput, parts: ServiceParts): Promise<void> {
  const lines = logDestination()
  const log = pino(logOptions(settings.logLevel), lines)
  const { app, statusUrl, close } = await openService(settings, log, parts)
  // Who reads that we are ready may tell us to stop the next moment.
  const stopping = stopped(log, { withParent: settings.stopWithParent, atOnce: lines.drop })
  output.out(greeting(app, settings, parts, statusUrl))
  if (settings.environment === 'live' && settings.publicUrl === undefined)
    log.warn(`PUBLIC_URL is not set: links in mails, answers and certificates lead to ${app.service.publicUrl}`)
  await stopping
  // What could not be ended in time must not keep the process: nothing acknowledged depends on it.
  if ((await Promise.race([close(), overdue(settings)])) === 'overdue') {
    log.error('what was under way could not be finished in time')
    process.exitCode = 1
  }
  await lines.end()
  process.exit()
}

interface ServiceParts {
  readonly serves: boolean
  readonly works: boolean
}

/** A service that answers or works, on the database of the settings; the embedded one ends with it. */
export async function openService(
  settings: Settings,
  log: Logger,
  { serves, works }: ServiceParts,
): Promise<{ app: App; statusUrl?: string; close(): Promise<void> }> {
  await requireStartable(settings)
  const ofStatus = statusAddress(settings)
  if (serves && ofStatus?.port === settings.port && settings.port !== 0)
    throw new SettingError(`PORT and STATUS_PORT are both ${settings.port}: set one of them to another port.`)
  if (serves) await requireFreeAddress(settings)
  if (ofStatus) await requireFreeAddress(ofStatus)
  // Loading every room takes longer than all that comes before, so it goes on while the database starts; a start that
  // is refused does not wait for it.
  const loading = import('../../app.ts')
  const embedded = await startDatabase(settings)
  const ways = waysOf(settings, embedded)
  let app: App | undefined
  let status: FastifyInstance | undefined
  const close = async () => {
    try {
      await app?.close()
    } finally {
      await status?.close()
      await embedded?.stop()
    }
  }
  try {
    await requireOneDatabase(ways)
    await migrateBy(ways, { before: beforeMigrating(settings), onWait: (sentence) => log.warn(sentence) })
    const { openApp } = await loading
    const dataDir = embedded ? resolve(settings.dataDir) : undefined
    app = await openApp({ settings, ...ways, log, works, ...(dataDir !== undefined && { dataDir }) })
    if (serves) await listen(app, settings)
    if (ofStatus) status = await listenForStatus(app, ofStatus)
    const statusUrl = status && boundTo(status)
    return { app, ...(statusUrl !== undefined && { statusUrl }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A sandbox beside a command that needs one, and where it listens, whatever it is called outside. Only what goes wrong is logged. */
export async function startForCommand(settings: Settings): Promise<{ at: string; close(): Promise<void> }> {
  const log = pino(logOptions('error'), pino.destination(2))
  const { app, close } = await openService({ ...settings, environment: 'sandbox' }, log, { serves: true, works: true })
  const bound = app.server.server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : settings.port
  return { at: addressOf(settings.host, port), close }
}

/** The address was free when it was tried; in the meantime somebody else may have taken it. */
async function listen(app: App, settings: Settings): Promise<void> {
  await app.listen().catch((error: unknown) => {
    throw addressRefusal(error, settings)
  })
}

const statusAddress = ({ host, statusPort }: Settings) =>
  statusPort === undefined ? undefined : ({ host, port: statusPort, variable: 'STATUS_PORT' } as const)

/** Open to the last, so that whoever asks meanwhile hears that the process is about to end. */
async function listenForStatus(
  app: App,
  { variable, ...address }: NonNullable<ReturnType<typeof statusAddress>>,
): Promise<FastifyInstance> {
  const { makeStatusServer } = await import('../../http/status-server.ts')
  const server = makeStatusServer(app.statusServer!)
  await server.listen(address).catch((error: unknown) => {
    throw addressRefusal(error, { ...address, variable })
  })
  return server
}

/** Without a named database the service brings its own; several processes can only share a named one. */
async function startDatabase(settings: Settings): Promise<EmbeddedServer | undefined> {
  if (settings.databaseUrl !== undefined) return undefined
  return startEmbedded({ dataDir: settings.dataDir, connectionsMax: settings.databaseConnections })
}

/** JSON for programs; at a terminal, lines for people. */
const logDestination = () =>
  process.stdout.isTTY
    ? terminalLog((text) => process.stdout.write(text), { coloured: process.env['NO_COLOR'] === undefined })
    : lineLog()

/** How long stopping may take: the grace, and then what is under way. */
const overdue = ({ shutdownGraceSeconds }: Settings) =>
  new Promise<'overdue'>((resolve) =>
    setTimeout(() => resolve('overdue'), shutdownGraceSeconds * 1000 + SHUTDOWN_MAX_MS).unref(),
  )

/** Where a server is bound. */
function boundTo({ server }: FastifyInstance): string | undefined {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return undefined
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

/** Where it listens, when that is not where others reach it. */
function listening({ service, server }: App): string {
  const at = boundTo(server)
  return at === undefined || service.publicUrl === at ? '' : `, listening on ${at.slice('http://'.length)}`
}

function greeting(app: App, settings: Settings, { serves, works }: ServiceParts, statusUrl?: string): string {
  const status = statusUrl === undefined ? '' : `Health and metrics are at ${statusUrl}\n`
  if (!serves) return `Quittance does due work.\n${status}`
  const { service } = app
  const heading = `Quittance ${settings.environment} is ready at ${service.publicUrl}${listening(app)}${works ? '' : ' (requests only)'}\n${status}`
  if (settings.environment === 'live') return heading
  const width = Math.max(...credentials.map(({ client_id }) => client_id.length))
  const people = credentials.map(
    ({ client_id, client_secret, owner }) =>
      `  ${client_id.padEnd(width)}  ${client_secret.padEnd(width + 7)}  ${owner}`,
  )
  return `${heading}
Client id and secret of the sandbox people:
${people.join('\n')}

Try it:
  TOKEN=$(curl -s -u sandbox-merchant:sandbox-merchant-secret -d grant_type=client_credentials ${service.publicUrl}/v1/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s -H "Authorization: Bearer $TOKEN" ${service.publicUrl}/v2/invoicing/invoices

API reference: ${service.publicUrl}/docs
`
}
