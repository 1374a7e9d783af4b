import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** What a part of the lab needs beside Node: a file that shows it is there, and the Debian package that brings it. */
const needs = {
  postgresql: { file: '/usr/lib/postgresql', packages: ['postgresql'] },
  patroni: { file: '/usr/bin/patroni', packages: ['patroni', 'python3-etcd', 'python3-psycopg2'] },
  etcd: { file: '/usr/bin/etcd', packages: ['etcd-server'] },
  haproxy: { file: '/usr/sbin/haproxy', packages: ['haproxy'] },
  pgbouncer: { file: '/usr/sbin/pgbouncer', packages: ['pgbouncer'] },
  libfaketime: { file: '/usr/lib', packages: ['libfaketime'] },
} as const
export type Need = keyof typeof needs

const isThere = (need: Need) => (need === 'libfaketime' ? fakeTime() !== undefined : existsSync(needs[need].file))

/** Installs what is missing. The packages would start servers of their own, which a policy file keeps them from. */
export function provide(wanted: readonly Need[], say: (text: string) => void): void {
  const missing = wanted.filter((need) => !isThere(need)).flatMap((need) => needs[need].packages)
  if (missing.length === 0) return
  const words = ['install', '-y', '-qq', '--no-install-recommends', ...missing]
  if (process.getuid?.() !== 0) throw new Error(`The lab needs packages: sudo apt-get ${words.join(' ')}`)
  say(`installing ${missing.join(', ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The library that gives a process another clock. */
export function fakeTime(): string | undefined {
  return readdirSync('/usr/lib')
    .map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'))
    .find((file) => existsSync(file))
}

/** The programs of the newest PostgreSQL that is installed. */
export function postgresPrograms(): string {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
  return join('/usr/lib/postgresql', versions[0]!, 'bin')
}
