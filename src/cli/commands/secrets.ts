import { clientsToRenew } from '../../accounts/store.ts'
import { resealAll } from '../../webhooks/signing/reseal.ts'
import { makeSeal } from '../../webhooks/signing/seal.ts'
import type { Command } from '../command.ts'
import { requireSecrets } from '../startable.ts'

/** Replaces the secret of the service. */
export const secretCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'secrets reseal',
    summary: 'Seal everything stored with the first secret of QUITTANCE_SECRET, and list what still needs the others',
    examples: [['secrets reseal', 'with the new secret before the old one in QUITTANCE_SECRET']],
    async run({ db, transact, settings }) {
      const ring = requireSecrets(settings)
      const resealed = await resealAll(db, transact, makeSeal(ring))
      return { resealed, clients_to_renew: await clientsToRenew(db, ring) }
    },
  },
]
