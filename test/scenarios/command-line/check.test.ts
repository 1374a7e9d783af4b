import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../../src/database/address.ts'
import { run } from '../../support/command.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { GATEWAY_SECRET, startGateway } from '../../support/gateway.ts'
import { CLIENT, startIssuer } from '../../support/issuer.ts'
import { live } from '../../support/live.ts'

interface Finding {
  what: string
  state: string
  says: string
}

/** Where nobody listens. */
const NOWHERE = '127.0.0.1:1'

/** A mail server that lets one user in, and keeps what it is handed. */
async function startMailServer() {
  const received: string[] = []
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ password }, _session, done) =>
      done(password === 'right' ? null : new Error('who are you?'), { user: 'shop' }),
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('nobody') ? new Error('no such user') : null),
    onData(stream, _session, done) {
      let data = ''
      stream.on('data', (chunk: Buffer) => (data += chunk.toString()))
      stream.on('end', () => {
        received.push(data)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    at: (password: string) => `smtp://shop:${password}@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

describe('The check before a start', () => {
  let database: TestDatabase
  let empty: TestDatabase
  let mail: Awaited<ReturnType<typeof startMailServer>>
  let gateway: Awaited<ReturnType<typeof startGateway>>
  let issuer: Awaited<ReturnType<typeof startIssuer>>
  let whole: Record<string, string>
  beforeAll(async () => {
    database = await newDatabase()
    empty = await newDatabase({ empty: true })
    mail = await startMailServer()
    gateway = await startGateway()
    issuer = await startIssuer()
    whole = {
      ...live,
      DATABASE_URL: database.url,
      PUBLIC_URL: 'https://pay.example.test',
      SMTP_URL: mail.at('right'),
      SMTP_ALLOW_PRIVATE: 'true',
      SMTP_ALLOW_PLAIN: 'true',
      MAIL_FROM: 'bills@pay.example.test',
      GATEWAY_URL: gateway.url,
      GATEWAY_SECRET,
      GATEWAY_ALLOW_HTTP: 'true',
      GATEWAY_ALLOW_PRIVATE: 'true',
      CONSOLE_OIDC_ISSUER: issuer.url,
      CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
      CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
      CONSOLE_OIDC_ALLOW_HTTP: 'true',
      CONSOLE_OIDC_ALLOW_PRIVATE: 'true',
    }
  })
  afterAll(async () => {
    await Promise.all([mail.close(), gateway.close(), issuer.close()])
    await database.drop()
    await empty.drop()
  })

  const check = async (variables: Record<string, string>, ...words: string[]) => {
    const { code, stdout, stderr } = await run(['check', ...words, '--json'], variables)
    const findings = stdout === '' ? [] : (JSON.parse(stdout) as Finding[])
    const of = (what: string) => findings.find((one) => one.what === what)!
    return { code, stderr, findings, of }
  }
  const ask = async ({ url }: TestDatabase, statement: string) => {
    const client = new pg.Client(connectionSettings(url))
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }

  it('finds nothing wrong where all is as it should be', async () => {
    const { code, stderr, findings, of } = await check(whole)
    expect([code, stderr]).toEqual([0, ''])
    expect(findings.map(({ what }) => what)).toEqual([
      ...['settings', 'links', 'database', 'replica', 'mail', 'gateway', 'single sign-on'],
    ])
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([])
    // The server of a test may well write nothing to its disk.
    const [{ fsync } = {}] = await ask(database, 'show fsync')
    expect(of('database')).toMatchObject(
      fsync === 'on'
        ? { state: 'ok', says: expect.stringMatching(/^PostgreSQL \d.*, with the schema of this version\.$/) }
        : { state: 'note', says: expect.stringMatching(/^PostgreSQL \d.* runs with fsync off: .* is lost\.$/) },
    )
    expect(of('mail')).toMatchObject({ state: 'ok', says: expect.stringContaining('bills@pay.example.test') })
    expect(of('gateway')).toMatchObject({ state: 'ok' })
    expect(mail.received).toEqual([])
    // For people it is a table.
    expect((await run(['check'], whole)).stdout).toMatch(/^what +state +says\nsettings +ok +Those of a live service\./)
  })

  it('sends a mail to whom it is told to', async () => {
    const { code, of } = await check(whole, '--mail-to', 'me@example.test')
    expect([code, of('mail').state]).toEqual([0, 'ok'])
    expect(mail.received).toEqual([expect.stringMatching(/^From: Quittance <bills@pay\.example\.test>\r\nTo: me@/m)])
    const refused = await check(whole, '--mail-to', 'nobody@example.test')
    expect(refused.code).toBe(1)
    expect(refused.of('mail')).toMatchObject({ state: 'failed', says: expect.stringContaining('no such user') })
    const { SMTP_URL: _, ...without } = whole
    expect(await check(without, '--mail-to', 'me@example.test')).toMatchObject({
      code: 2,
      stderr: 'quittance: --mail-to needs SMTP_URL.\n',
    })
  })

  it('says what a live service does without', async () => {
    const { code, findings } = await check({ ...live, DATABASE_URL: database.url })
    expect(code).toBe(0)
    const notes = findings.filter(({ state, what }) => state === 'note' && what !== 'database')
    expect(notes.map(({ what }) => what)).toEqual(['links', 'mail', 'gateway'])
    expect((await check({ ...whole, PUBLIC_URL: 'http://pay.example.test' })).of('links').state).toBe('note')
  })

  it('changes nothing in an empty database, and says that it is empty', async () => {
    const { code, of } = await check({ ...whole, DATABASE_URL: empty.url })
    expect(code).toBe(0)
    expect(of('database')).toMatchObject({ state: 'ok', says: expect.stringContaining('with nothing in it') })
    expect(await ask(empty, "select from pg_class where relnamespace = 'public'::regnamespace")).toEqual([])
  })

  it('names the migrations that a start would apply, and applies none', async () => {
    const older = await newDatabase()
    try {
      const [{ name } = {}] = await ask(
        older,
        'delete from migrations where name = (select max(name) from migrations) returning name',
      )
      const { code, of } = await check({ ...whole, DATABASE_URL: older.url })
      expect(code).toBe(0)
      expect(of('database')).toMatchObject({ state: 'note', says: expect.stringContaining(`applies ${name}.`) })
      expect(await ask(older, `select from migrations where name = '${name}'`)).toEqual([])
    } finally {
      await older.drop()
    }
  })

  it.each<[string, string, (all: Record<string, string>) => Record<string, string>, RegExp]>([
    [
      'a database where nobody listens',
      'database',
      () => ({ DATABASE_URL: `postgres://me@${NOWHERE}/shop` }),
      /^No PostgreSQL listens at 127\.0\.0\.1:1\/shop/,
    ],
    [
      'a replica where nobody listens',
      'replica',
      () => ({ DATABASE_READ_URL: `postgres://me@${NOWHERE}/shop` }),
      /^DATABASE_READ_URL: the replica at .* is gone\.$/,
    ],
    [
      'a replica of nothing',
      'replica',
      ({ DATABASE_URL }) => ({ DATABASE_READ_URL: DATABASE_URL! }),
      /^DATABASE_READ_URL/,
    ],
    [
      'a password that the mail server does not know',
      'mail',
      () => ({ SMTP_URL: mail.at('wrong') }),
      /^SMTP_URL: .*Invalid login.*who are you\?/,
    ],
    [
      'a mail server where nobody listens',
      'mail',
      () => ({ SMTP_URL: `smtp://${NOWHERE}` }),
      /^SMTP_URL: the mail server at 127\.0\.0\.1:1 .*ECONNREFUSED/,
    ],
    ['a mail server that does not encrypt', 'mail', () => ({ SMTP_ALLOW_PLAIN: 'false' }), /^SMTP_URL: .*STARTTLS/],
    [
      'another secret than the gateway has',
      'gateway',
      () => ({ GATEWAY_SECRET: 'another secret of the gateway' }),
      /^GATEWAY_URL: .* answered 401/,
    ],
    [
      'a gateway where nobody listens',
      'gateway',
      () => ({ GATEWAY_URL: gateway.url.replace('127.0.0.1', '127.0.0.9') }),
      /^GATEWAY_URL: http:\/\/127\.0\.0\.9:\d+ cannot be asked: .*ECONNREFUSED/,
    ],
    [
      'an issuer that is none',
      'single sign-on',
      () => ({ CONSOLE_OIDC_ISSUER: gateway.url }),
      /^CONSOLE_OIDC_ISSUER: .* does not answer as an issuer does/,
    ],
    [
      'settings that do not go together',
      'settings',
      () => ({ CONSOLE_OIDC_CLIENT_ID: '' }),
      /^CONSOLE_OIDC_ISSUER needs CONSOLE_OIDC_CLIENT_ID/,
    ],
  ])('finds %s', async (_, what, variables, says) => {
    const { code, stderr, of } = await check({ ...whole, ...variables(whole) })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^quittance: A service with these settings would fail: .*\.\n$/),
    ])
    expect(stderr).toContain(what)
    expect(of(what)).toEqual({ what, state: 'failed', says: expect.stringMatching(says) })
  })

  it('finds a gateway that knows what was never charged', async () => {
    gateway.says.set('A-CHARGE-THAT-WAS-NEVER-MADE', 'COMPLETED')
    expect((await check(whole)).of('gateway')).toMatchObject({
      state: 'failed',
      says: expect.stringContaining('says COMPLETED of a charge that was never made; it must answer 404.'),
    })
    gateway.says.clear()
  })

  it('finds a database of the other environment, and one that was sealed with another secret', async () => {
    const taken = await newDatabase()
    try {
      await ask(taken, "insert into deployment values (true, 'sandbox')")
      const all = { ...whole, DATABASE_URL: taken.url }
      expect((await check(all)).of('database').says).toContain('This database was made for a sandbox')
      await ask(taken, "update deployment set environment = 'live'")
      await ask(
        taken,
        `insert into signing_keys (id, sealed, certificate, current, create_time)
        values ('K', 'sealed', '', true, '2026-03-02T09:00:00.000Z')`,
      )
      expect((await check(all)).of('database').says).toContain('QUITTANCE_SECRET is not the one')
      // Before an upgrade too.
      await ask(taken, 'delete from migrations where name = (select max(name) from migrations)')
      const before = await check(all)
      expect([before.code, before.of('database').says]).toEqual([1, expect.stringContaining('QUITTANCE_SECRET is not')])
    } finally {
      await taken.drop()
    }
  })
})

describe('The check of what is stored', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(() => database.drop())

  it('finds no rule broken, and then the one that is, by how many rows', async () => {
    const variables = { ...live, DATABASE_URL: database.url }
    const sound = await run(['invariants', '--json'], variables)
    expect([sound.code, sound.stderr]).toEqual([0, ''])
    const { rules, broken } = JSON.parse(sound.stdout) as { rules: number; broken: number }
    expect([rules > 20, broken]).toEqual([true, 0])

    const client = new pg.Client(connectionSettings(database.url))
    await client.connect()
    await client.query(`set session_replication_role = replica;
      insert into ledger_balances (account_id, book, currency, amount) values ('A', 'balance', 'USD', 5), ('B', 'balance', 'USD', 7)`)
    await client.end()
    const { code, stdout, stderr } = await run(['invariants', '--json'], variables)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^quittance: \d of \d+ rules do not hold: /)])
    expect((JSON.parse(stdout) as { rule: string; rows: number }[]).map(({ rows }) => rows)).toContain(2)
  })
})
