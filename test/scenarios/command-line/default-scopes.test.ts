import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findApp } from '../../../src/accounts/store.ts'
import { runCommand } from '../../../src/cli/run.ts'
import { live, newLiveWorld } from '../../support/live.ts'
import type { Person, World } from '../../support/world.ts'

describe('Apps that the command line makes in live', () => {
  let world: World
  beforeAll(async () => {
    world = await newLiveWorld()
  })
  afterAll(() => world.close())

  async function run<Result>(...words: string[]): Promise<Result> {
    const stdout: string[] = []
    const stderr: string[] = []
    const output = { out: (text: string) => void stdout.push(text), err: (text: string) => void stderr.push(text) }
    const variables = {
      DATABASE_URL: world.databaseUrl,
      ...live,
    }
    const code = await runCommand([...words, '--json'], variables, output)
    expect(stderr.join('')).toBe('')
    expect(code).toBe(0)
    return JSON.parse(stdout.join(''))
  }
  const appOf = async (accountId: string, ...words: string[]): Promise<Person> => {
    const app = await run<{ client_id: string; client_secret: string }>('apps', 'create', accountId, ...words)
    return world.person(app.client_id, { secret: app.client_secret })
  }
  const scopesOf = async ({ clientId }: Person) => (await findApp(world.app.database, clientId))!.scopes

  it('get what their kind of account needs by default, and wide scopes only when they are named', async () => {
    const { merchant, buyer } = world.people
    const till = await appOf(merchant.id, '--features', 'disputes')
    expect(await scopesOf(till)).toEqual([
      'disputes/read-seller',
      'disputes/update-seller',
      'disputes/create',
      'disputes/webhooks',
    ])
    expect(await scopesOf(await appOf(buyer.id))).toEqual([
      'disputes/read-buyer',
      'disputes/update-buyer',
      'disputes/create',
    ])
    const wide = ['disputes/read', 'disputes/read-partner', 'disputes/read-buyer', 'disputes/update-buyer', 'operator']
    const usual = await scopesOf(await appOf(merchant.id))
    for (const scope of wide) expect(usual).not.toContain(scope)
    expect(await scopesOf(await appOf(merchant.id, '--scopes', 'disputes/read'))).toEqual(['disputes/read'])
  })
})
