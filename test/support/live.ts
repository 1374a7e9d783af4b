import { addAccount } from '../../src/accounts/store.ts'
import { newWorld, type World } from './world.ts'

/**
 * A live service with the two accounts of a sale and nobody to call for them yet: `personWithApp` makes callers, as the
 * command line would. Time is the real one.
 */
export async function newLiveWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await newWorld({
    settings: {
      QUITTANCE_ENVIRONMENT: 'live',
      QUITTANCE_SECRET: 'a secret of a live service, long enough',
      RATE_LIMIT_PER_MINUTE: '0',
      TOKEN_RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
    },
  })
  const { merchant, buyer } = world.people
  await world.app.transact(async (tx) => {
    for (const account of [merchant, buyer]) addAccount(tx, { ...account, create_time: tx.now })
  })
  return world
}
