import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const compiledThread = fileURLToPath(new URL('test/support/compiled-thread.ts', import.meta.url))

export default defineConfig({
  resolve: { alias: [{ find: /^.*\/jobs\/thread\.ts$/, replacement: compiledThread }] },
  test: {
    include: ['test/**/*.test.ts'],
    // The pages in a real browser are a run of their own: npm run test:browser.
    exclude: ['test/browser/**'],
    globalSetup: ['test/support/server.ts'],
    // Test files share a worker's modules, which is what makes a run short; each has a database of its own.
    isolate: false,
    pool: 'forks',
    // One more than the cores of a small machine: several files wait for a process to start or a lease to run out.
    maxWorkers: 3,
    // Limits for what hangs. None is there to measure a speed: on a busy machine everything takes ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
})
