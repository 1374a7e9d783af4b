import { databaseAddress, url } from '../../config.ts'
import { addressOf } from '../../database/address.ts'
import { COMMAND_CONNECT_TIMEOUT_MS, Connector, cut } from '../../database/connector.ts'
import { cellOf, claimEnvironment } from '../../database/environment.ts'
import { pendingMigrations } from '../../database/migrate.ts'
import { type Connection, type Database, type DatabaseOptions, openDatabase } from '../../database/open.ts'
import { makeTransact } from '../../database/transaction.ts'
import { brokenRules } from '../../invariants/check.ts'
import { systemClock } from '../../kernel/clock.ts'
import { randomIds } from '../../kernel/ids.ts'
import { cancelMove, MoveError, moveAccounts } from '../../moves/move.ts'
import { makeSeal, requireSameSecret } from '../../webhooks/signing/seal.ts'
import { type Command, CommandError, type CommandInput, type StoreInput, UsageError } from '../command.ts'
import { otherComplaint } from '../database-complaint.ts'
import { requireSecrets } from '../startable.ts'

const applicationName = 'quittance move'
const NO_SUCH_TABLE = '42P01'
const patient = {
  connectionsMax: 2,
  statementTimeoutMs: 60_000,
  connectTimeoutMs: COMMAND_CONNECT_TIMEOUT_MS,
  applicationName,
}

/** Moves accounts to the database of another deployment of the same service. */
export const moveCommand: Command = {
  kind: 'store',
  name: 'accounts move',
  summary: 'Move accounts to another database while they work; call again to go on with one that was stopped',
  arguments: ['account id', '[account id…]'],
  options: {
    to: {
      type: 'string',
      value: '<url>',
      description: 'The database they go to; without it --cancel leaves what is there',
      personal: true,
    },
    cancel: { type: 'boolean', description: 'Give up a move that was begun, as long as they have not left' },
    home: { type: 'string', value: '<url>', description: 'Where they are reached afterwards, if that is elsewhere' },
  },
  examples: [
    ['accounts move 5D7AXM9OKD1Q6 --to postgres://quittance@db2.internal/quittance', 'moves one account'],
    ['accounts move 5D7AXM9OKD1Q6 --to postgres://quittance@db2.internal/quittance --cancel', 'gives it up'],
  ],
  check: readCall,
  async run(input) {
    const { cancels, to, home, ids } = readCall(input)
    const target = to === undefined ? undefined : openOther(to, '--to', patient)
    try {
      return await alone(input, ids, async (source) => {
        // Cancelling can do without a target database; moving cannot.
        if (!cancels) return move(input, { source, target: target!, ids, home })
        await cancelMove({ source, target, ids })
        return { account_ids: ids, cancelled: true }
      })
    } catch (error) {
      if (error instanceof MoveError) throw new CommandError(error.message)
      throw error
    } finally {
      await target?.close()
    }
  },
}

function readCall({ arguments: words, options }: CommandInput) {
  const cancels = options['cancel'] === true
  const to = databaseAddress.read(String(options['to'] ?? ''))
  const home = options['home'] === undefined ? null : url.read(String(options['home']))
  if (to === undefined && !(cancels && options['to'] === undefined))
    throw new UsageError(`--to must be ${databaseAddress.form}.`)
  if (home === undefined) throw new UsageError(`--home must be ${url.form}.`)
  const ids = [...new Set(words)]
  const odd = ids.find((id) => !/^[A-Za-z0-9_-]{1,30}$/.test(id))
  if (odd !== undefined) throw new CommandError(`There is no account ${odd}.`)
  return { cancels, to, home, ids }
}

/** A database that was named with an option or an argument: what is wrong with it is not said of that of the settings. */
export function openOther(url: string, named: string, options: DatabaseOptions): Database {
  const database = openDatabase(url, options)
  const told = async <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      const sentence = otherComplaint(error, url, named)
      throw sentence === undefined ? error : new CommandError(sentence)
    })
  const rows: Connection['rows'] = (statement, values) => told(database.rows(statement, values))
  const row: Database['row'] = (statement, values) => told(database.row(statement, values))
  return { ...database, rows, row, transaction: (work, limitMs) => told(database.transaction(work, limitMs)) }
}

/** Two calls that follow the same changes would bring over what is no longer true. */
async function alone<T>(
  { settings }: StoreInput,
  ids: readonly string[],
  work: (source: Database) => Promise<T>,
): Promise<T> {
  const url = settings.databaseDirectUrl ?? settings.databaseUrl
  if (url === undefined) throw new CommandError('Accounts are moved between servers of your own: set DATABASE_URL.')
  const client = await new Connector(addressOf(url), { application_name: applicationName, keepAlive: true }).connect()
  const source = openDatabase(url, patient)
  try {
    for (const id of ids) {
      const { rows } = await client.query('select pg_try_advisory_lock(7232, hashtext($1)) as mine', [id])
      if (!rows[0].mine) throw new CommandError(`Account ${id} is being moved by another command.`)
    }
    return await work(source)
  } finally {
    await source.close()
    cut(client)
  }
}

interface Wish {
  readonly source: Database
  readonly target: Database
  readonly ids: readonly string[]
  readonly home: string | null
}

async function move({ settings, transact }: StoreInput, { source, target, ids, home }: Wish) {
  await requireFit(target, settings)
  const moveId = randomIds
    .next('token')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 16)
  const moved = await moveAccounts({ source, target, ids, moveId, home, now: systemClock.now() })
  const cause = { kind: 'service', task: moveCommand.name } as const
  const there = makeTransact({ database: target, clock: systemClock, ids: randomIds, onWork: () => {} })(cause)
  // Both logs say what became of them.
  for (const write of [transact, there])
    await write(async (tx) => {
      for (const id of ids) tx.about(id, id)
    })
  const broken = { here: await brokenRules(transact), there: await brokenRules(there) }
  if (broken.here.length + broken.there.length > 0)
    throw new CommandError(
      `The accounts were moved, and rules are broken: ${[...broken.here, ...broken.there].join(' ')} Run invariants.sql on both databases.`,
    )
  return { account_ids: ids, ...moved, rules_broken: 0 }
}

/** A database of the same service: the same version, environment and secret. */
export async function requireFit(target: Database, settings: StoreInput['settings']): Promise<void> {
  const pending = await pendingMigrations(target).catch((error: { code?: string }) => {
    if (error.code === NO_SUCH_TABLE) return ['all']
    throw error
  })
  if (pending.length > 0)
    throw new CommandError('The schema of the other database is of another version: run quittance migrate on it first.')
  await claimEnvironment(target, settings.environment)
  const cell = await cellOf(target)
  if (settings.cell !== undefined && cell === settings.cell)
    throw new CommandError(`The other database is cell ${cell} too: every cell has a letter of its own.`)
  if (settings.cell !== undefined && cell === undefined)
    throw new CommandError('The other database is no cell yet: start a service on it with its CELL first.')
  const seal = makeSeal(requireSecrets(settings))
  await requireSameSecret(target, seal, { of: 'the other database', mend: 'both services need the same' })
}
