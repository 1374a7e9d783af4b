import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connectionSettings, inDatabase } from '../../../src/database/address.ts'
import { after, systemClock } from '../../../src/kernel/clock.ts'
import { issueCertificate } from '../../../src/webhooks/signing/certificate.ts'
import { newKeyPair } from '../../../src/webhooks/signing/key-pair.ts'
import { run } from '../../support/command.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { live } from '../../support/live.ts'
import {
  commandLine,
  type Finished,
  runCommand,
  runProgram,
  startService,
  temporaryFolder,
} from '../../support/process.ts'

const isRoot = process.getuid?.() === 0

/** Every refusal: one sentence for people, nothing else, and an exit code for programs. */
function expectRefusal({ code, stdout, stderr }: Finished, sentence: RegExp, expectedCode = 1): void {
  expect(stderr).toMatch(sentence)
  expect(stderr).toMatch(/^quittance: [^\n]+\n$/)
  expect([code, stdout]).toEqual([expectedCode, ''])
}

/** Something that listens and then does with each connection what it is told. */
async function listener(onConnection: (socket: Socket) => void = () => {}): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Lets everybody in, and answers every question with a version of PostgreSQL. */
function speakAsVersion(socket: Socket, version: string, number: number): void {
  const text = (value: string) => Buffer.from(`${value}\0`)
  const int = (bytes: 2 | 4, value: number) => {
    const buffer = Buffer.alloc(bytes)
    buffer.writeIntBE(value, 0, bytes)
    return buffer
  }
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts)
    return Buffer.concat([Buffer.from(type), int(4, body.length + 4), body])
  }
  const column = (name: string, type: number) =>
    Buffer.concat([text(name), int(4, 0), int(2, 0), int(4, type), int(2, -1), int(4, -1), int(2, 0)])
  const value = (written: string) => Buffer.concat([int(4, written.length), Buffer.from(written)])
  const ready = message('Z', Buffer.from('I'))
  const row = [value(String(number)), value(version)]
  socket.once('data', () => {
    socket.write(Buffer.concat([message('R', int(4, 0)), message('S', text('in_hot_standby'), text('off')), ready]))
    socket.on('data', (asked) => {
      if (asked[0] !== 'Q'.charCodeAt(0)) return void socket.end()
      const answer = [
        message('T', int(2, 2), column('number', 23), column('version', 25)),
        message('D', int(2, 2), ...row),
      ]
      socket.write(Buffer.concat([...answer, message('C', text('SELECT 1')), ready]))
    })
  })
}

// One waits for an answer that never comes, and processes start: all that is beside each other.
describe.concurrent('A start', () => {
  const folder = temporaryFolder()
  afterAll(() => folder.remove())
  const dataDir = (name: string) => join(folder.path, name)

  it('on a port that is taken names PORT, and has made nothing', async () => {
    const taken = await listener()

    const finished = await runCommand(['start'], { PORT: String(taken.port), QUITTANCE_DATA_DIR: dataDir('taken') })

    expectRefusal(finished, new RegExp(`port ${taken.port} of 127\\.0\\.0\\.1: stop it, or set PORT`))
    expect(existsSync(dataDir('taken'))).toBe(false)
    taken.close()
  })

  it('that loses a race for its port closes what it has opened, and ends', async () => {
    const [free, database] = [await listener(), await newDatabase()]
    free.close()
    const start = () => startService({ PORT: String(free.port), DATABASE_URL: database.url, LOG_LEVEL: 'silent' })

    const results = await Promise.allSettled([start(), start()])

    const [won] = results.filter((result) => result.status === 'fulfilled')
    const [lost] = results.filter((result) => result.status === 'rejected')
    expect(String(lost?.reason)).toMatch(/^Error: the service ended with 1: quittance: [^\n]+ set PORT [^\n]+\n$/)
    expect(await won?.value.end('SIGTERM')).toBe(0)
    await database.drop()
  })

  it('on an address that this machine does not have names HOST', async () => {
    expectRefusal(await run(['start'], { HOST: '192.0.2.1', QUITTANCE_DATA_DIR: dataDir('host') }), /set HOST/)
  })

  it('on a folder that cannot be written names QUITTANCE_DATA_DIR', async () => {
    const finished = await run(['start'], { PORT: '0', QUITTANCE_DATA_DIR: '/dev/null/data' })

    expectRefusal(finished, /cannot be written \(\w+\): set QUITTANCE_DATA_DIR/)
  })

  it('on data of another version of PostgreSQL says which', async () => {
    const server = join(dataDir('other'), 'server')
    mkdirSync(join(server, 'cluster'), { recursive: true })
    writeFileSync(join(server, 'cluster/PG_VERSION'), '17\n')
    writeFileSync(join(server, 'password'), 'password')

    const finished = await run(['start'], { PORT: '0', QUITTANCE_DATA_DIR: dataDir('other') })

    expectRefusal(finished, /made by PostgreSQL 17 and this version of Quittance brings 18/)
  })

  // A file system of its own needs the rights of root; it lives and goes with the process.
  it.runIf(isRoot && process.platform === 'linux')('on a disk that is full says so', async () => {
    const small = temporaryFolder()
    const [program, words] = commandLine(['start'])
    const within = `mount -t tmpfs -o size=10m,mode=755 none "$0" && exec "$@"`

    const finished = await runProgram(['unshare', ['-m', 'sh', '-c', within, small.path, program, ...words]], {
      PORT: '0',
      QUITTANCE_DATA_DIR: join(small.path, 'data'),
    })

    expectRefusal(finished, /The disk .*is full/)
    small.remove()
  })
})

