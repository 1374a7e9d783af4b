import type { Logger } from 'pino'
import { type Database, type DatabaseOptions, openDatabase } from './open.ts'
import { Replica } from './replica.ts'

interface Given extends DatabaseOptions {
  readonly settings: { readonly databaseReadUrl: string | undefined; readonly databaseConnections: number }
  readonly log: Logger
}

/** The replica that the settings name, if they do. */
export function openReplica({ settings, log, ...limits }: Given, primary: Database): Replica | undefined {
  const { databaseReadUrl, databaseConnections: connectionsMax } = settings
  if (databaseReadUrl === undefined) return undefined
  return new Replica({
    primary,
    replica: openDatabase(databaseReadUrl, { ...limits, connectionsMax, standby: true }),
    onChange: (away, err) =>
      away === undefined
        ? log.info('reads go to the replica')
        : log.warn({ replica: away, err }, 'reads go to the primary, because the replica cannot be used'),
  })
}
