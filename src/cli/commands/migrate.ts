import { waysOf } from '../../database/address.ts'
import { startEmbedded } from '../../database/embedded/server.ts'
import { migrateBy } from '../../database/migrate.ts'
import type { Command } from '../command.ts'
import { beforeMigrating } from '../ours.ts'
import { print } from '../print.ts'
import { noteInLog } from '../store.ts'

/** Brings the schema up to date. A service that starts does this by itself; running it before is for planned upgrades. */
export const migrateCommand: Command = {
  kind: 'free',
  goesBy: 'database',
  name: 'migrate',
  summary: 'Bring the database schema up to date',
  examples: [['migrate', 'before the processes of a new version start']],
  async run({ settings, output, options }, cause) {
    const embedded =
      settings.databaseUrl === undefined ? await startEmbedded({ dataDir: settings.dataDir, join: true }) : undefined
    try {
      const ways = waysOf(settings, embedded)
      const applied = await migrateBy(ways, {
        before: beforeMigrating(settings),
        onWait: (sentence) => output.err(`quittance: ${sentence}\n`),
      })
      const newest = applied.at(-1)
      if (newest !== undefined) await noteInLog(ways.directUrl ?? ways.databaseUrl, settings, cause, newest)
      const sentence = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`
      output.out(`${options['json'] === true ? print({ applied }, true) : sentence}\n`)
    } finally {
      await embedded?.stop()
    }
  },
}
