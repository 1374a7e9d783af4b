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
  })

  it('ends with 2 and one sentence when it is called wrongly', async () => {
    for (const words of [
      ['fly'],
      ['apps', 'disable'],
      ['accounts', 'create', '--wings'],
      ['accounts', 'create', '--email', 'a@example.com', '--name', 'A', '--language', 'tlh'],
      ['accounts', 'create', '--email', 'a@example.com', '--name', 'A', '--time-zone', 'UTC+3'],
      ['accounts', 'update', 'MERCHANT', '--language', 'pl'],
      ['accounts', 'update', 'MERCHANT', '--phone', '12'],
      ['serve', '--port', 'many'],
    ]) {
      const { code, stdout, stderr } = await run(...words)
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
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

  it('says how many parked jobs are tried again', async () => {
    const park = `insert into jobs (name, payload, run_at, parked_time, create_time)
      select name, '{"account_id":"A"}', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from unnest($1::text[]) name`
    const opened = openPatiently(database.url, { connectionsMax: 2 })
    await opened.query(park, [['one', 'one', 'two']])
    await opened.close()
    const [{ id }] = await json<[{ id: string }]>('jobs', 'parked')

    expect(await json('jobs', 'retry', id)).toEqual({ retried: 1, id, name: 'one' })
    expect(await run('jobs', 'retry', id)).toMatchObject({ code: 1, stderr: expect.stringContaining(id) })
    expect(await json('jobs', 'retry', 'all', '--name', 'one')).toEqual({ retried: 1, name: 'one' })
    expect(await json('jobs', 'retry', 'all')).toEqual({ retried: 1 })
    expect((await run('jobs', 'retry', 'all')).stdout).toBe('retried  0\n')
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
