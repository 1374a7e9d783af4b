import type pg from 'pg'
import { type Cell, printHaproxy } from '../../cells/haproxy.ts'
import {
  forgetHeard,
  hears,
  isHeard,
  isPublished,
  publish,
  subscriptionOf,
  subscriptionStatement,
} from '../../cells/join.ts'
import { printMap } from '../../cells/map.ts'
import { databaseAddress } from '../../config.ts'
import { addressOf, connectionSettings } from '../../database/address.ts'
import { COMMAND_CONNECT_TIMEOUT_MS, Connector, cut } from '../../database/connector.ts'
import { cellOf, claimCell, claimEnvironment } from '../../database/environment.ts'
import { isCell } from '../../kernel/cell.ts'
import { type Command, CommandError, type CommandInput, type StoreInput, UsageError } from '../command.ts'
import { openOther, requireFit } from './move.ts'

const MAP_FILE = '/etc/haproxy/cells.map'

/** What a balancer before several cells needs to know. */
export const cellCommands: readonly Command[] = [
  {
    kind: 'free',
    name: 'cells haproxy',
    summary: 'Print the configuration of haproxy that sends every call to its cell',
    arguments: ['default cell=host:port[,host:port]', '[cell=host:port…]'],
    options: {
      listen: { type: 'string', value: '<address>', description: 'Where haproxy listens; :8080 by default' },
      map: { type: 'string', value: '<file>', description: `Where it finds the map; ${MAP_FILE} by default` },
    },
    examples: [['cells haproxy K=10.1.0.1:8080,10.1.0.2:8080 M=10.2.0.1:8080', 'sends what has no mark to K']],
    async run({ arguments: words, options, output }) {
      const [first, ...others] = distinct(words.map(readCell))
      const [{ describedRoutes }, { describedService }] = await Promise.all([
        import('../../routes.ts'),
        import('../../printed.ts'),
      ])
      const routes = describedRoutes({ ...describedService, environment: 'live' })
      const { listen = ':8080', map = MAP_FILE } = options
      const balancer = { cells: [first!, ...others] as const, bind: String(listen), mapFile: String(map) }
      output.out(printHaproxy(routes, balancer))
    },
  },
  {
    kind: 'store',
    name: 'cells map',
    summary: 'Print what lives in this cell and cannot be told by its letter, as lines of an haproxy map',
    arguments: ['default cell', '[cell…]'],
    examples: [['cells map K M > k.map', 'prints the lines of one cell; the map is those of all cells']],
    check: readMapped,
    async run(input) {
      const { database, output } = input
      const { own, cells, secrets } = readMapped(input)
      await printMap({ database, own, cells, secrets, line: (key) => output.out(`${key} ${own}\n`) })
      return undefined
    },
  },
  {
    kind: 'store',
    name: 'cells join',
    summary: 'Tell the other cells which accounts live here, and learn theirs',
    arguments: ['[database of another cell…]'],
    examples: [
      ['cells join', 'tells the others; first on every cell'],
      [
        'cells join postgres://quittance@db2.internal/quittance',
        'hears from another; then on every cell of every other',
      ],
    ],
    check: readJoined,
    run: join,
  },
]

function readMapped({ arguments: words, settings: { cell: own, secrets } }: CommandInput) {
  const cells = distinct(words.map(readMark)).map(({ mark }) => mark)
  if (own === undefined) throw new CommandError('This is no cell: set CELL.')
  if (!cells.includes(own)) throw new UsageError(`Name every cell: this one is ${own}.`)
  if (secrets === undefined) throw new CommandError('Set QUITTANCE_SECRET, as for the service.')
  return { own, cells, secrets }
}

function readJoined({ arguments: words, settings }: CommandInput) {
  const { cell } = settings
  const url = settings.databaseDirectUrl ?? settings.databaseUrl
  if (cell === undefined || url === undefined) throw new CommandError('This is no cell: set CELL and DATABASE_URL.')
  const others = words.map((word) => {
    const read = databaseAddress.read(word)
    if (read === undefined) throw new UsageError(`A cell is named by ${databaseAddress.form}.`)
    return read
  })
  return { cell, url, others }
}

