import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { type Account, serverAccount } from '../../src/database/embedded/account.ts'
import { findBinaries } from '../../src/database/embedded/binaries.ts'
import { createCluster } from '../../src/database/embedded/cluster.ts'
import { SERVER } from '../../src/database/embedded/folders.ts'
import { guard } from '../../src/database/embedded/guardian.ts'
import { inMemory } from './server.ts'

/** A PostgreSQL that a test starts, stops and copies as it likes. */
export interface TestCluster {
  readonly url: string
  start(): Promise<void>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Lets it start as a standby from now on, of another one or of nobody. */
  follow(other?: TestCluster): void
  /** Writes a file of the server's. */
  write(name: string, text: string): void
  /** Keeps its files as they are, while it does not run. What this gives takes away all that was written since. */
  keep(): () => void
  /** One statement on a connection of its own. */
  query<Row extends object>(text: string): Promise<Row[]>
  /** A streaming replica, made from the files while the server runs. Not started yet. */
  replica(name: string): Promise<TestCluster>
  readonly folder: string
}

const PORT = 5432
const START_MS = 30_000

/** Puts the files of a server that was never started into a folder where one of its own will find them. */
export async function fillHome(home: string): Promise<void> {
  const { files } = inject('server')
  const account = serverAccount(home)
  if (files) copyFiles(files, home)
  else await createCluster(home, findBinaries(account, home), { account, durable: false })
}

const copyFiles = (files: string, home: string) => execFileSync('cp', ['-a', files, join(home, SERVER)])

/** A cluster of its own, started, with all that it is in a folder that `remove` takes away; the files of another one if told so. */
export async function newCluster(
  settings: Readonly<Record<string, string>> = {},
  stopped?: TestCluster,
): Promise<{ cluster: TestCluster; remove(): Promise<void> }> {
  const home = mkdtempSync(join(inMemory() ?? tmpdir(), 'quittance-cluster-'))
  chmodSync(home, 0o755)
  if (stopped) copyFiles(stopped.folder, home)
  else await fillHome(home)
  const account = serverAccount(home)
  const { postgres } = findBinaries(account, home)
  const running = new Set<() => Promise<void>>()
  const parts = { home, account, postgres, running, settings }
  const cluster = clusterAt(join(home, SERVER), parts)
  await cluster.start()
  return {
    cluster,
    async remove() {
      for (const kill of running) await kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

interface Parts {
  readonly home: string
  readonly account: Account | undefined
  readonly postgres: string
  readonly running: Set<() => Promise<void>>
  readonly settings: Readonly<Record<string, string>>
}

function clusterAt(folder: string, parts: Parts): TestCluster {
  const data = join(folder, 'cluster')
  const url = `socket:${folder}:${PORT}/postgres`
  let child: ChildProcess | undefined
  let ended: Promise<unknown> | undefined
  let guardian: ReturnType<typeof guard> | undefined

  async function query<Row extends object>(text: string): Promise<Row[]> {
    const client = new pg.Client(connectionSettings(url))
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  async function kill(): Promise<void> {
    child?.kill('SIGQUIT')
    await ended
    guardian?.release()
    child = undefined
    parts.running.delete(kill)
  }

  const write = (name: string, text: string) => {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    if (parts.account) chownSync(join(data, name), parts.account.uid, parts.account.gid)
  }

  const cluster: TestCluster = {
    url,
    folder,
    query,
    kill,
    write,
    async start() {
      const settings = {
        listen_addresses: '',
        unix_socket_directories: folder,
        port: PORT,
        fsync: 'off',
        max_connections: 100,
        shared_buffers: '32MB',
        wal_retrieve_retry_interval: '100ms',
        ...parts.settings,
      }
      const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      guardian = guard({ data } as Parameters<typeof guard>[0], { hard: true })
      child = spawn(parts.postgres, ['-D', data, ...words], { ...parts.account, cwd: '/', stdio: 'ignore' })
      ended = new Promise((resolve) => child!.once('exit', resolve))
      parts.running.add(kill)
      const until = performance.now() + START_MS
      while (!(await query('select 1').catch(() => undefined))) {
        if (performance.now() > until || child.exitCode !== null) throw new Error(`no server in ${folder}`)
        await pause(20)
      }
    },
    follow(other) {
      write('standby.signal', '')
      write(
        'postgresql.auto.conf',
        other
          ? `primary_conninfo = 'host=${other.folder} port=${PORT} user=postgres'\nhot_standby_feedback = on\n`
          : '',
      )
    },
    keep() {
      const kept = `${data}-kept`
      execFileSync('cp', ['-a', data, kept])
      return () => {
        rmSync(data, { recursive: true })
        execFileSync('cp', ['-a', kept, data])
      }
    },
    async replica(name) {
      const copy = join(parts.home, name)
      const client = new pg.Client(connectionSettings(url))
      await client.connect()
      await client.query("select pg_backup_start('replica', true)")
      mkdirSync(copy, { mode: 0o700 })
      if (parts.account) chownSync(copy, parts.account.uid, parts.account.gid)
      execFileSync('cp', ['-a', data, join(copy, 'cluster')])
      rmSync(join(copy, 'cluster', 'postmaster.pid'))
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
      await client.end()
      const made = clusterAt(copy, parts)
      made.write('backup_label', rows[0]!.labelfile)
      made.follow(cluster)
      return made
    },
  }
  return cluster
}
