import { plainly } from './paint.ts'

/** What a command found, as text: a table for people, JSON for programs. */
export function print(result: object | readonly object[], asJson: boolean): string {
  if (asJson) return JSON.stringify(result, null, 2)
  const rows = (Array.isArray(result) ? result : [result]) as Record<string, unknown>[]
  return Array.isArray(result) ? table(rows) : list(rows[0]!)
}

function table(rows: readonly Record<string, unknown>[]): string {
  if (rows.length === 0) return 'none'
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => columns.map((column) => cell(row[column])))
  const widths = columns.map((column, i) => Math.max(column.length, ...cells.map((line) => line[i]!.length)))
  const line = (values: readonly string[]) =>
    values
      .map((value, i) => value.padEnd(widths[i]!))
      .join('  ')
      .trimEnd()
  return [line(columns), ...cells.map(line)].join('\n')
}

function list(row: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length))
  return Object.entries(row)
    .map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    .join('\n')
}

const cell = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : plainly(value.join(' '))
  return plainly(typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''))
}
