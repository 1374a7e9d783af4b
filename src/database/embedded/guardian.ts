import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

/** Ends a server when this process is gone, however it went. */
export interface Guardian {
  /** To be called when the server may live on, or has ended already. */
  release(): void
}

/**
 * Waits on a pipe that only we hold. A line in it means that all is well. If it ends without a line, we were killed. Then
 * the server that the pid file names is ended, if that process still is the server: process numbers are given again.
 */
const shell = `
  trap '' HUP INT TERM
  read -r line && exit
  read -r pid < "$0/postmaster.pid" || exit
  if [ -r "/proc/$pid/cmdline" ]; then command=$(tr '\\0' ' ' < "/proc/$pid/cmdline")
  else command=$(ps -o command= -p "$pid"); fi
  case $command in *" -D $0 "*) kill "-$1" "$pid";; esac`

/** The same for systems without a shell of this kind. */
const script = `
  let line = ''
  process.stdin.on('data', (text) => { line += text }).on('end', () => {
    if (line === '') process.kill(Number(require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n')[0]))
  })`

/** A process of its own, because nothing of ours runs any more when we are killed. It costs about a megabyte. */
export function guard({ data }: Cluster, { hard }: { hard: boolean }): Guardian {
  const [program, words] =
    process.platform === 'win32'
      ? [process.execPath, ['-e', script, join(data, 'postmaster.pid')]]
      : ['/bin/sh', ['-c', shell, data, hard ? 'QUIT' : 'INT']]
  // It gets a process group of its own, so that what ends us does not end it. And it must not keep us from ending.
  const guardian = spawn(program, words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' })
  guardian.unref()
  // Without a guardian the server outlives us when we are killed, and the next start adopts it.
  guardian.on('error', () => {})
  guardian.stdin.on('error', () => {})
  if ('unref' in guardian.stdin) (guardian.stdin as { unref(): void }).unref()
  return { release: () => void guardian.stdin.end('released\n') }
}
