import { execFileSync } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ground } from './ground.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()

/** The version before the newest migration, so that the next one has to migrate under its feet. */
function commitBefore(): string {
  const newest = readdirSync(join(root, 'migrations')).sort().at(-1)!
  const [added = ''] = git('log', '--diff-filter=A', '--format=%H', '--', `migrations/${newest}`).split('\n')
  return git('rev-parse', '--short', `${added}^`)
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
