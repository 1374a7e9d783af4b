import { setTimeout as pause } from 'node:timers/promises'
import { KEY_BELIEVED_MS, listKeys, SigningKeys, withdrawKey } from '../../webhooks/signing/keys.ts'
import { makeSeal } from '../../webhooks/signing/seal.ts'
import { type Command, CommandError, type StoreInput } from '../command.ts'
import { publicUrlOf } from '../public-url.ts'
import { requireSecrets } from '../startable.ts'

/** Replaces the key that deliveries are signed with, and takes back what an earlier one signed. */
export const keyCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'keys list',
    summary: 'List the certificates that deliveries are or were signed with',
    examples: [['keys list', 'shows which one signs now']],
    run: ({ db }) => listKeys(db),
  },
  {
    kind: 'store',
    name: 'keys rotate',
    summary: 'Sign deliveries with a new key; earlier certificates are still served',
    examples: [['keys rotate', 'makes a key that signs from now on']],
    run: rotate,
  },
  {
    kind: 'store',
    name: 'keys withdraw',
    summary: 'Stop serving the certificate of an earlier key; nothing it signed verifies any more',
    arguments: ['certificate id'],
    examples: [['keys withdraw <certificate id>', 'after the key has become known to others']],
    run: withdraw,
  },
]

async function rotate({ db, transact, settings }: StoreInput) {
  if (!(await listKeys(db)).some(({ current }) => current))
    throw new CommandError('There is no key yet; the first delivery makes one.')
  const publicUrl = publicUrlOf(settings, 'the certificate names its host')
  const keys = new SigningKeys(db, makeSeal(requireSecrets(settings)), { publicUrl, settings })
  // A key that is sealed with another secret than the services have would stop every delivery.
  await keys.current().catch(() => {
    throw new CommandError('QUITTANCE_SECRET does not open the present key; set the one that the services have.')
  })
  const id = await transact((tx) => keys.rotate(tx))
  // After this no process signs with the old one.
  await pause(KEY_BELIEVED_MS)
  return { id, current: true }
}

async function withdraw({ db, transact, arguments: [id] }: StoreInput) {
  const find = async () => (await listKeys(db)).find((known) => known.id === id)
  const key = await find()
  if (!key) throw new CommandError(`There is no certificate ${id}; "quittance keys list" shows those there are.`)
  if (key.current)
    throw new CommandError(
      'Deliveries are signed with this key now: replace it with "quittance keys rotate", then withdraw it.',
    )
  await transact(async (tx) => withdrawKey(tx, key.id))
  // After this no process sends again what it signed.
  await pause(KEY_BELIEVED_MS)
  return find()
}
