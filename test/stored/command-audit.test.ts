import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { SigningKeys } from '../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../src/webhooks/signing/seal.ts'
import { addWebhook } from '../../src/webhooks/subscriptions/store.ts'
import { json, run } from '../support/command.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'
import { newWorld, patient, type World } from '../support/world.ts'

interface Entry {
  actor: string
  account_id?: string
  resource_id?: string
  address?: string
}

/** They show what there is. */
const looks = [
  ...['accounts list', 'apps list', 'jobs parked', 'keys list', 'console people', 'audit'],
  ...['docs', 'completion', 'scenario list', 'scenario show', 'cells haproxy', 'cells map', 'partitions list'],
  ...['check', 'invariants', 'deliveries list', 'deliveries show'],
]
const wordsOf: Readonly<Record<string, string>> = {
  'scenario show': 'seller-wins',
  'cells haproxy': 'K=127.0.0.1:8080',
  'cells map': 'K',
  'deliveries show': 'NOBODY',
}
/** What a service does while it runs is told under the request or the job that it does it for. */
const changesNothing = [...looks, 'start', 'serve', 'work']
/** They call a sandbox as its users do, which tells their requests. */
const overHttp = commands.filter(({ kind }) => kind === 'sandbox').map(({ name }) => name)

describe('The audit log of commands', () => {
  let world: World
  let variables: Record<string, string>
  const secret = 'a secret of a live service, long enough'
  beforeAll(async () => {
    world = await newWorld({ settings: { QUITTANCE_ENVIRONMENT: 'live', QUITTANCE_SECRET: secret } })
    const PUBLIC_URL = 'https://pay.example.test'
    variables = { DATABASE_URL: world.databaseUrl, QUITTANCE_ENVIRONMENT: 'live', QUITTANCE_SECRET: secret, PUBLIC_URL }
  })
  afterAll(() => world.close())

  const quittance = <Result>(...words: string[]) => json<Result>(words, variables)

  it('says which command was run on what, by whom on which machine, without names and addresses', async () => {
    const person = ['--email', 'jane@shop.test', '--name', 'Jane Doe']
    const account = await quittance<{ id: string }>('accounts', 'create', ...person, '--kind', 'PERSONAL')
    const app = await quittance<{ app_id: string; client_id: string }>(
      'apps',
      'create',
      account.id,
      '--scopes',
      'operator',
    )
    const { query } = world.app.database
    const rows = async () => (await query<{ n: number }>('select count(*)::int as n from audit_log')).rows[0]!.n
    // Those that tell running services wait a second for them, and the next need not wait for that.
    const begun: Promise<unknown>[] = []
    for (const words of [
      ['apps', 'rotate-secret', app.client_id, '--revoke'],
      ['apps', 'consent', app.client_id, account.id],
      ['apps', 'delete', app.client_id],
      ['accounts', 'suspend', account.id],
    ]) {
      const before = await rows()
      begun.push(quittance(...words))
      await expect.poll(rows).toBe(before + 1)
    }
    await Promise.all(begun)
    await quittance('jobs', 'retry', 'all')
    await quittance('accounts', 'list')

    const entries = await quittance<(Entry & { arguments: string[] })[]>('audit', '--since', 'PT1H')

    expect(entries.map(({ actor, resource_id }) => `${actor} ${resource_id}`)).toEqual([
      'command:jobs retry all parked jobs',
      `command:accounts suspend ${account.id}`,
      `command:apps delete ${app.app_id}`,
      `command:apps consent ${app.app_id}`,
      `command:apps rotate-secret ${app.app_id}`,
      `command:apps create ${app.app_id}`,
      `command:accounts create ${account.id}`,
    ])
    expect(entries.at(-1)!.arguments).toEqual(['--kind', 'PERSONAL', '--email', '(not kept)', '--name', '(not kept)'])
    expect(entries[2]).toMatchObject({ account_id: account.id, address: expect.stringMatching(/^.+ on .+$/) })
    expect(JSON.stringify(entries)).not.toMatch(/jane|secret_|client_secret/i)
  })

  it('finds by account, actor and resource', async () => {
    const [account] = await quittance<{ id: string }[]>('accounts', 'list')
    const all = await quittance<Entry[]>('audit')

    const found = await Promise.all([
      quittance<Entry[]>('audit', '--account', account!.id),
      quittance<Entry[]>('audit', '--actor', 'command:apps create'),
      quittance<Entry[]>('audit', '--resource', account!.id, '--limit', '1'),
    ])

    expect(found.map((entries) => entries.length)).toEqual([6, 1, 1])
    expect(all.length).toBe(7)
  })

  it('has a row of every command that changes or copies something, and none of the others', async () => {
    const { app } = world
    const own = [
      await newDatabase({ empty: true }),
      await newDatabase({ empty: true }),
      await newDatabase({ empty: true }),
    ]
    const [restored, moved, other] = own as [TestDatabase, TestDatabase, TestDatabase]
    const folder = mkdtempSync(join(tmpdir(), 'quittance-audit-'))
    const file = join(folder, 'all.backup')
    const at = ({ url }: { url: string }, ...words: string[]) =>
      json<unknown>(words, { ...variables, DATABASE_URL: url })
    const account = await quittance<{ id: string }>('accounts', 'create', '--email', 'all@shop.test', '--name', 'All')
    const { client_id, app_id: appId } = await quittance<{ client_id: string; app_id: string }>(
      'apps',
      'create',
      account.id,
    )
    const secrets = app.service.settings.secrets!
    const url = 'https://receiver.test/hook'
    const hook = await app.transact((tx) => addWebhook(tx, makeSeal(secrets), { appId, url, eventTypes: ['*'] }), {
      locks: true,
    })
    const { rows: jobs } = await app.database.query(
      `insert into jobs (name, payload, run_at, parked_time, attempts, last_error, create_time)
       values ('note', '{}', $1, $1, 14, 'Error', $1) returning id`,
      [world.now()],
    )
    const key = await new SigningKeys(app.database, makeSeal(secrets), app.service, patient.newKeyPair).current()
    const person = ['--role', 'operator', '--email', 'jo@shop.test']
    // A certificate for this machine would verify nowhere.
    const { PUBLIC_URL: _, ...unsaid } = variables
    expect(await run(['keys', 'rotate'], unsaid)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set PUBLIC_URL'),
    })

    // Those that tell running services wait a second for them, so independent ones wait together.
    await Promise.all([
      quittance('accounts', 'update', account.id, '--city', 'Bremen'),
      quittance('jobs', 'drop', String(jobs[0].id)),
      quittance('keys', 'rotate'),
      // Nothing is sent for an app while it is disabled.
      quittance('deliveries', 'retry', hook.id)
        .then(() => quittance('apps', 'disable', client_id))
        .then(() => quittance('apps', 'enable', client_id)),
      quittance('people', 'erase', 'buyer@shop.test', '--yes'),
      quittance('console', 'invite', ...person),
      run(['people', 'export', 'buyer@shop.test'], variables),
      run(['migrate'], { ...variables, DATABASE_URL: other.url }),
    ])
    await Promise.all([
      quittance('keys', 'withdraw', key.id),
      quittance('accounts', 'activate', account.id),
      quittance('console', 'sign-out', 'jo@shop.test').then(() => quittance('console', 'remove', 'jo@shop.test')),
    ])
    await quittance('accounts', 'move', account.id, '--to', other.url)
    await quittance('backup', file)
    await at(restored, 'restore', file, '--replace')
    await at(restored, 'partitions', 'on')
    await at(restored, 'partitions', 'off')
    await at(restored, 'move', '--to', moved.url)
    await json(['cells', 'join'], { ...variables, DATABASE_URL: moved.url, CELL: 'K' })
    const ring = `the secret that takes its place and is as long\n${secret}`
    await json(['secrets', 'reseal'], { ...variables, QUITTANCE_SECRET: ring })
    const logs = await Promise.all(
      [{ url: world.databaseUrl }, ...own].map((one) =>
        json<Entry[]>(['audit', '--limit', '1000'], {
          ...variables,
          ...{ DATABASE_URL: one.url, ...(one === moved && { CELL: 'K' }) },
        }),
      ),
    )

    const audited = new Set(logs.flat().map(({ actor }) => actor))
    const silent = commands.filter(({ name }) => !audited.has(`command:${name}`)).map(({ name }) => name)
    expect(silent.sort()).toEqual([...changesNothing, ...overHttp].sort())
    const places = ['backup', 'restore', 'move', 'migrate'].map((name, i) =>
      logs[i]!.find(({ actor }) => actor === `command:${name}`),
    )
    expect(places).toMatchObject([
      { resource_id: file, arguments: [file] },
      { resource_id: file, arguments: [file, '--replace'] },
      { arguments: ['--to', '(not kept)'] },
      { resource_id: expect.stringMatching(/^\d{4}_\w+\.sql$/), arguments: [] },
    ])

    const before = await quittance<Entry[]>('audit', '--limit', '1000')
    // Documents are written where this very test is read from.
    for (const name of looks.filter((one) => one !== 'docs'))
      await run([...name.split(' '), ...[wordsOf[name] ?? []].flat()], variables)
    expect(await quittance<Entry[]>('audit', '--limit', '1000')).toEqual(before)
    rmSync(folder, { recursive: true })
    await Promise.all(own.map((database) => database.drop()))
  })
})
