import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { childrenOf, freePort, type Ground, type Running, runAsNobody, signal } from './ground.ts'
import { postgresPrograms } from './packages.ts'

const READY_WITHIN_MS = 300_000

/** One PostgreSQL, as durable as it is delivered. */
export class Postgres {
  readonly #ground: Ground
  readonly folder: string
  readonly port: number
  #running: Running | undefined

  private constructor(ground: Ground, folder: string, port: number) {
    this.#ground = ground
    this.folder = folder
    this.port = port
  }

  /** A new cluster, running. */
  static async open(ground: Ground, { folder = ground.newFolder('server'), settings = '' } = {}): Promise<Postgres> {
    const data = join(folder, 'data')
    runAsNobody([
      join(postgresPrograms(), 'initdb'),
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
    ])
    return Postgres.of(ground, { folder, settings })
  }

  /** A cluster that is there already, running. */
  static async of(ground: Ground, { folder, settings = '' }: { folder: string; settings?: string }): Promise<Postgres> {
    const port = await freePort()
    const server = new Postgres(ground, folder, port)
    appendFileSync(
      join(folder, 'data/postgresql.conf'),
      `\nport = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 150\n${settings}\n`,
    )
    await server.start()
    return server
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  async start(): Promise<void> {
    this.#running = this.#ground.start(
      `postgres-${this.port}`,
      [join(postgresPrograms(), 'postgres'), '-D', join(this.folder, 'data')],
      { asNobody: true, endsBy: 'SIGQUIT' },
    )
    await until(() => canQuery(this.url), READY_WITHIN_MS, 'PostgreSQL to answer')
  }

  /** As an administrator ends it: connections are cut. */
  async stop(): Promise<void> {
    await this.#running?.end('SIGINT')
  }

  /** As a crash ends it. */
  async kill(): Promise<void> {
    const pid = this.#running!.pid
    const all = [pid, ...childrenOf(pid)]
    for (const one of all) signal(one, 'SIGKILL')
    await this.#running!.ended
  }

  get isRunning(): boolean {
    return this.#running?.isRunning() ?? false
  }

  log(): string {
    return readFileSync(this.#running!.log, 'utf8')
  }
}

/** Asks once on a connection of its own. */
export async function ask<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 60_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(text, values)).rows
  } finally {
    client.connection.stream.destroy()
  }
}

export const canQuery = (url: string) =>
  ask(url, 'select 1').then(
    () => true,
    () => false,
  )

export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  wish: string,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`The lab waited ${withinMs / 1000} s for ${wish}.`)
    await pause(50)
  }
}
