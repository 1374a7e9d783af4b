import { resolve } from 'node:path'
import { pino } from 'pino'
import { openApp } from './app.ts'
import { logOptions } from './cli/log.ts'
import { waysOf } from './database/address.ts'
import { startEmbedded } from './database/embedded/server.ts'
import { migrateBy } from './database/migrate.ts'
import { readSettings } from './settings.ts'

/** A service that answers. */
export interface RunningService {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Runs the service in this process, as `quittance start` does in one of its own. Settings go by the names of their
 * variables: `start({ PORT: '0', QUITTANCE_DATA_DIR: './data' })`. The environment is not read.
 */
export async function start(variables: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const settings = readSettings(variables)
  const { dataDir, databaseConnections } = settings
  const embedded =
    settings.databaseUrl === undefined
      ? await startEmbedded({ dataDir, connectionsMax: databaseConnections })
      : undefined
  const ways = waysOf(settings, embedded)
  try {
    await migrateBy(ways)
    const log = pino(logOptions(settings.logLevel))
    const app = await openApp({
      settings,
      ...ways,
      log,
      works: true,
      ...(embedded && { dataDir: resolve(dataDir) }),
    })
    const stop = () => app.close().then(() => embedded?.stop())
    return { url: await app.listen().catch((error: unknown) => stop().then(() => Promise.reject(error))), stop }
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}
