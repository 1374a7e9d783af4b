import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childrenOf, commandOf, freePort, type Ground, type Running, signal } from './ground.ts'
import { postgresPrograms } from './packages.ts'
import { ask, until } from './postgres.ts'

const UP_WITHIN_MS = 120_000
const names = ['one', 'two', 'three'] as const

interface Node {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly folder: string
  running: Running
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

/** Three PostgreSQL under Patroni, which elects a primary among them through etcd, and haproxy that leads to it. */
export class Cluster {
  readonly #ground: Ground
  readonly #nodes: Node[] = []
  readonly #etcdPort: number
  readonly #synchronous: boolean
  #balancerPort = 0

  private constructor(ground: Ground, etcdPort: number, synchronous: boolean) {
    this.#ground = ground
    this.#etcdPort = etcdPort
    this.#synchronous = synchronous
  }

  static async open(ground: Ground, { synchronous }: { synchronous: boolean }): Promise<Cluster> {
    const [etcdPort, peerPort] = [await freePort(), await freePort()]
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`]
    ground.start(
      'etcd',
      [
        'etcd',
        '--name',
        'lab',
        '--data-dir',
        ground.newFolder('etcd'),
        '--listen-client-urls',
        client,
        '--advertise-client-urls',
        client,
        '--listen-peer-urls',
        peer,
        '--initial-advertise-peer-urls',
        peer,
        '--initial-cluster',
        `lab=${peer}`,
        '--unsafe-no-fsync',
      ],
      { asNobody: true, env: { ETCD_UNSUPPORTED_ARCH: process.arch } },
    )
    const cluster = new Cluster(ground, etcdPort, synchronous)
    for (const name of names) {
      const node = { name, port: await freePort(), restPort: await freePort(), folder: ground.newFolder(name) }
      cluster.#nodes.push({ ...node, running: await cluster.#launch(node) })
      // The first one is to be the primary, so that the others copy it.
      if (name === names[0]) await cluster.#whenWhole(1)
    }
    await cluster.#whenWhole(names.length)
    await cluster.#startBalancer()
    return cluster
  }

  /** Through the balancer, to whoever is the primary. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#balancerPort}/postgres`
  }

  /** All servers by name, of which the service finds the primary itself. */
  get severalUrl(): string {
    return `postgres://postgres@${this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`
  }

