import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const inSupport = (name: string) => fileURLToPath(new URL(`test/support/${name}`, import.meta.url))
/** What stands in for modules whose work would be done again in every test file. */
const alias = [
  { find: /^(\.\.\/)+jobs\/(thread|process)\.ts$/, replacement: inSupport('compiled.ts') },
  { find: /^\.\/key-pair\.ts$/, replacement: inSupport('key-pair.ts') },
]

/** Short to read and long to run: they wait for processes, or run whole libraries. */
const longForTheirSize =
  /\/test\/(package|faults\/(webhooks\/completeness|service\/endings|embedded-\w+)|scenarios\/(stories\/library|readme))\b/
/** So many others begin between two of them, to have the processor while they wait. */
const APART = 8

/** A fresh checkout knows sizes alone, largest first, and would come to the long ones last, with nothing beside them. */
class LongOnesEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longForTheirSize.test(moduleId)
    const order = sorted.filter((file) => !isLong(file))
    for (const [i, file] of sorted.filter(isLong).entries()) order.splice(i * APART, 0, file)
    return order
  }
}

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    // The pages in a real browser are a run of their own: npm run test:browser.
    exclude: ['test/browser/**'],
    globalSetup: ['test/support/server.ts'],
    // Test files share a worker's modules, which is what makes a run short; each has a database of its own.
    isolate: false,
    sequence: { sequencer: LongOnesEarly },
    pool: 'forks',
    // One more than the cores of a small machine: several files wait for a process to start or a lease to run out.
    maxWorkers: 3,
    // Limits for what hangs. None is there to measure a speed: on a busy machine everything takes ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
})
