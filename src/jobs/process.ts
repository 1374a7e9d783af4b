import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Starts the module of this name beside `from` as a process of its own; compiled or, in development, from source. Neither
 * the secrets nor the options of this process are passed on. The new process talks to this one over a channel, and takes the
 * end of the channel for the end of this process.
 */
export function startProcess(name: string, from: string, words: readonly string[]): ChildProcess {
  const isSource = from.endsWith('.ts')
  // To run from source, it needs the loader for TypeScript that is there in development.
  const reader = () => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return fork(fileURLToPath(new URL(`./${name}.${isSource ? 'ts' : 'js'}`, from)), words, {
    serialization: 'advanced',
    execArgv: isSource ? ['--import', reader()] : [],
    env: process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
