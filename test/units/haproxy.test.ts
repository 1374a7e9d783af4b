import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { backendOf } from '../../src/cells/haproxy.ts'

it('is documented as it is printed for cells and tried in the lab', () => {
  const servers = [
    ['one', 'one.internal:8080'],
    ['two', 'two.internal:8080'],
  ] as const
  const page = readFileSync(new URL('../../docs/high-availability.md', import.meta.url), 'utf8')
  expect(page).toContain(`\n${backendOf('services', servers).join('\n')}\n`)
})
