import { execFileSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = fileURLToPath(new URL('src/', import.meta.url))
const compiled = fileURLToPath(new URL('dist/', import.meta.url))
/** What `build.mjs` puts together with all it needs, which would be there twice. */
const together = /^(cli\/run|index|testing\/index)\.ts$/

/**
 * Tests import the source and are given what is compiled of it before they begin. From source every worker would have each
 * module read and rewritten anew, which takes six seconds of a processor, and all of it would run slower for the rewriting.
 * Whoever watches (`npx vitest`) has the source, because nothing is compiled between two of its runs.
 */
function fromCompiled(): Plugin {
  let server: { watch?: unknown } = {}
  return {
    name: 'from-compiled',
    enforce: 'pre',
    // Before anything is imported, and what starts the server of a run is.
    configResolved(config) {
      server = config.server
      execFileSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url))])
    },
    resolveId(id, importer) {
      const isWatching = server.watch !== null
      if (isWatching || !importer || !id.startsWith('.') || !id.endsWith('.ts')) return undefined
      const path = resolve(dirname(importer), id)
      const name = path.slice(source.length)
      if (!path.startsWith(source) || together.test(name)) return undefined
      return { id: compiled + name.replace(/ts$/, 'js'), external: true }
    },
  }
}

/** Short to read and long to run: they wait for processes, or run whole libraries. */
const longForTheirSize =
  /\/test\/(package|examples|faults\/(webhooks\/completeness|service\/endings|embedded-\w+|connections)|scenarios\/stories\/library)\b/
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

/**
 * Most of what a worker does it does a few times: optimising that, and collecting a small heap often, costs more than it gives.
 * From Node 22 on the engine refuses the first of these, and has a compiler between that costs less.
 */
const engine = [
  ...(Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=2000000'] : []),
  '--initial-heap-size=512',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
]

export default defineConfig({
  plugins: [fromCompiled()],
  test: {
    include: ['test/**/*.test.ts'],
    // The pages in a real browser are a run of their own: npm run test:browser. What must not compile `npm run check` compiles
    // with everything else; as a test it is for whoever takes a guard away, and wants to see it noticed.
    exclude: ['test/browser/**', ...(process.env['MUTANTS_REPORT'] ? [] : ['test/house/types.test.ts'])],
    globalSetup: ['test/support/server.ts'],
    server: { deps: { external: [/\/dist\//] } },
    // Test files share a worker's modules, which is what makes a run short; each has a database of its own.
    isolate: false,
    sequence: { sequencer: LongOnesEarly },
    pool: 'forks',
    execArgv: engine,
    // Two more than the cores of a small machine: several files wait for a process to start or a lease to run out.
    maxWorkers: 4,
    // Limits for what hangs. None is there to measure a speed: on a busy machine everything takes ten times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 20 } },
  },
})
