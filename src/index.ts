import { pino } from 'pino'
import { openService } from './cli/commands/serve.ts'
import { logOptions } from './cli/log.ts'
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
  const { app, close } = await openService(settings, pino(logOptions(settings.logLevel)), { serves: true, works: true })
  return { url: app.service.publicUrl, stop: close }
}
