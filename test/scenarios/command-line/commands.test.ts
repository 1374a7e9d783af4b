import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run as runCommand } from '../../support/command.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { live } from '../../support/live.ts'

describe('The command line', () => {
  let database: TestDatabase
  let variables: Record<string, string>
  beforeAll(async () => {
    database = await newDatabase()
    variables = {
      DATABASE_URL: database.url,
      ...live,
    }
  })
  afterAll(() => database.drop())

  const run = (...words: string[]) => runCommand(words, variables)
  const json = async <Result>(...words: string[]): Promise<Result> => {
    const { code, stdout, stderr } = await run(...words, '--json')
    expect(stderr).toBe('')
    expect(code).toBe(0)
    return JSON.parse(stdout)
  }

  it('explains itself, all of it and each command', async () => {
    const [all, one] = await Promise.all([run('--help'), run('apps', 'create', '--help')])
    expect(all.code).toBe(0)
    for (const name of ['start', 'serve', 'work', 'migrate', 'accounts create', 'apps create'])
      expect(all.stdout).toContain(name)
    expect(one.stdout).toContain('usage: quittance apps create <account id> [options]')
    expect(await run('help', 'apps', 'create')).toEqual(one)
    expect(await run('help')).toEqual(all)
    expect(await run('help', 'fly')).toMatchObject({ code: 2, stderr: expect.stringContaining('no command "fly"') })
    const half = 'quittance: "scenario" needs one of these after it: list, show, run.\n'
    expect(await run('scenario')).toMatchObject({ code: 2, stderr: half })
  })

  it('ends with 2 and one sentence when it is called wrongly', async () => {
    for (const words of [
      ['fly'],
      ['apps', 'disable'],
      ['accounts', 'create', '--wings'],
      ['accounts', 'list', '--constructor'],
      ['accounts', 'create', '--email', 'a@example.com', '--name', 'A', '--language', 'tlh'],
      ['accounts', 'create', '--email', 'a@example.com', '--name', 'A', '--time-zone', 'UTC+3'],
      ['accounts', 'update', 'MERCHANT', '--language', 'pl'],
      ['accounts', 'update', 'MERCHANT', '--phone', '12'],
      ['apps', 'create', 'MERCHANT', '--scopes', ''],
      ['apps', 'consent', 'CLIENT', 'MERCHANT', '--scopes', ''],
      ['serve', '--port', 'many'],
    ]) {
      const { code, stdout, stderr } = await run(...words)
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })

  it.each([
    ['scenario run seller-win', 1, 'There is no scenario seller-win. Did you mean seller-wins?'],
    ['scenario run seller-wins --until never', 2, 'has no step never; it has pay,'],
    ['trigger CUSTOMER.DISPUTE.CREATE', 2, 'Did you mean CUSTOMER.DISPUTE.CREATED?'],
    ['listen --events NO.SUCH', 2, 'NO.SUCH is not an event.'],
    ['gauntlet nowhere', 2, 'Give the http or https address'],
    ['proxy', 2, '--hosts takes the hosts'],
    ['accounts create --email a@example.com --name A --kind CLUB', 2, '--kind must be BUSINESS or PERSONAL.'],
    ['apps create MERCHANT --features flying', 2, '--features takes some of'],
    ['accounts move MERCHANT', 2, '--to must be'],
    ['audit --since yesterday', 2, '--since must be an instant'],
    ['console invite --role king --email a@example.com', 2, '--role must be one of'],
    ['deliveries retry all --delivery 1', 2, '--delivery goes with a webhook.'],
    ['jobs retry 1 --name issue-invoice', 2, '--name goes with all.'],
    ['people erase jane@example.com', 1, 'repeat the command with --yes'],
    ['partitions on', 1, 'set DATABASE_URL'],
    ['cells map 1', 2, '1 is no cell'],
  ])('starts and opens nothing for %j', async (words, code, sentence) => {
    const dataDir = join(tmpdir(), `quittance-not-made-${process.pid}`)
    const nowhere = { ...live, QUITTANCE_DATA_DIR: dataDir, PORT: '0' }

    const ended = await runCommand(words.split(' '), nowhere)

    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringContaining(sentence) })
    expect(existsSync(dataDir)).toBe(false)
  })

  it('makes an account and an app, rotates its secret, gives consent, disables and deletes it', async () => {
    const account = await json<{ id: string; language: string }>(
      'accounts',
      'create',
      '--email',
      'shop@example.com',
      '--name',
      'A shop',
      '--time-zone',
      'Europe/Berlin',
      '--language',
      'fr',
    )
    expect(account.language).toBe('fr')
    const app = await json<{ client_id: string; client_secret: string }>('apps', 'create', account.id, '--name', 'Till')
    expect(app.client_id).toMatch(/^A[A-Za-z0-9_-]{79}$/)
    expect(app.client_secret).toMatch(/^E[A-Za-z0-9_-]{79}$/)

    // Those that tell running services wait a second for them.
    const scopes = ['--scopes', 'disputes/read-partner']
    const [rotated, consent] = await Promise.all([
      json<{ client_secret: string }>('apps', 'rotate-secret', app.client_id),
      json<{ scopes: string[] }>('apps', 'consent', app.client_id, account.id, ...scopes),
    ])
    expect(rotated.client_secret).not.toBe(app.client_secret)
    expect(consent.scopes).toEqual(['disputes/read-partner'])
    expect(await json('apps', 'disable', app.client_id)).toMatchObject({ status: 'DISABLED' })
    expect(await json('apps', 'list')).toMatchObject([{ client_id: app.client_id, status: 'DISABLED' }])
    expect(await json('apps', 'delete', app.client_id)).toMatchObject({ status: 'DELETED' })
    expect(await json('apps', 'list')).toEqual([])
    expect(await json('accounts', 'update', account.id, '--language', 'de-AT')).toMatchObject({
      language: 'de-AT',
      time_zone: 'Europe/Berlin',
    })
    expect(await json('accounts', 'list')).toMatchObject([
      { id: account.id, time_zone: 'Europe/Berlin', language: 'de-AT' },
    ])
  })

  it('ends with 1 when the thing does not exist or the address is taken', async () => {
    const [missing, taken] = [
      await run('apps', 'disable', 'nobody'),
      await run('accounts', 'create', '--email', 'SHOP@example.com', '--name', 'Again'),
    ]
    expect([missing.code, taken.code]).toEqual([1, 1])
    expect(missing.stderr).toContain('nobody')
    expect(taken.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('makes no link in live that leads to this machine because nobody said where the service is', async () => {
    const invite = ['console', 'invite', '--role', 'operator', '--email', 'jo@example.com']
    const [unsaid, said] = [await run(...invite), await run(...invite, '--public-url', 'https://pay.example.com')]

    expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringContaining('Set PUBLIC_URL') })
    expect(said.stdout).toContain('https://pay.example.com/console/sign-in/link/')
    expect((await run('console', 'remove', 'jo@example.com')).code).toBe(0)
  })

  it('says for programs too that there is nothing to migrate', async () => {
    expect(await json('migrate')).toEqual({ applied: [] })
  })

  it('says what parked jobs are about, and how many are tried again', async () => {
    const park = `insert into jobs (name, payload, run_at, parked_time, create_time)
      select name, '{"account_id":"A","invoice_id":"INV2-A"}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from unnest($1::text[]) name`
    const opened = openPatiently(database.url, { connectionsMax: 2 })
    await opened.query(park, [['one', 'one', 'two']])
    await opened.close()
    const [{ id, ...one }] = await json<[{ id: string; account_id: string; about: string }]>('jobs', 'parked')

    expect(one).toMatchObject({ account_id: 'A', about: 'INV2-A' })
    expect(await json('jobs', 'retry', id)).toEqual({ retried: 1, id, name: 'one' })
    expect(await run('jobs', 'retry', id)).toMatchObject({ code: 1, stderr: expect.stringContaining(id) })
    expect(await json('jobs', 'retry', 'all', '--name', 'one')).toEqual({ retried: 1, name: 'one' })
    expect(await json('jobs', 'retry', 'all')).toEqual({ retried: 1 })
    expect((await run('jobs', 'retry', 'all')).stdout).toBe('retried  0\n')
  })

  it('lists every parked job, however many there are', async () => {
    const opened = openPatiently(database.url, { connectionsMax: 2 })
    await opened.query(`insert into jobs (name, payload, run_at, parked_time, create_time)
      select 'many', '{"account_id":"A"}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
      from generate_series(1, 450)`)
    const listed = await json<{ id: string }[]>('jobs', 'parked')
    await opened.query("delete from jobs where name = 'many'")
    await opened.close()

    expect(new Set(listed.map(({ id }) => id)).size).toBe(450)
  })

  it('lists every account and app, however many there are, the oldest first', async () => {
    const opened = openPatiently(database.url, { connectionsMax: 2 })
    await opened.query(`insert into accounts (id, body, create_time)
      select one.id, a.body || jsonb_build_object('id', one.id, 'email', one.id || '@example.com'), a.create_time
      from (select * from accounts limit 1) a, (select 'MANY' || n as id from generate_series(1, 1200) n) one`)
    await opened.query(`insert into apps (id, account_id, client_id, name, features, scopes, status, sandbox, create_time)
      select 'APP-' || id, id, 'client-' || id, 'Till', '{}', '{}', 'ENABLED', false, create_time from accounts where id like 'MANY%'`)
    const [accounts, apps] = [await json<{ id: string }[]>('accounts', 'list'), await json<object[]>('apps', 'list')]
    const { rows } = await opened.query('select id from accounts order by create_time, id')
    await opened.query("delete from apps where id like 'APP-MANY%'")
    await opened.query("delete from accounts where id like 'MANY%'")
    await opened.close()

    expect(accounts.map(({ id }) => ({ id }))).toEqual(rows)
    expect(apps.length).toBeGreaterThanOrEqual(1_200)
  })

  it('lists everybody who may sign in, however many they are', async () => {
    const opened = openPatiently(database.url, { connectionsMax: 2 })
    await opened.query(`insert into console_people (id, name, email, create_time)
      select 'PERSON' || n, 'P', n || '@many.test', '2026-01-01T00:00:00.000Z' from generate_series(1, 1200) n`)
    const listed = await json<{ email: string }[]>('console', 'people')
    await opened.query("delete from console_people where id like 'PERSON%'")
    await opened.close()

    expect(new Set(listed.map(({ email }) => email)).size).toBe(1_200)
  })

  it('shows nothing that a terminal would take for an order', async () => {
    const name = 'A\u001b[2J\u009b31mshop\nB'
    await json('accounts', 'create', '--email', 'orders@example.com', '--name', name)

    const { stdout } = await run('accounts', 'list')

    expect(stdout).toContain('A [2J 31mshop B')
    for (const order of ['\u001b', '\u009b']) expect(stdout).not.toContain(order)
  })

  it('does not start live without a secret', async () => {
    const { QUITTANCE_SECRET: _none, ...without } = variables
    const { code, stderr } = await runCommand(['start'], without)
    expect(code).toBe(2)
    expect(stderr).toContain('QUITTANCE_SECRET')
  })

  it('does not start with a gateway or mail server that it would never call', async () => {
    for (const url of ['http://gateway.example.com', 'https://10.0.0.1:8443', 'https://localhost:8443']) {
      const { code, stderr } = await runCommand(['start'], { ...variables, GATEWAY_URL: url })
      expect(code).toBe(2)
      expect(stderr).toContain('GATEWAY_ALLOW_PRIVATE')
    }
    const { code, stderr } = await runCommand(['start'], { ...variables, SMTP_URL: 'smtp://10.0.0.1' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('SMTP_ALLOW_PRIVATE')])
  })
})
