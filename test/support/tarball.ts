import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Packs the package as it would be published, and unpacks it into a project with the files of an example. The packages it
 * depends on are those installed here, because a new machine need not have what an installation would fetch.
 */
export function installTarball(project: string, example: string): string {
  cpSync(join(root, 'examples', example), project, { recursive: true })
  // What the tests run was compiled before they began.
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project]
  const name = execFileSync('npm', words, { cwd: root, encoding: 'utf8' }).trim().split('\n').at(-1)!
  const modules = join(project, 'node_modules')
  const installed = join(modules, 'quittance')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(project, name), '-C', installed, '--strip-components=1'])
  // What the engine keeps of the code it finds there too, as everybody does who runs it a second time.
  const together = join('dist', 'together')
  for (const name of readdirSync(join(root, together)))
    if (name.endsWith('.kept')) cpSync(join(root, together, name), join(installed, together, name))
  for (const dependency of readdirSync(join(root, 'node_modules')))
    if (!dependency.startsWith('.') && !existsSync(join(modules, dependency)))
      symlinkSync(join(root, 'node_modules', dependency), join(modules, dependency))
  return installed
}
