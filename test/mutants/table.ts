import { readFileSync, writeFileSync } from 'node:fs'
import type { Guard } from './guards.ts'

/** Where the results are told, and by which test each guard was missed when it was gone. */
export const TABLE = new URL('../../docs/mutants.md', import.meta.url)

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim()

/** What the document has of each guard, by its name. */
export function rowsOf(document: string): Map<string, string> {
  const rows = document.split('\n').flatMap((line) => {
    const found = /^\| ([^|]+) \| `[^`|]+` \| (.+) \|$/.exec(line)
    return found ? [[found[1]!, found[2]!] as const] : []
  })
  return new Map(rows)
}

/** Puts results into the document; those of other guards stay, and what is no guard any more goes. */
export function printTable(all: readonly Guard[], results: ReadonlyMap<string, string>): void {
  const document = readFileSync(TABLE, 'utf8')
  const head = document.slice(0, document.indexOf('| Guard |'))
  const known = rowsOf(document)
  const rows = all.map(({ guards: name, file }) => {
    const result = results.get(name) ?? known.get(cell(name))
    return `| ${cell(name)} | \`${file}\` | ${result === undefined ? '**not tried**' : cell(result)} |`
  })
  writeFileSync(TABLE, `${head}${['| Guard | Taken out of | Noticed by |', '|---|---|---|', ...rows].join('\n')}\n`)
}
