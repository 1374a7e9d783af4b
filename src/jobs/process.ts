import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Starts the module of this name beside `from` as a process of its own; compiled or, in development, from source. Neither the
 * secrets nor the options of ours are passed on. It talks to us over a channel, whose end it takes for ours.
 */
export function startProcess(name: string, from: string, words: readonly string[]): ChildProcess {
  const isSource = from.endsWith('.ts')
  // From source it needs the reader of TypeScript that development has.
  const reader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return fork(fileURLToPath(new URL(`./${name}.${isSource ? 'ts' : 'js'}`, from)), words, {
    serialization: 'advanced',
    execArgv: isSource ? ['--import', reader()] : [],
    env: process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
