import type { Cost, Stay } from './measure.ts'

const kB = (bytes: number) => (bytes / 1000).toFixed(1)
const total = ({ tables }: Cost, of: 'rows' | 'bytes', ...stays: Stay[]) =>
  tables.filter(({ stay }) => stays.includes(stay)).reduce((sum, table) => sum + table[of], 0)

const columns: readonly (readonly [title: string, of: (cost: Cost) => string])[] = [
  ['rows for ever', (cost) => total(cost, 'rows', 'ever').toFixed(1)],
  ['rows for a time', (cost) => total(cost, 'rows', 'retention').toFixed(1)],
  ['kB for ever', (cost) => kB(total(cost, 'bytes', 'ever'))],
  ['kB for a time', (cost) => kB(total(cost, 'bytes', 'retention'))],
  ['kB of WAL', (cost) => `${kB(cost.walSeldom)} to ${kB(cost.walOften)}`],
  ['ms of database', ({ databaseMs }) => databaseMs?.toFixed(1) ?? '-'],
  ['ms of service', ({ serviceMs }) => serviceMs.toFixed(1)],
]

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`

/** The tables of docs/scaling.md. */
export function printSheet(
  costs: Readonly<Record<string, Cost>>,
  { times, server }: { times: number; server: string },
) {
  const sheet = [
    line(['', ...columns.map(([title]) => title)]),
    line(['---', ...columns.map(() => '---:')]),
    ...Object.entries(costs).map(([name, cost]) => line([name, ...columns.map(([, of]) => of(cost))])),
  ]
  const parts = Object.entries(costs).map(([name, { tables }]) => {
    const largest = tables
      .toSorted((a, b) => b.bytes - a.bytes)
      .filter(({ stay, bytes }) => stay !== 'passing' && bytes >= 50)
    return `${name}: ${largest.map(({ table, rows, bytes }) => `${table} ${rows.toFixed(1)} / ${kB(bytes)}`).join(', ')}\n`
  })
  return `${server}; ${times} of each and a fifth more, after a warm-up.\n\n${sheet.join('')}\nRows / kB by table\n${parts.join('')}`
}
