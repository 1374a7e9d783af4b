import { resolve } from 'node:path'
import { TargetError } from '../../backup/error.ts'
import { waysOf } from '../../database/address.ts'
import { findHome, markMoved } from '../../database/embedded/folders.ts'
import { startEmbedded } from '../../database/embedded/server.ts'
import { databaseSettings } from '../../database/settings.ts'
import type { Settings } from '../../settings.ts'
import { type Command, CommandError, type CommandInput, UsageError } from '../command.ts'
import { otherComplaint, whereOf } from '../database-complaint.ts'
import { print } from '../print.ts'
import { requireSecrets } from '../startable.ts'
import { noteInLog } from '../store.ts'

/** Everything a service holds: into a file, out of one, and from one database to another. */
export const backupCommands: readonly Command[] = [
  {
    kind: 'free',
    goesBy: 'database',
    name: 'backup',
    summary: 'Write everything in the database, as of one instant, into a file; services may go on meanwhile',
    arguments: ['file'],
    examples: [['backup monday.backup', 'writes a compressed file, which restore reads']],
    async run(input, cause) {
      const { backUp } = await import('../../backup/run.ts')
      const {
        settings,
        output,
        arguments: [file],
      } = input
      requireData(settings)
      await tellOf(input, { join: true }, async (databaseUrl, say) => {
        const made = await backUp(file!, { databaseUrl, environment: settings.environment, say }, output.interrupted)
        // A role that may only read cannot write to the audit log. The backup is made all the same.
        await noteInLog(databaseUrl, settings, cause, file!).catch(unnoted(say, 'the backup is made'))
        return made
      })
    },
  },
  {
    kind: 'free',
    goesBy: 'database',
    name: 'restore',
    summary: 'Restore a backup into an empty database, and check that everything is consistent',
    arguments: ['file'],
    options: { replace: { type: 'boolean', description: 'Delete everything that the database holds now' } },
    examples: [
      ['restore monday.backup --data-dir ./restored', 'makes a new data folder with it'],
      ['restore monday.backup --replace', 'goes back to it'],
    ],
    async run(input, cause) {
      const { check, restore } = await import('../../backup/run.ts')
      const {
        settings,
        options,
        output,
        arguments: [file],
      } = input
      const secrets = requireSecrets(settings)
      const replace = options['replace'] === true
      // Checked first: a damaged file must not leave a new data folder behind.
      const backup = await check(file!, sayTo(output))
      await tellOf(input, { join: false }, async (databaseUrl, say) => {
        const loaded = await restore(backup, { databaseUrl, environment: settings.environment, secrets, replace, say })
        await noteInLog(databaseUrl, settings, cause, file!).catch(unnoted(say, 'everything is restored'))
        return loaded
      })
    },
  },
  {
    kind: 'free',
    goesBy: 'database',
    name: 'move',
    summary: 'Move everything to another, empty database, for example from the embedded server',
    options: {
      // The address holds a password, which must not stand in a log.
      to: { type: 'string', value: '<address>', description: 'Where to, as DATABASE_URL is written', personal: true },
    },
    examples: [['move --to postgres://quittance:…@db.internal/quittance', 'moves what is in the data folder there']],
    async run(input, cause) {
      const { move } = await import('../../backup/run.ts')
      const { settings, output, options } = input
      const to = databaseSettings.databaseUrl.read(String(options['to'] ?? ''))
      if (to === undefined)
        throw new UsageError('Name the database to move to: --to postgres://user:password@host:5432/database.')
      const secrets = requireSecrets(settings)
      requireData(settings)
      await tellOf(input, { join: false }, async (databaseUrl, say) => {
        const from = { databaseUrl, environment: settings.environment, say }
        const moved = await move(from, { to, secrets }).catch(aboutTarget(to))
        // If this note fails the move has happened all the same, and the old data folder must still be marked as moved.
        await noteInLog(to, settings, cause, whereOf(to)).catch(unnoted(say, 'everything is moved'))
        return moved
      })
      if (settings.databaseUrl === undefined) markMoved(resolve(settings.dataDir), whereOf(to))
      output.err(
        'quittance: set DATABASE_URL to that address from now on. What was moved is also still where it was.\n',
      )
    },
  },
]

/** Runs something on the database of the settings, the embedded one among them, and prints what came of it. */
async function tellOf(
  { settings, output, options }: CommandInput,
  { join }: { join: boolean },
  work: (databaseUrl: string, say: (sentence: string) => void) => Promise<object>,
): Promise<void> {
  const embedded =
    settings.databaseUrl === undefined ? await startEmbedded({ dataDir: settings.dataDir, join }) : undefined
  try {
    const { databaseUrl, directUrl = databaseUrl } = waysOf(settings, embedded)
    const result = await work(directUrl, sayTo(output))
    output.out(`${print(result, options['json'] === true)}\n`)
  } finally {
    await embedded?.stop()
  }
}

const sayTo = (output: CommandInput['output']) => (sentence: string) => output.err(`quittance: ${sentence}\n`)

const unnoted =
  (say: (sentence: string) => void, done: string) =>
  ({ message }: Error) =>
    say(`${done}, and the audit log of the database could not be told of it: ${message}`)

/** A start would make an empty database first, and then find nothing in it. */
function requireData({ databaseUrl, dataDir }: Settings): void {
  if (databaseUrl === undefined && findHome(resolve(dataDir)) === undefined)
    throw new CommandError(`There is no data in ${resolve(dataDir)}: set QUITTANCE_DATA_DIR, or DATABASE_URL.`)
}

/** What is wrong with the database at the other end, and not with that of the settings. */
const aboutTarget = (to: string) => (error: unknown) => {
  const sentence = error instanceof TargetError ? otherComplaint(error, to, '--to') : undefined
  throw sentence === undefined ? error : new CommandError(sentence)
}
