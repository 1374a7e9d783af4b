// Compiles src into dist, and does nothing when dist is newer than every source file. Types are checked by `npm run check`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const stamp = join(root, 'dist', '.built')

const newest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs

const configurations = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.types.json']

function compile() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  for (const configuration of configurations.slice(1)) {
    const words = [compiler, '-p', join(root, configuration), '--noCheck']
    const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' })
    if (status !== 0) process.exit(status ?? 1)
  }
  // What browsers load and what was recorded is not compiled.
  for (const name of ['console/assets', 'reference/examples.json'])
    cpSync(join(root, 'src', name), join(root, 'dist', name), { recursive: true })
  // The compiler leaves the names of source files in declarations, where nobody finds them.
  for (const name of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const path = join(root, 'dist', name)
    if (name.endsWith('.d.ts'))
      writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from|import\() ?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}

const sources = Math.max(...['src', 'package-lock.json', ...configurations].map((name) => newest(join(root, name))))
if (!existsSync(stamp) || statSync(stamp).mtimeMs < sources) {
  compile()
  writeFileSync(stamp, '')
  utimesSync(stamp, sources / 1000 + 1, sources / 1000 + 1)
}

// Whoever ends npm ends the shell between npm and us, and neither tells us.
if (process.env.npm_lifecycle_event !== undefined) process.env.STOP_WITH_PARENT ??= 'true'

// With words behind it, the program runs in this very process: `node build.mjs start`.
if (process.argv.length > 2) await import('./dist/main.js')
