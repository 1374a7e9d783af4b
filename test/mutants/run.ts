import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../../src/database/embedded/server.ts'
import { removeData } from '../support/server.ts'
import { type Guard, guards } from './guards.ts'

/**
 * Takes every guard away, one at a time, in a copy of the source, and runs the tests that must notice. Without a guard
 * they have to fail; with all of them they have to pass, which is tried first.
 */
const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1' },
    /** Only guards whose name or file matches this pattern. */
    only: { type: 'string' },
    /** So many, spread over the list. */
    sample: { type: 'string' },
    /** Leaves out the run with all guards in place. */
    'no-baseline': { type: 'boolean', default: false },
  },
})

const root = fileURLToPath(new URL('../..', import.meta.url))

function chosen(): readonly Guard[] {
  const named = guards.filter(({ guards: name, file }) => new RegExp(options.only ?? '').test(`${name} ${file}`))
  const most = options.sample === undefined ? named.length : Math.min(Number(options.sample), named.length)
  return Array.from({ length: most }, (_, i) => named[Math.floor((i * named.length) / most)]!)
}

/** The source with the guard taken away. One that is not there, or not the only one, says nothing about the tests. */
function mutated({ file, text, replacement }: Guard): string {
  const source = readFileSync(join(root, file), 'utf8')
  const parts = source.split(text)
  if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times: ${text.trim()}`)
  return parts.join(replacement)
}

/** A tree of its own for a worker: every file a hard link, so that it costs nothing; a changed one is written anew. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'quittance-mutants-'))
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  for (const file of files.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    putBack(copy, file)
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function putBack(copy: string, file: string): void {
  rmSync(join(copy, file), { force: true })
  try {
    linkSync(join(root, file), join(copy, file))
  } catch {
    copyFileSync(join(root, file), join(copy, file))
  }
}

/** How the tests went in a tree: how many failed and passed, or neither when they could not even be run. */
function runTests(tree: string, databaseUrl: string, tests: readonly string[], titled?: string) {
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', ...tests, '--maxWorkers=1', ...(titled === undefined ? [] : ['-t', titled])]
  const env = { ...process.env, TEST_DATABASE_URL: databaseUrl, NO_COLOR: '1' }
  return new Promise<{ failed: number; passed: number; output: string }>((resolve) => {
    const child = spawn(process.execPath, args, { cwd: tree, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    child.on('close', () => {
      const line = /^\s*Tests\s.*$/m.exec(output)?.[0] ?? ''
      const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0)
      // A hook that fails, the invariants of a world among them, is no test, and yet the file has failed.
      const files = Number(/^\s*Test Files\s.*?(\d+) failed/m.exec(output)?.[1] ?? 0)
      resolve({ failed: Math.max(count('failed'), line === '' ? 0 : files), passed: count('passed'), output })
    })
  })
}

async function main(): Promise<void> {
  const wanted = chosen().map((guard) => ({ guard, source: mutated(guard) }))
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-mutants-data-'))
  const server = await startEmbedded({ dataDir, durable: false, connectionsMax: 250 })
  const trees = Array.from({ length: Math.max(1, Number(options.jobs)) }, copyTree)
  const counts = { passed: 0, failed: 0 }
  const say = (ok: boolean, what: string, why: string) => {
    counts[ok ? 'passed' : 'failed']++
    process.stdout.write(`${ok ? 'noticed ' : 'MISSED  '} ${what.padEnd(56)} ${why}\n`)
  }
  const inTurn = async <T>(list: readonly T[], work: (one: T, tree: string) => Promise<void>) => {
    const queue = [...list]
    await Promise.all(
      trees.map(async (tree) => {
        for (let one = queue.shift(); one !== undefined; one = queue.shift()) await work(one, tree)
      }),
    )
  }

  try {
    if (!options['no-baseline']) {
      const suites = new Map(wanted.map(({ guard }) => [[...guard.tests, guard.titled].join(' '), guard]))
      await inTurn([...suites.values()], async ({ tests, titled }, tree) => {
        const { failed, passed, output } = await runTests(tree, server.url, tests, titled)
        if (failed > 0 || passed === 0) throw new Error(`${tests.join(', ')} fail with all guards in place:\n${output}`)
      })
    }
    await inTurn(wanted, async ({ guard, source }, tree) => {
      const { file, tests, titled } = guard
      rmSync(join(tree, file))
      writeFileSync(join(tree, file), source)
      const { failed, passed } = await runTests(tree, server.url, tests, titled)
      putBack(tree, file)
      const ran = failed + passed > 0
      say(ran && failed > 0, guard.guards, ran ? `${failed} failed in ${tests.join(', ')}` : 'no test could be run')
    })
  } finally {
    for (const tree of trees) rmSync(tree, { recursive: true, force: true })
    await server.stop()
    removeData(dataDir)
  }
  process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`)
  process.exitCode = counts.failed > 0 ? 1 : 0
}

await main()
