import { setTimeout as pause } from 'node:timers/promises'
import { BELIEVED_MS } from '../accounts/authenticate.ts'
import { openClocks } from '../clocks.ts'
import { waysOf } from '../database/address.ts'
import { COMMAND_CONNECT_TIMEOUT_MS } from '../database/connector.ts'
import { startEmbedded } from '../database/embedded/server.ts'
import { requireCell, requireEnvironment } from '../database/environment.ts'
import { migrateBy } from '../database/migrate.ts'
import { type Database, openDatabase } from '../database/open.ts'
import { Partitions } from '../database/partitions.ts'
import { sql } from '../database/sql.ts'
import { makeTransact, type Transact } from '../database/transaction.ts'
import type { Cause } from '../kernel/cause.ts'
import { idsIn, randomIds } from '../kernel/ids.ts'
import type { Settings } from '../settings.ts'
import type { CommandInput, StoreInput } from './command.ts'
import { beforeMigrating } from './ours.ts'

const tellAccessChanged = sql`select pg_notify('quittance', 'access')`

type Store = Pick<StoreInput, 'db' | 'database' | 'transact' | 'announceAccessChange'>

/** Runs `work` on the database of the settings: the named one, or the embedded one, started or joined for the moment. */
export async function withStore<T>(
  { settings, output }: Pick<CommandInput, 'settings' | 'output'>,
  cause: Cause,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const embedded =
    settings.databaseUrl === undefined ? await startEmbedded({ dataDir: settings.dataDir, join: true }) : undefined
  const ways = waysOf(settings, embedded)
  try {
    await migrateBy(ways, {
      before: beforeMigrating(settings),
      onWait: (sentence) => output.err(`quittance: ${sentence}\n`),
    })
    const database = open(ways.directUrl ?? ways.databaseUrl)
    try {
      await requireEnvironment(database, settings.environment)
      await requireCell(database, settings.cell)
      const transact = await transactOf(database, settings, cause)
      const announceAccessChange = async () => {
        await database.rows(tellAccessChanged)
        // A service that missed the notification believes a token for this long at most.
        await pause(BELIEVED_MS)
      }
      return await work({ db: database, database, transact, announceAccessChange })
    } finally {
      await database.close()
    }
  } finally {
    await embedded?.stop()
  }
}

/** Has the audit log of a database say what a command did with all of it. */
export async function noteInLog(databaseUrl: string, settings: Settings, cause: Cause, what: string): Promise<void> {
  const database = open(databaseUrl)
  try {
    const transact = await transactOf(database, settings, cause)
    await transact(async (tx) => tx.about(null, what))
  } finally {
    await database.close()
  }
}

const open = (url: string) =>
  openDatabase(url, {
    connectionsMax: 2,
    connectTimeoutMs: COMMAND_CONNECT_TIMEOUT_MS,
    applicationName: 'quittance command',
  })

/** Units of work that happen because of a command, at the time that the service goes by. */
async function transactOf(database: Database, { environment, cell }: Settings, cause: Cause): Promise<Transact> {
  const clocks = openClocks(environment, database)
  await clocks.start()
  clocks.stop()
  const ids = idsIn(cell, randomIds)
  return makeTransact({ database, clock: clocks.clock, ids, partitions: new Partitions(database), onWork: () => {} })(
    cause,
  )
}
