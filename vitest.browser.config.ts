import { defineConfig } from 'vitest/config'

/** The pages in a real Chromium, one file after the other: a browser takes both cores by itself. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/support/server.ts'],
    isolate: false,
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
