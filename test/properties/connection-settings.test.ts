import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/open.ts'

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
