import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ground } from './ground.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()

/** The newest version with fewer migrations, so that the next one has to migrate under its feet; not one between two that had the same number. */
function commitBefore(): string {
  const present = readdirSync(join(root, 'migrations')).length
  const isBefore = (commit: string) => {
    const names = git('ls-tree', '--name-only', commit, 'migrations/').split('\n')
    return (
      names.length < present &&
      new Set(names.map((name) => name.slice(0, 'migrations/0000'.length))).size === names.length
    )
  }
  const commits = git('log', '--format=%h', '--', 'migrations').split('\n')
  return commits.find(isBefore)!
}

/** An earlier version of the program, compiled from this repository's history. */
export function buildOlder(ground: Ground): { readonly program: string; readonly commit: string } {
  const commit = commitBefore()
  const folder = ground.newFolder('older')
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C '${folder}'`], { cwd: root })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, ['build.mjs'], { cwd: folder, stdio: 'ignore' })
  return { program: join(folder, 'dist/main.js'), commit }
}

/** The program as it is now with a migration more, as the next version will have one. */
export function buildNewer(ground: Ground): string {
  const folder = ground.newFolder('newer')
  for (const name of ['dist', 'migrations', 'scenarios', 'openapi.json', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(
    join(folder, 'migrations/9999_next.sql'),
    "alter table invoices add column added_later text not null default 'new';\n",
  )
  return join(folder, 'dist/main.js')
}