async function join(input: StoreInput) {
  const { settings, database, transact } = input
  const { cell, url, others } = readJoined(input)
  const heard: string[] = []
  // No service may have started on it yet.
  await claimEnvironment(database, settings.environment)
  await claimCell(database, cell)
  await connected(url, async (here) => {
    await publish(here, cell)
    for (const other of others) heard.push(await hear(here, other, settings))
  })
  await transact(async (tx) => tx.about(null, ['cell', cell, ...heard].join(' ')))
  return { cell, tells: true, hears: heard }
}

async function hear(here: pg.Client, other: string, settings: StoreInput['settings']): Promise<string> {
  const database = openOther(other, 'its address', {
    connectionsMax: 1,
    connectTimeoutMs: COMMAND_CONNECT_TIMEOUT_MS,
  })
  const from = await requireFit(database, settings)
    .then(() => cellOf(database))
    .finally(() => database.close())
  const heard = await hears(here, from!, settings.cell!)
  await connected(other, async (there) => {
    if (heard === undefined && (await isHeard(there, from!, settings.cell!)))
      throw new CommandError(
        `An earlier database of this cell listens to cell ${from}: let a superuser run this there. select pg_drop_replication_slot('${subscriptionOf(from!, settings.cell!)}');`,
      )
    if (!(await isPublished(there)))
      throw new CommandError(`Cell ${from} does not tell yet: run quittance cells join there first.`)
    const { rows } = await there.query<{ wal_level: string }>('show wal_level')
    if (rows[0]!.wal_level !== 'logical')
      throw new CommandError(`The server of cell ${from} must have wal_level = logical, which takes a restart.`)
  })
  if (heard === 'all') return from!
  await forgetHeard(here, from!)
  const statement =
    heard === 'nothing'
      ? `alter subscription ${subscriptionOf(from!, settings.cell!)} refresh publication`
      : subscriptionStatement(from!, settings.cell!, conninfoOf(other))
  await here.query(statement).catch((error: { code?: string; message: string }) => {
    // It is the server of this cell that calls the other one.
    if (error.code?.startsWith('08'))
      throw new CommandError(
        `The server of this cell cannot listen to cell ${from} (${error.message}): its address must lead there from that server too, and its role needs REPLICATION there.`,
      )
    if (error.code !== '42501') throw error
    throw new CommandError(
      `The role may not subscribe: let a superuser run this on the database of this cell. The role that it names needs REPLICATION at cell ${from}. ${statement};`,
    )
  })
  return from!
}

/** As the server takes it, which then calls the other one. */
function conninfoOf(url: string): string {
  const { connectionString, host, port, database, user } = connectionSettings(url)
  return connectionString ?? `host=${host} port=${port} dbname=${database} user=${user}`
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await new Connector(addressOf(url), { application_name: 'quittance command' }).connect()
  try {
    return await work(client)
  } finally {
    cut(client)
  }
}

function readMark(word: string): { mark: string } {
  if (!isCell(word)) throw new UsageError(`${word} is no cell: a cell is one letter, A to Z without I and O.`)
  return { mark: word }
}

function readCell(word: string): Cell {
  const [mark = '', addresses = ''] = word.split('=')
  const servers = addresses.split(',')
  if (servers.some((address) => !/^[\w.:[\]-]+:\d{1,5}$/.test(address)))
    throw new UsageError(`${word} must say where a cell listens, such as K=10.1.0.1:8080.`)
  return { ...readMark(mark), servers }
}

function distinct<T extends { mark: string }>(cells: readonly T[]): readonly T[] {
  if (new Set(cells.map(({ mark }) => mark)).size < cells.length) throw new UsageError('Name each cell once.')
  return cells
}