describe.concurrent('A live start', () => {
  const gateway = { GATEWAY_SECRET: 'a secret of the gateway' }
  const issuer = { CONSOLE_OIDC_CLIENT_ID: 'console', CONSOLE_OIDC_CLIENT_SECRET: 'secret' }

  it.each<[Record<string, string>, RegExp]>([
    [{ TRUST_PROXY: 'haproxy.internal' }, /TRUST_PROXY must be addresses or ranges such as/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /TRUST_PROXY must be/],
    [{ PUBLIC_URL: 'https://pay.test/?shop=1' }, /PUBLIC_URL must be an http or https address without .*query/],
    [{ PUBLIC_URL: 'https://me:secret@pay.test' }, /PUBLIC_URL must be an http or https address without user/],
    [{ GATEWAY_URL: 'https://gateway.test/#v1', ...gateway }, /GATEWAY_URL must be/],
    [{ GATEWAY_URL: 'https://gateway.test' }, /GATEWAY_URL needs GATEWAY_SECRET/],
    [{ GATEWAY_URL: 'https://127.0.0.1', ...gateway }, /GATEWAY_URL cannot be called.*GATEWAY_ALLOW_PRIVATE/],
    [{ CONSOLE_OIDC_ISSUER: 'https://127.0.0.1', ...issuer }, /CONSOLE_OIDC_ISSUER cannot be called.*_ALLOW_PRIVATE/],
    [{ CONSOLE_OIDC_ISSUER: 'http://id.example', ...issuer }, /CONSOLE_OIDC_ISSUER cannot be called.*_ALLOW_HTTP/],
    [{ SMTP_URL: 'smtp://127.0.0.1' }, /SMTP_URL cannot be called.*SMTP_ALLOW_PRIVATE/],
  ])('with %o is refused as a setting', async (variables, sentence) => {
    // Where nobody listens: what would be taken ends all the same.
    const nowhere = { PORT: '0', DATABASE_URL: 'postgres://me@127.0.0.1:1/shop' }

    expectRefusal(await run(['start'], { ...live, ...nowhere, ...variables }), sentence, 2)
  })
})

