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
import type { Guard } from './guards.ts'
import type { Report } from './reporter.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Longer than what hangs takes to be given up by a test file itself. */
const FILE_MAX_MS = 400_000

/** The source with the guard taken away. One that is not there, or not the only one, says nothing about the tests. */
export function mutated({ file, text, replacement }: Guard): string {
  const source = readFileSync(join(root, file), 'utf8')
  const parts = source.split(text)
  if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times: ${text.trim()}`)
  return parts.join(replacement)
}

/** A tree of its own for a worker: every file a hard link, so that it costs nothing; a changed one is written anew. */
export function copyTree(): string {
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

/** Runs the tests of a guard without it, up to the first that fails. */
export async function tryWithout(guard: Guard, source: string, tree: string, databaseUrl: string): Promise<Ran> {
  rmSync(join(tree, guard.file))
  writeFileSync(join(tree, guard.file), source)
  const titled = guard.titled === undefined ? [] : ['-t', guard.titled]
  const ran = await runTests(tree, databaseUrl, guard.tests, { args: titled, isFirstEnough: true })
  putBack(tree, guard.file)
  // It is older than what was compiled without the guard, which nobody would compile again.
  rmSync(join(tree, 'dist/.built'), { force: true })
  return ran
}

/** Without a report the tests could not even be run, or went on for too long. */
export interface Ran {
  readonly report: Report | undefined
  readonly isOver: boolean
  readonly output: string
}

export function runTests(
  tree: string,
  databaseUrl: string,
  files: readonly string[],
  { args = [], isFirstEnough = false }: { args?: readonly string[]; isFirstEnough?: boolean } = {},
): Promise<Ran> {
  const reportFile = join(tree, 'mutants-report.json')
  rmSync(reportFile, { force: true })
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
  const reporters = ['default', './test/mutants/reporter.ts'].map((name) => `--reporter=${name}`)
  // Only what differs from the run before is compiled anew.
  const cache = ['--experimental.fsModuleCache', `--experimental.fsModuleCachePath=${join(tree, 'compiled')}`]
  const child = spawn(process.execPath, [vitest, 'run', ...files, ...args, '--maxWorkers=1', ...reporters, ...cache], {
    cwd: tree,
    env: {
      ...process.env,
      TEST_DATABASE_URL: databaseUrl,
      MUTANTS_REPORT: reportFile,
      MUTANTS_FIRST: String(isFirstEnough),
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  let isOver = false
  // With all that it started.
  const timer = setTimeout(() => {
    isOver = true
    process.kill(-child.pid!, 'SIGKILL')
  }, files.length * FILE_MAX_MS)
  return new Promise((resolve) =>
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ report: readReport(reportFile), isOver, output })
    }),
  )
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}
