import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const source = new URL('../../src/', import.meta.url)
const compiled = (path: string) =>
  JSON.stringify(new URL(`../../dist/${path.replace(/\.ts$/, '.js')}`, import.meta.url).href)

let statements: readonly string[] | undefined

/**
 * The text of every fixed statement of the source, as it was compiled before the tests began. From a process of its own:
 * here those of the tests are among them.
 */
export function sourceStatements(): readonly string[] {
  statements ??= readStatements()
  return statements
}

function readStatements(): string[] {
  const modules = readdirSync(fileURLToPath(source), { recursive: true, encoding: 'utf8' })
    // These run when they are loaded.
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && !/(main|worker|guardian|keeper|threads?)\.ts$/.test(path))
    .map((path) => `import ${compiled(path)}`)
  const script = `${modules.join('\n')}
    import { everyStatement } from ${compiled('database/sql.ts')}
    process.stdout.write(JSON.stringify(everyStatement().map(({ text }) => text)))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  })
  return JSON.parse(printed) as string[]
}