describe.concurrent('A start with a DATABASE_URL', () => {
  // As the program does it, in this process: the first of the starts above is a process of its own.
  const start = (databaseUrl: string) => run(['start'], { PORT: '0', DATABASE_URL: databaseUrl })

  it('that wants servers which take no writes is refused as a setting', async () => {
    expectRefusal(
      await start('postgres://one.test/books?target_session_attrs=standby'),
      /target_session_attrs .* any;/,
      2,
    )
  })

  it('that names a file which is not there says which', async () => {
    const finished = await start('postgres://one.test/books?sslmode=verify-full&sslrootcert=/nowhere/authority.pem')

    expectRefusal(finished, /names a file that cannot be read: sslrootcert=\/nowhere\/authority\.pem/, 2)
  })

  it('of several servers says of each why it cannot be used', async () => {
    const finished = await start('postgres://postgres@127.0.0.1:1,127.0.0.1:2/books')

    expectRefusal(finished, /None of the database servers can be used: 127\.0\.0\.1:1: .*; 127\.0\.0\.1:2: .*/)
  })

  it('that is no address of a PostgreSQL is refused as a setting', async () => {
    const [other, broken] = await Promise.all([start('mysql://localhost/shop'), start('postgres://a:b:c:d')])

    expectRefusal(other, /DATABASE_URL must be an address such as/, 2)
    expectRefusal(broken, /DATABASE_URL is no address: write it as postgres:/)
  })

  it('where nobody listens says so, without the password', async () => {
    const free = await listener()
    free.close()

    const finished = await start(`postgres://me:hidden@127.0.0.1:${free.port}/shop`)

    expectRefusal(finished, new RegExp(`No PostgreSQL listens at 127\\.0\\.0\\.1:${free.port}/shop`))
    expect(finished.stderr).not.toContain('hidden')
  })

  it('whose host nobody knows says so', async () => {
    expectRefusal(await start('postgres://me@nowhere.invalid/shop'), /The host of nowhere\.invalid\/shop is not known/)
  })

  it('where something else listens, or nothing ever answers, says so', async () => {
    const [web, deaf] = [await listener((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), await listener()]

    const [other, silence] = await Promise.all(
      [web, deaf].map(({ port }) => start(`postgres://me@127.0.0.1:${port}/shop`)),
    )

    expectRefusal(other!, /does not speak as PostgreSQL does/)
    expectRefusal(silence!, /Nothing answers at/)
    for (const { close } of [web, deaf]) close()
  })

  it('whose certificate nobody vouches for says what would', async () => {
    const { privateKey, publicKey } = await newKeyPair()
    const now = systemClock.now()
    const valid = { from: after(now, -3_600), until: after(now, 3_600) }
    const by = { name: 'db.test', privateKey }
    const cert = issueCertificate({ publicKey, name: 'db.test', by, serial: Buffer.from([1]), ...valid })
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
    const server = await listener((socket) =>
      socket.once('data', () => {
        socket.pause()
        socket.write('S', () => new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {}).resume())
      }),
    )

    const finished = await start(`postgres://me:hidden@127.0.0.1:${server.port}/shop?sslmode=require`)

    expectRefusal(finished, /The certificate of PostgreSQL at 127\.0\.0\.1:\d+\/shop is not trusted .*sslrootcert=/)
    expect(finished.stderr).not.toContain('hidden')
    server.close()
  })

  it('of a PostgreSQL that is too old says which it is', async () => {
    const old = await listener((socket) => speakAsVersion(socket, '14.11', 140_011))

    const finished = await start(`postgres://me@127.0.0.1:${old.port}/shop`)

    expectRefusal(finished, /This is PostgreSQL 14\.11, and Quittance needs 15 or newer/)
    old.close()
  })

  it.each([['start'], ['migrate'], ['accounts', 'list']])(
    'on a database of an earlier version that is of another environment, cell or secret leaves it as it is: %s',
    async (...words) => {
      const database = await newDatabase()
      const client = new pg.Client(connectionSettings(database.url))
      await client.connect()
      await client.query("insert into deployment values (true, 'live')")
      await client.query('drop table erasures')
      await client.query("delete from migrations where name = '0069_erasures.sql'")
      const runAs = (variables: Record<string, string>) =>
        run(words, { PORT: '0', DATABASE_URL: database.url, ...variables })

      expectRefusal(await runAs({}), /belongs to a live service.*set QUITTANCE_ENVIRONMENT=live/, 2)
      await client.query(`insert into signing_keys (id, sealed, certificate, current, create_time)
        values ('K', 'sealed', '', true, '2026-03-02T09:00:00.000Z')`)
      expectRefusal(await runAs(live), /QUITTANCE_SECRET is not the one/, 2)
      await client.query("update deployment set cell = 'B'")
      expectRefusal(await runAs({ ...live, CELL: 'C' }), /This database is cell B/, 2)

      expect((await client.query("select to_regclass('erasures') as made")).rows).toEqual([{ made: null }])
      await client.end()
      await database.drop()
    },
  )

  it('that a newer version has migrated, another secret sealed or the other environment has says so', async () => {
    const database = await newDatabase()
    const client = new pg.Client(connectionSettings(database.url))
    await client.connect()
    const startAs = (variables: Record<string, string>) =>
      run(['start'], { PORT: '0', DATABASE_URL: database.url, ...variables })

    await client.query("insert into deployment values (true, 'live')")
    expectRefusal(await startAs({}), /belongs to a live service.*set QUITTANCE_ENVIRONMENT=live/, 2)
    await client.query(`insert into signing_keys (id, sealed, certificate, current, create_time)
      values ('K', 'sealed', '', true, '2026-03-02T09:00:00.000Z')`)
    expectRefusal(await startAs(live), /QUITTANCE_SECRET is not the one/, 2)
    await client.query("insert into migrations values ('9999_contract_9998_tomorrow.sql', '')")
    expectRefusal(await startAs(live), /newer version of Quittance \(9999_contract_9998_tomorrow\.sql is unknown/)
    expectRefusal(await startAs({ ...live, QUITTANCE_SECRET: 'short' }), /QUITTANCE_SECRET must be/, 2)

    await client.end()
    await database.drop()
  })

  it('whose database is not there says so', async () => {
    expectRefusal(await start(inDatabase(inject('server').url, 'no_such_shop')), /there is no database .*no_such_shop/)
  })

  it('in whose encoding not every name can be written says so, before it makes tables there', async () => {
    const name = `quittance_latin_${process.pid}`
    const owner = new pg.Client(connectionSettings(inject('server').url))
    await owner.connect()
    await owner.query(`create database ${name} encoding 'LATIN1' locale_provider libc locale 'C' template template0`)
    const url = inDatabase(inject('server').url, name)

    expectRefusal(await start(url), /has the encoding LATIN1.*create it with encoding 'UTF8'/)
    expect((await run(['check'], { DATABASE_URL: url })).stdout).toMatch(/^database +failed +.* encoding LATIN1/m)
    await owner.query(`drop database ${name}`)
    await owner.end()
  })

  describe('of a role without rights', () => {
    const role = `quittance_guest_${process.pid}`
    let database: TestDatabase
    const asOwner = async (statement: string) => {
      const client = new pg.Client(connectionSettings(database.url))
      await client.connect()
      await client.query(statement)
      await client.end()
    }
    beforeAll(async () => {
      database = await newDatabase({ empty: true })
      await asOwner(`create role ${role} login password 'guest'; revoke create on schema public from public`)
    })
    afterAll(async () => {
      await asOwner(`drop role ${role}`)
      await database.drop()
    })

    it('says that it may not create', async () => {
      const { host, port, database: name } = new pg.Client(connectionSettings(database.url))

      const finished = await start(`postgres://${role}:guest@${encodeURIComponent(host)}:${port}/${name}`)

      expectRefusal(finished, /The role of DATABASE_URL may not change the schema .*grant it create/)
    })

    it('says so of a schema that it does not even see, and that it is not let in', async () => {
      const closed = await newDatabase({ empty: true })
      const client = new pg.Client(connectionSettings(closed.url))
      await client.connect()
      const { host, port, database: name } = client
      const url = `postgres://${role}:guest@${encodeURIComponent(host)}:${port}/${name}`

      await client.query('revoke usage, create on schema public from public')
      expectRefusal(
        await start(url),
        /may not change the schema .*no schema has been selected.*grant it create and usage/,
      )
      expect((await run(['check'], { DATABASE_URL: url })).stdout).toMatch(/^database +failed +.* create and usage/m)
      await client.query(`revoke connect on database ${name} from public`)
      expectRefusal(await start(url), /does not let us in \(permission denied for database .*: correct DATABASE_URL/)
      await client.end()
      await closed.drop()
    })

    it('says that it does not own the tables which it is to change, as a check before it does', async () => {
      const older = await newDatabase()
      const client = new pg.Client(connectionSettings(older.url))
      await client.connect()
      await client.query(`delete from migrations where name = '0068_free_addresses.sql';
        grant usage, create on schema public to ${role}; grant all on all tables in schema public to ${role}`)
      await client.end()
      const { host, port, database: name } = client
      const url = `postgres://${role}:guest@${encodeURIComponent(host)}:${port}/${name}`

      expectRefusal(
        await start(url),
        /does not own the tables of .*: migrate as that role, or grant this one membership/,
      )
      expect((await run(['check'], { DATABASE_URL: url })).stdout).toMatch(
        /^database +failed +.* does not own the tables/m,
      )
      await older.drop()
    })

    it('says so of several servers by their names', async () => {
      const { host, port, database: name } = new pg.Client(connectionSettings(database.url))
      const hosts = `127.0.0.1:1,${encodeURIComponent(host)}:${port}`

      const finished = await start(`postgres://${role}:guest@${hosts}/${name}`)

      expectRefusal(finished, new RegExp(`may not change the schema of ${hosts}/${name} `))
      expect(finished.stderr).not.toContain('guest@')
    })
  })
})