  /** Ends the primary, Patroni and PostgreSQL alike, as the loss of a machine does, and gives what brings it back. */
  async killPrimary({
    whileHeld,
  }: {
    whileHeld?: (() => Promise<void>) | undefined
  } = {}): Promise<() => Promise<void>> {
    const node = await this.#primary()
    const postmaster = Number(readFileSync(join(node.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])
    const backends = () => childrenOf(postmaster)
    if (whileHeld) {
      // What is committed from now on reaches no standby: only a primary that waits for one loses nothing.
      const senders = backends().filter((pid) => commandOf(pid).includes('walsender'))
      if (senders.length !== names.length - 1) throw new Error(`The primary has ${senders.length} standbys.`)
      for (const pid of senders) signal(pid, 'SIGSTOP')
      await whileHeld()
    }
    signal(node.running.pid, 'SIGKILL')
    for (const pid of [postmaster, ...backends()]) signal(pid, 'SIGKILL')
    await node.running.ended
    return async () => {
      node.running = await this.#launch(node)
      await this.#whenWhole(names.length)
    }
  }

  /** Hands the primary's part over to a standby, in order. */
  async switchOver(): Promise<void> {
    const before = await this.#primary()
    const response = await fetch(`http://127.0.0.1:${before.restPort}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: before.name }),
    })
    if (!response.ok) throw new Error(`Patroni refused to switch over: ${response.status} ${await response.text()}`)
  }

  whenWhole = () => this.#whenWhole(names.length)

  async #primary(): Promise<Node> {
    let found: Node | undefined
    await until(
      async () => {
        const leader = (await this.#members()).find(
          ({ role, state }) => /leader|master/.test(role) && state === 'running',
        )
        found = this.#nodes.find(({ name }) => name === leader?.name)
        return found !== undefined
      },
      UP_WITHIN_MS,
      'a primary',
    )
    return found!
  }

  async #members(): Promise<Member[]> {
    for (const { restPort } of this.#nodes)
      try {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(1_000) })
        return ((await response.json()) as { members: Member[] }).members
      } catch {
        // That one is down; another knows.
      }
    return []
  }

  /** All members run, one leads, and with synchronous replication one of the others is waited for. */
  async #whenWhole(count: number): Promise<void> {
    await until(
      async () => {
        const members = (await this.#members()).filter(({ state }) => state === 'running' || state === 'streaming')
        const leads = members.some(({ role }) => /leader|master/.test(role))
        const isWaitedFor = !this.#synchronous || count === 1 || members.some(({ role }) => role === 'sync_standby')
        return (
          members.length === count && leads && isWaitedFor && (count === 1 || (await this.#isReplicating(count - 1)))
        )
      },
      UP_WITHIN_MS,
      `${count} members of the cluster`,
    )
  }

  async #isReplicating(count: number): Promise<boolean> {
    for (const { port } of this.#nodes) {
      const text = "select count(*)::int as count from pg_stat_replication where state = 'streaming'"
      const [row] = await ask<{ count: number }>(`postgres://postgres@127.0.0.1:${port}/postgres`, text).catch(() => [])
      if (row?.count === count) return true
    }
    return false
  }

  async #launch(node: Omit<Node, 'running'>): Promise<Running> {
    const file = join(node.folder, 'patroni.json')
    writeFileSync(file, JSON.stringify(this.#configuration(node), null, 2), { mode: 0o644 })
    return this.#ground.start(`patroni-${node.name}`, ['/usr/bin/patroni', file], { asNobody: true, endsBy: 'SIGTERM' })
  }

  /** JSON is YAML too. */
  #configuration({ name, port, restPort, folder }: Omit<Node, 'running'>): object {
    const rest = `127.0.0.1:${restPort}`
    const trust = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust']
    return {
      scope: 'lab',
      name,
      restapi: { listen: rest, connect_address: rest },
      etcd3: { hosts: [`127.0.0.1:${this.#etcdPort}`] },
      bootstrap: {
        dcs: {
          ttl: 8,
          loop_wait: 1,
          retry_timeout: 3,
          maximum_lag_on_failover: 1_073_741_824,
          synchronous_mode: this.#synchronous,
          postgresql: {
            use_pg_rewind: true,
            parameters: { max_connections: 150, wal_level: 'replica', hot_standby: 'on', synchronous_commit: 'on' },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, 'data'),
        bin_dir: postgresPrograms(),
        pgpass: join(folder, 'pgpass'),
        pg_hba: trust,
        authentication: {
          superuser: { username: 'postgres' },
          replication: { username: 'postgres' },
          rewind: { username: 'postgres' },
        },
        parameters: { unix_socket_directories: folder },
      },
      watchdog: { mode: 'off' },
    }
  }

  async #startBalancer(): Promise<void> {
    this.#balancerPort = await freePort()
    const servers = this.#nodes.map(
      ({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} check port ${restPort}`,
    )
    const file = join(this.#ground.newFolder('database-balancer'), 'haproxy.cfg')
    writeFileSync(
      file,
      `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 1s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen primary
  bind 127.0.0.1:${this.#balancerPort}
  option httpchk OPTIONS /primary
  http-check expect status 200
  retries 0
  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
      { mode: 0o644 },
    )
    this.#ground.start('database-balancer', ['/usr/sbin/haproxy', '-f', file], { asNobody: true })
    await until(
      () =>
        ask(this.url, 'select 1').then(
          () => true,
          () => false,
        ),
      UP_WITHIN_MS,
      'the balancer to find the primary',
    )
  }
}
