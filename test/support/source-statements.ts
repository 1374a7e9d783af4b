import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../src/', import.meta.url)

/** The text of every fixed statement of the source. From a process of its own: here those of the tests are among them. */
export function sourceStatements(): string[] {
  const modules = readdirSync(fileURLToPath(root), { recursive: true, encoding: 'utf8' })
    // These run when they are loaded.
    .filter((path) => path.endsWith('.ts') && !/(main|worker|guardian|threads?)\.ts$/.test(path))
    .map((path) => `import ${JSON.stringify(new URL(path, root).href)}`)
  const script = `${modules.join('\n')}
    import { everyStatement } from ${JSON.stringify(new URL('database/sql.ts', root).href)}
    process.stdout.write(JSON.stringify(everyStatement().map(({ text }) => text)))`
  const printed = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  })
  return JSON.parse(printed) as string[]
}
