import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { root, runTests } from './trial.ts'
import { judge } from './verdict.ts'

/** What is made of a run of this test file, up to the first test that fails. */
async function verdictOn(source: string) {
  const tree = mkdtempSync(join(tmpdir(), 'quittance-verdict-'))
  mkdirSync(join(tree, 'test'))
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  symlinkSync(join(root, 'test/mutants'), join(tree, 'test/mutants'))
  writeFileSync(join(tree, 'vitest.config.mjs'), "export default { test: { include: ['tried.test.mjs'] } }")
  writeFileSync(join(tree, 'tried.test.mjs'), `import { describe, expect, it } from 'vitest'\n${source}`)
  try {
    return judge(await runTests(tree, '', ['tried.test.mjs'], { isFirstEnough: true }))
  } finally {
    rmSync(tree, { recursive: true })
  }
}

// Each waits for a process of its own.
describe.concurrent('A guard that is gone', () => {
  it('is noticed by a test that fails, also where another fails beside it', async ({ expect }) => {
    const source = `describe.concurrent('All', () => {
      it('fails', async () => expect(1).toBe(2))
      it('fails too', async () => expect(1).toBe(2))
      it('goes on', () => new Promise((resolve) => setTimeout(resolve, 500)))
    })`
    expect(await verdictOn(source)).toEqual({ isNoticed: true, text: 'All > fails (`tried.test.mjs`)' })
  })

  it.for([
    ['no test could be run: gone', "throw new Error('gone')"],
    ['no test could be run: [vitest-pool]: Worker', 'process.kill(process.pid)'],
  ] as const)('is not noticed where %s: %s', async ([text, source], { expect }) => {
    expect(await verdictOn(source)).toEqual({ isNoticed: false, text: expect.stringContaining(text) })
  })
})
