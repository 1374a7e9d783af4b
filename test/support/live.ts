import { addAccount } from '../../src/accounts/store.ts'
import { newWorld, type World, type WorldOptions } from './world.ts'

export const live = { QUITTANCE_ENVIRONMENT: 'live', QUITTANCE_SECRET: 'a secret of a live service, long enough' }

/** Live, and nothing that a test does is too much or too near. */
export const liveUnlimited = {
  ...live,
  RATE_LIMIT_PER_MINUTE: '0',
  TOKEN_RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_SIGNATURES: 'standard',
}

/**
 * A live service with the accounts of a sale, a second merchant, and nobody to call for them yet: `personWithApp` makes callers, as the
 * command line would. Time is the real one.
 */
export async function newLiveWorld(
  settings: Readonly<Record<string, string>> = {},
  options: Omit<WorldOptions, 'settings'> = {},
): Promise<World> {
  const world = await newWorld({
    ...options,
    settings: {
      ...live,
      RATE_LIMIT_PER_MINUTE: '0',
      TOKEN_RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
    },
  })
  const { merchant, otherMerchant, buyer } = world.people
  await world.app.transact(async (tx) => {
    for (const account of [merchant, otherMerchant, buyer]) addAccount(tx, { ...account, create_time: tx.now })
  })
  return world
}
