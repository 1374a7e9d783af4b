import type pg from 'pg'
import { addressOf, waysOf } from '../../database/address.ts'
import { Connector } from '../../database/connector.ts'
import { joinTables, PartitioningError, partitionTables } from '../../database/partitioning.ts'
import { Partitions } from '../../database/partitions.ts'
import { unlimited } from '../../database/session.ts'
import { unprepared } from '../../database/sql.ts'
import { type Command, CommandError, type StoreInput } from '../command.ts'

/** Rows are those that the server estimates: counting them would read everything. */
const listed = unprepared(`
  select p.relname as table, c.relname as partition, greatest(c.reltuples, 0)::bigint::text as rows,
    pg_size_pretty(pg_total_relation_size(c.oid)) as size
  from pg_inherits i join pg_class p on p.oid = i.inhparent and p.relkind = 'p' join pg_class c on c.oid = i.inhrelid
  where p.relnamespace = current_schema()::regnamespace order by 1, 2`)

/** Tables that grow with every event, kept in partitions of which the old ones are dropped whole. */
export const partitionCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'partitions on',
    summary: 'Keep events, deliveries, attempts and the audit log in partitions by time, while services run',
    examples: [['partitions on', 'then start the services again, one after the other']],
    check: ({ settings }) => urlOf(settings),
    run: turnOn,
  },
  {
    kind: 'store',
    name: 'partitions off',
    summary:
      'Move everything back into tables without partitions; rows are copied, and requests that need them wait meanwhile',
    examples: [['partitions off', 'with the services stopped, where there is much']],
    check: ({ settings }) => urlOf(settings),
    run: turnOff,
  },
  {
    kind: 'store',
    name: 'partitions list',
    summary: 'List the partitions there are',
    examples: [['partitions list', 'shows them, by table']],
    run: ({ db }) => db.rows<object>(listed),
  },
]

async function turnOn(input: StoreInput) {
  const { database, transact } = input
  const now = await transact(async (tx) => tx.now)
  await changing(input, async (client, say) => {
    await partitionTables(client, now, say)
    await new Partitions(database).keepAhead(now)
  })
  return database.rows<object>(listed)
}

async function turnOff(input: StoreInput) {
  await changing(input, joinTables)
  return input.database.rows<object>(listed)
}

/** Changes tables on a connection of its own, which takes as long as it takes. */
async function changing(
  { settings, transact, output }: StoreInput,
  work: (client: pg.Client, say: (sentence: string) => void) => Promise<void>,
): Promise<void> {
  const client = await new Connector(addressOf(urlOf(settings)), { application_name: 'quittance command' }).connect()
  try {
    await client.query(`${unlimited}; set lock_timeout = 0`)
    await work(client, (sentence) => output.err(`${sentence}\n`))
  } catch (error) {
    if (error instanceof PartitioningError) throw new CommandError(error.message)
    throw error
  } finally {
    await client.end()
  }
  await transact(async (tx) => tx.about(null, 'partitions'))
}

function urlOf(settings: StoreInput['settings']): string {
  if (settings.databaseUrl === undefined)
    throw new CommandError('Partitions are for a server of your own: set DATABASE_URL.')
  const { directUrl, databaseUrl } = waysOf(settings, undefined)
  return directUrl ?? databaseUrl
}
