import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ground } from './ground.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** The tests that did not pass, by name. */
export const failedOf = ({ testResults }: Report): string[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  )

/** Runs tests of the suite on what the lab has set up. */
export async function runTests(
  ground: Ground,
  folders: readonly string[],
  variables: Record<string, string>,
): Promise<Report> {
  const file = join(ground.folder, 'report.json')
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...folders, '--reporter=json', `--outputFile=${file}`], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await new Promise((resolve) => child.once('exit', resolve))
  if (!existsSync(file)) throw new Error('The tests did not come to their end.')
  return JSON.parse(readFileSync(file, 'utf8')) as Report
}
