import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from './row.ts'

const folder = new URL('../rows/', import.meta.url)

/** Every row of every file in `bench/rows`, by file name. The load generator reads the same files in its own process. */
export async function loadRows(): Promise<readonly Row[]> {
  const files = readdirSync(fileURLToPath(folder)).filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(
    files.sort().map(async (name) => (await import(new URL(name, folder).href)) as { rows: readonly Row[] }),
  )
  const rows = modules.flatMap((module) => module.rows)
  const names = rows.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`Two rows are called ${twice}.`)
  return rows
}
