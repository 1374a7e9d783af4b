import { Readable } from 'node:stream'
import { Answer } from '../http/route.ts'

/** A file has no more rows than this. */
export const CSV_ROWS_MAX = 100_000

/** A column: its name, and what stands in it. */
export type Column<Row> = readonly [name: string, of: (row: Row) => string | undefined]

/**
 * A cell that no spreadsheet takes for a formula, even when it takes the cell for two and the second of them looks like one:
 * many begin a new cell after a semicolon or a tab, and those that know only the semicolon see no quote behind a comma.
 */
const cell = (value = ''): string => {
  const isNumber = /^-?\d+(\.\d+)?$/.test(value)
  const text = isNumber ? value : value.replace(/[;\t\r\n] *(?="*[=+\-@])/g, "$&'").replace(/^[=+\-@\t\r]/, "'$&")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`

async function* lines<Row>(
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
  max: number,
): AsyncGenerator<string> {
  yield line(columns.map(([name]) => name))
  let left = max
  for await (const rows of pages) {
    yield rows
      .slice(0, left)
      .map((row) => line(columns.map(([, of]) => cell(of(row)))))
      .join('')
    left -= rows.length
    if (left <= 0) return
  }
}

/** A table as a file. It is read page by page while it goes out, and never held as a whole. */
export function csvAnswer<Row>(
  name: string,
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
  max = CSV_ROWS_MAX,
): Answer {
  return new Answer(200, Readable.from(lines(columns, pages, max), { objectMode: false }), {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
}
