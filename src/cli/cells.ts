import { type Cell, printHaproxy } from '../cells/haproxy.ts'
import { printMap } from '../cells/map.ts'
import { isCell } from '../kernel/cell.ts'
import { type Command, CommandError, UsageError } from './command.ts'

const MAP_FILE = '/etc/haproxy/cells.map'

/** What a balancer before several cells needs to know. */
export const cellCommands: readonly Command[] = [
  {
    kind: 'free',
    name: 'cells haproxy',
    summary: 'Print the configuration of haproxy that sends every call to its cell',
    arguments: ['default cell=host:port[,host:port]', '[cell=host:port…]'],
    options: {
      listen: { type: 'string', value: '<address>', description: 'Where haproxy listens; :8080 when not said' },
      map: { type: 'string', value: '<file>', description: `Where it finds the map; ${MAP_FILE} when not said` },
    },
    examples: [['cells haproxy K=10.1.0.1:8080,10.1.0.2:8080 M=10.2.0.1:8080', 'sends what has no mark to K']],
    async run({ arguments: words, options, output }) {
      const [first, ...others] = distinct(words.map(readCell))
      const [{ describedRoutes }, { describedService }] = await Promise.all([
        import('../routes.ts'),
        import('../printed.ts'),
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
    summary: 'Print what lives in this cell and cannot be told from its mark, as lines of a map of haproxy',
    arguments: ['default cell', '[cell…]'],
    examples: [['cells map K M > k.map', 'prints the lines of one cell; the map is those of all cells']],
    async run({ arguments: words, database, settings, output }) {
      const cells = distinct(words.map(readMark)).map(({ mark }) => mark)
      const own = settings.cell
      if (own === undefined) throw new CommandError('This is no cell: set CELL.')
      if (!cells.includes(own)) throw new UsageError(`Name every cell: this one is ${own}.`)
      if (settings.secrets === undefined) throw new CommandError('Set QUITTANCE_SECRET, as for the service.')
      await printMap({ database, own, cells, secrets: settings.secrets, line: (key) => output.out(`${key} ${own}\n`) })
      return undefined
    },
  },
]

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
