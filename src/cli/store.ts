import { setTimeout as pause } from 'node:timers/promises'
import { BELIEVED_MS } from '../accounts/authenticate.ts'
import { openClocks } from '../clocks.ts'
import { waysOf } from '../database/address.ts'
import { startEmbedded } from '../database/embedded/server.ts'
import { requireCell, requireEnvironment } from '../database/environment.ts'
import { migrateBy } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import { makeTransact } from '../database/transaction.ts'
import type { Cause } from '../kernel/cause.ts'
import { idsIn, randomIds } from '../kernel/ids.ts'
import type { Settings } from '../settings.ts'
import type { StoreInput } from './command.ts'

const tellAccessChanged = sql`select pg_notify('quittance', 'access')`

type Store = Pick<StoreInput, 'db' | 'database' | 'transact' | 'announceAccessChange'>

/** Runs `work` on the database of the settings: the named one, or the embedded one, started or joined for the moment. */
export async function withStore<T>(settings: Settings, cause: Cause, work: (store: Store) => Promise<T>): Promise<T> {
  const embedded =
    settings.databaseUrl === undefined ? await startEmbedded({ dataDir: settings.dataDir, join: true }) : undefined
  const ways = waysOf(settings, embedded)
  try {
    await migrateBy(ways)
    const database = openDatabase(ways.directUrl ?? ways.databaseUrl, {
      connectionsMax: 2,
      applicationName: 'quittance command',
    })
    try {
      await requireEnvironment(database, settings.environment)
      await requireCell(database, settings.cell)
      const clocks = openClocks(settings.environment, database)
      await clocks.start()
      clocks.stop()
      const { clock } = clocks
      const transact = makeTransact({ database, clock, ids: idsIn(settings.cell, randomIds), onWork: () => {} })(cause)
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
