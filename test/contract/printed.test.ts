import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { printedFiles } from '../../src/printed.ts'

describe('Every printed document', () => {
  for (const { path, text } of printedFiles(commands))
    it(`${path} is the one the source prints now`, () => {
      const file = new URL(`../../${path}`, import.meta.url)
      const printed = existsSync(file) ? readFileSync(file, 'utf8') : ''
      expect(printed === text, `${path} is stale. To fix this: npm run docs, and commit the result.`).toBe(true)
    })
})
