import { spawn, spawnSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from './account.ts'
import { notForThisSystem } from './binaries.ts'
import { type Cluster, isAlive, lastLine, serverEnvironment } from './cluster.ts'
import { diskIsFull, EmbeddedServerError, NotYetError, saysDiskFull } from './error.ts'

/** A server that runs on a cluster, as its pid file describes it. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** Empty when it listens on loopback TCP. */
  readonly socketFolder: string
  readonly status: string
}

/** Only a part of the name of the socket's file. No other server shares its folder. */
export const SOCKET_PORT = 5432
const POLL_MS = 4
const START_MS_MAX = 60_000
const STOP_MS_MAX = 20_000

const pidFile = (cluster: Cluster) => join(cluster.data, 'postmaster.pid')

function readPidFile(cluster: Cluster): string {
  try {
    return readFileSync(pidFile(cluster), 'utf8')
  } catch {
    return ''
  }
}

/** The live server of the cluster. A pid file does not count if its process is gone, a zombie, or another program. */
function findPostmaster(cluster: Cluster): Postmaster | undefined {
  const [pid, , , port, socketFolder = '', , , status = ''] = readPidFile(cluster).split('\n')
  if (!pid || !runsOn(Number(pid), cluster.data)) return undefined
  return { pid: Number(pid), port: Number(port), socketFolder, status: status.trim() }
}

/** Whether the process is a server that we started on this data. A zombie has no command line. */
function runsOn(pid: number, data: string): boolean {
  if (process.platform === 'win32') return isAlive(pid)
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(`-D ${data} `)
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0-D\0${data}\0`)
  } catch {
    return false
  }
}

/** The live server of the cluster once it is ready, or undefined when there is none or it has just ended. */
export async function readyPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const deadline = performance.now() + START_MS_MAX
  while (performance.now() < deadline) {
    const postmaster = findPostmaster(cluster)
    if (!postmaster || postmaster.status === 'ready') return postmaster
    await pause(POLL_MS)
  }
  throw new EmbeddedServerError(`The PostgreSQL in ${cluster.folder} did not get ready; ${cluster.log} may say why.`)
}

export interface StartOptions {
  readonly account: Account | undefined
  readonly settings: Readonly<Record<string, string | number>>
}

/** Starts a server and waits until it is ready. When another start was faster, the server is the other's. */
export async function startPostmaster(
  cluster: Cluster,
  postgres: string,
  { account, settings }: StartOptions,
): Promise<Postmaster> {
  removeMisleadingLocks(cluster)
  const log = openSync(cluster.log, 'a', 0o600)
  const { size } = fstatSync(log)
  const child = spawn(
    postgres,
    ['-D', cluster.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // It gets a process group of its own: an interrupt typed at the service must reach the server only through the service.
    { ...account, cwd: '/', env: serverEnvironment, stdio: ['ignore', log, log], detached: true },
  )
  closeSync(log)
  child.unref()
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = notForThisSystem(error.message)
  })
  child.once('exit', (code) => {
    failure ??= failureOf(cluster, code, readFileSync(cluster.log).subarray(size).toString())
  })

  const deadline = performance.now() + START_MS_MAX
  for (;;) {
    const postmaster = findPostmaster(cluster)
    if (postmaster?.status === 'ready') {
      child.removeAllListeners('exit')
      return postmaster
    }
    if (failure && !postmaster) throw failure
    if (performance.now() > deadline)
      throw new EmbeddedServerError(`PostgreSQL did not get ready; ${cluster.log} may say why.`)
    await pause(POLL_MS)
  }
}

/**
 * Failures that pass by themselves: another start was faster, a killed server's last processes still run, a port was just
 * taken.
 */
const passing = /lock file|shared memory block|could not bind|Address already in use|could not create any TCP/

function failureOf({ folder }: Cluster, code: number | null, said: string): Error {
  if (saysDiskFull(said)) return diskIsFull(folder)
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(said)?.[1] ?? lastLine(said)
  if (code === 127) return notForThisSystem(reason)
  const sentence = `PostgreSQL did not start: ${reason}`
  return passing.test(said) ? new NotYetError(sentence) : new EmbeddedServerError(sentence)
}

/**
 * PostgreSQL itself discards a lock file whose process is gone, but not one whose number now belongs to a zombie (a
 * container's first process may not reap) or to another program of the same account.
 */
function removeMisleadingLocks(cluster: Cluster): void {
  const text = readPidFile(cluster)
  if (findPostmaster(cluster) || readPidFile(cluster) !== text) return
  for (const file of [pidFile(cluster), join(cluster.folder, `.s.PGSQL.${SOCKET_PORT}.lock`)])
    rmSync(file, { force: true })
}

/**
 * Ends the server and waits for it. Connections are cut and everything is written to disk; with `hard`, nothing more is
 * written.
 */
export async function stopPostmaster(cluster: Cluster, { hard = false } = {}): Promise<void> {
  const { pid } = findPostmaster(cluster) ?? {}
  if (!pid) return
  signal(pid, hard ? 'SIGQUIT' : 'SIGINT')
  const deadline = performance.now() + STOP_MS_MAX
  while (findPostmaster(cluster)?.pid === pid) {
    if (performance.now() > deadline) return signal(pid, 'SIGQUIT')
    await pause(POLL_MS)
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
