import { setTimeout as pause } from 'node:timers/promises'
import { KEY_BELIEVED_MS, listKeys, SigningKeys } from '../webhooks/keys.ts'
import { makeSeal } from '../webhooks/seal.ts'
import { type Command, CommandError, type StoreInput } from './command.ts'

/** Replaces the key that deliveries are signed with. */
export const keyCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'keys list',
    summary: 'List the certificates that deliveries are or were signed with',
    run: ({ db }) => listKeys(db),
  },
  {
    kind: 'store',
    name: 'keys rotate',
    summary: 'Sign deliveries with a new key; the certificates of earlier ones stay served',
    run: rotate,
  },
]

async function rotate({ db, settings: { secret } }: StoreInput) {
  if (!(await listKeys(db)).some(({ current }) => current))
    throw new CommandError('There is no key yet; the first delivery makes one.')
  const keys = new SigningKeys(db, makeSeal(secret ?? ''))
  // A key that is sealed with another secret than the services have would stop every delivery.
  await keys.current().catch(() => {
    throw new CommandError('QUITTANCE_SECRET does not open the present key; set the one that the services have.')
  })
  const { id } = await keys.rotate()
  // After this no process signs with the old one.
  await pause(KEY_BELIEVED_MS)
  return { id, current: true }
}
