import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import usual from './vitest.config.ts'

const root = import.meta.dirname
/** What hands out databases of the one server that a run has. */
const handsOut = join(root, 'test/support/database.ts')
/** These start servers of their own, wherever the others run; of the support they take words and sums. */
const ownServers = ['test/package/**', 'test/faults/replica.test.ts', 'test/faults/embedded-*.test.ts']

/** Whether a file of the tests comes to databases of that server, by itself or by what it imports. */
function asksServer(path: string, seen: Set<string>): boolean {
  if (path === handsOut) return true
  if (seen.has(path) || relative(root, path).startsWith('src')) return false
  seen.add(path)
  const imported = readFileSync(path, 'utf8').matchAll(/(?:from|import) ?\(?'(\.[^']+\.ts)'/g)
  return [...imported].some(([, name]) => asksServer(join(dirname(path), name!), seen))
}

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))

/** On another PostgreSQL: what asks it. The rest would prove again what it proved on the embedded one. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: files.filter((name) => asksServer(join(root, name), new Set())),
    exclude: [...usual.test!.exclude!, ...ownServers],
  },
})
