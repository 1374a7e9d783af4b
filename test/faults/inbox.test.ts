import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { openInbox } from '../../src/testing/inbox.ts'
import { newWorld, type World } from '../support/world.ts'

describe('An inbox of a test', () => {
  let world: World
  let url: string
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    url = await world.app.listen()
  })
  afterAll(() => world.close())

  /** Each would keep the process of the tests from ending. */
  const servers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
  const inbox = (clientId: string, type: string) => {
    const owner = createClient({ url, clientId, clientSecret: `${clientId}-secret` })
    return openInbox([type], { url, publicUrl: url, owner, explain: async () => '' })
  }

  it.each([
    ['an event that does not exist', 'sandbox-merchant', 'NO.SUCH.EVENT', /No event is called/],
    ['somebody who has no webhooks', 'sandbox-buyer', '*', /403/],
  ])('that cannot be opened leaves nothing listening: %s', async (_, clientId, type, refusal) => {
    const before = servers()

    await expect(inbox(clientId, type)).rejects.toThrow(refusal)

    await expect.poll(servers).toBe(before)
  })
})
