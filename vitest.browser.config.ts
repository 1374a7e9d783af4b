import { defineConfig } from 'vitest/config'
import usual from './vitest.config.ts'

/** The pages in a real Chromium, two files beside each other: while one waits for a page, the other has its own drawn. */
export default defineConfig({
  plugins: usual.plugins!,
  test: {
    ...usual.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: [],
    maxWorkers: 2,
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
})
