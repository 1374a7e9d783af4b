import { waysOf } from '../database/address.ts'
import { startEmbedded } from '../database/embedded/server.ts'
import { migrateBy } from '../database/migrate.ts'
import type { Command } from './command.ts'

/** Brings the schema up to date. A service that starts does this by itself; running it before is for planned upgrades. */
export const migrateCommand: Command = {
  kind: 'free',
  name: 'migrate',
  summary: 'Bring the database schema up to date',
  async run({ settings, output }) {
    const embedded =
      settings.databaseUrl === undefined ? await startEmbedded({ dataDir: settings.dataDir, join: true }) : undefined
    try {
      const applied = await migrateBy(waysOf(settings, embedded))
      output.out(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`)
    } finally {
      await embedded?.stop()
    }
  },
}
