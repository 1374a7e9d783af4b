import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { guards } from './guards.ts'

const inRoot = (path: string) => new URL(`../../${path}`, import.meta.url)

describe('Every guard that `npm run mutants` takes away', () => {
  it.each(guards)('stands where the list says: $guards', ({ file, text, replacement, tests, titled = '' }) => {
    const occurrences = readFileSync(inRoot(file), 'utf8').split(text).length - 1

    expect(occurrences, `${file}: ${text}`).toBe(1)
    expect(replacement).not.toBe(text)
    expect(tests.filter((test) => !existsSync(inRoot(test)))).toEqual([])
    expect(tests).not.toEqual([])
    // Where a test is given another name, nothing would be run, and nothing noticed.
    expect(tests.map((test) => readFileSync(inRoot(test), 'utf8')).join('\n')).toMatch(new RegExp(titled))
  })

  it('is in the table with a test that noticed it and is there', () => {
    const rows = [
      ...readFileSync(inRoot('docs/mutants.md'), 'utf8').matchAll(/^\| (.+?) \| `(.+?)` \| .*\(`(.+?)`\) \|$/gm),
    ]
    expect(rows.map(([, name, file]) => `${name}: ${file}`)).toEqual(
      guards.map(({ guards: name, file }) => `${name}: ${file}`),
    )
    expect(rows.map(([, , , test]) => test!).filter((test) => !existsSync(inRoot(test)))).toEqual([])
  })

  it('has a name of its own', () => {
    expect(new Set(guards.map(({ guards: name }) => name)).size).toBe(guards.length)
    expect(guards.length).toBeGreaterThanOrEqual(50)
  })
})
