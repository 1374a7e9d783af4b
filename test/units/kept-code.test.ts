import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const loader = fileURLToPath(new URL('../../dist/kept-code.js', import.meta.url))

describe('What the engine made of the program', () => {
  let folder: string
  let program: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quittance-kept-'))
    program = join(folder, 'all.cjs')
    says('one')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const says = (word: string) => writeFileSync(program, `exports.word = () => ({ said: '${word}' })`)
  const run = () =>
    execFileSync(process.execPath, [
      '--input-type=module',
      '-e',
      `import { loadKept } from ${JSON.stringify(loader)}
      const [first, second] = ['a', 'b'].map(() => loadKept(${JSON.stringify(program)}, 'test'))
      console.log(first.word().said, first === second)`,
    ])
      .toString()
      .trim()
  const kept = () => readdirSync(folder).filter((name) => name !== 'all.cjs')
  const path = () => join(folder, kept()[0]!)

  it.runIf(!('enableCompileCache' in module))('is kept beside it where Node does not, and used again', () => {
    expect(run()).toBe('one true')
    expect(kept()).toEqual([`all.cjs.${process.version}-${process.arch}-test.kept`])
    const { ino } = statSync(path())
    expect(run()).toBe('one true')
    expect({ ino: statSync(path()).ino, files: kept().length }).toEqual({ ino, files: 1 })
  })

  it('is made anew when it is of another program or was damaged', () => {
    expect(run()).toBe('one true')
    says('two')
    expect(run()).toBe('two true')
    if (kept().length === 0) return
    const damaged = readFileSync(path()).map((byte, i) => (i > 100 ? byte ^ 255 : byte))
    writeFileSync(path(), damaged)
    expect(run()).toBe('two true')
    expect(readFileSync(path()).equals(damaged)).toBe(false)
  })
})
