import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

describe('What must not compile', () => {
  it('does not, and what differs from it in nothing else does', () => {
    const compiler = path('../../node_modules/typescript/bin/tsc')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [compiler, '-p', path('impossible.tsconfig.json'), '--pretty', 'false'],
      { encoding: 'utf8' },
    )

    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
  })
})
