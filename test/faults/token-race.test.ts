import { afterAll, beforeAll, expect, it } from 'vitest'
import { Authenticator } from '../../src/accounts/authenticate.ts'
import type { Reader } from '../../src/database/transaction.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { basic, newWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const end = (token: string) =>
  world.call('POST', '/v1/oauth2/token/terminate', new URLSearchParams({ token }).toString(), {
    headers: {
      authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'),
      'content-type': 'application/x-www-form-urlencoded',
    },
  })

it('A process that hears nothing of the others believes no token that they may have ended', async () => {
  const { service, database } = world.app
  const token = await world.tokenFor('sandbox-merchant')
  let hears = true
  const authenticator = new Authenticator(service, database, systemClock, () => hears)
  const ask = async () => authenticator.authenticate({ authorization: `Bearer ${token}` }, '127.0.0.1')

  expect(await ask()).toMatchObject({ clientId: 'sandbox-merchant' })
  hears = false
  await end(token)

  await expect(ask()).rejects.toMatchObject({ status: 401 })
})

it('A token that is ended while somebody looks it up is not believed any longer', async () => {
  const { service, database } = world.app
  const token = await world.tokenFor('sandbox-merchant')
  let answered = () => {}
  let goOn = () => {}
  const isRead = new Promise<void>((resolve) => (answered = resolve))
  const isOpen = new Promise<void>((resolve) => (goOn = resolve))
  /** The way to the database, on which the first answer is long under way. */
  const slow: Reader = {
    rows: database.rows,
    async row<Row>(...asked: Parameters<Reader['row']>) {
      const found = await database.row<Row>(...asked)
      answered()
      await isOpen
      return found
    },
  }
  const authenticator = new Authenticator(service, slow, systemClock, () => true)
  const ask = async () => authenticator.authenticate({ authorization: `Bearer ${token}` }, '127.0.0.1')

  const first = ask()
  await isRead
  await end(token)
  // What every process does that hears of it.
  authenticator.forget()
  goOn()

  // It was good when the first asked.
  expect(await first).toMatchObject({ clientId: 'sandbox-merchant' })
  await expect(ask()).rejects.toMatchObject({ status: 401 })
})
