import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { addressOf, connectionSettings } from '../../src/database/address.ts'

/** What the driver makes of an address. */
const optionsOf = (url: string) =>
  // The types do not know of the parameters, which the driver has always had.
  (new pg.Client(connectionSettings(url, '-c jit=off')) as unknown as { connectionParameters: { options: string } })
    .connectionParameters.options

describe('The options of a connection', () => {
  it('are ours, on a socket and over the network', () => {
    expect(optionsOf('socket:/tmp/data:5432/quittance')).toBe('-c jit=off')
    expect(optionsOf('postgres://user@example.com/books?sslmode=disable')).toBe('-c jit=off')
  })

  it("end with the operator's, so that those win", () => {
    const options = encodeURIComponent('-c search_path=books -c jit=on')
    expect(optionsOf(`postgres://user@example.com/books?options=${options}&sslmode=disable`)).toBe(
      '-c jit=off -c search_path=books -c jit=on',
    )
  })
})

describe('An address', () => {
  const hostsOf = (url: string) =>
    addressOf(url).servers.map(({ settings }) => {
      const { host, port, database, user, password } = new pg.Client(settings)
      return { host, port, database, user, password }
    })

  it('may name several servers, each with a port of its own', () => {
    const same = { database: 'books', user: 'user', password: 'p,w' }
    expect(hostsOf('postgres://user:p,w@one:5433,two,[::1]:5434/books?sslmode=disable')).toEqual([
      { host: 'one', port: 5433, ...same },
      { host: 'two', port: 5432, ...same },
      { host: '::1', port: 5434, ...same },
    ])
  })

  it('wants a server that takes writes unless it says otherwise', () => {
    expect(addressOf('postgres://one/books').role).toBe('primary')
    expect(addressOf('postgres://one/books?target_session_attrs=primary').role).toBe('primary')
    expect(addressOf('postgres://one,two/books?sslmode=disable&target_session_attrs=any').role).toBe('any')
    expect(() => addressOf('postgres://one/books?target_session_attrs=standby')).toThrow(
      'target_session_attrs in DATABASE_URL is read-write, primary, any; standby would lead to servers that take no writes.',
    )
  })

  it('that asks for encryption has certificates checked, without a word of the driver', () => {
    const modeIn = (url: string) => new URL(addressOf(url).servers[0]!.settings.connectionString!).searchParams
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      expect(modeIn(`postgres://one/books?sslmode=${mode}`).get('sslmode')).toBe('verify-full')
    for (const said of ['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require'])
      expect(modeIn(`postgres://one/books?${said}`).toString()).toBe(said)
  })

  it('hands the driver nothing it does not know', () => {
    const [server] = addressOf('postgres://one/books?target_session_attrs=primary&sslmode=disable').servers
    expect(server!.settings.connectionString).toBe('postgres://one/books?sslmode=disable')
  })
})
