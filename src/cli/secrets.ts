import { clientsToRenew } from '../accounts/store.ts'
import { SettingError } from '../config.ts'
import type { SecretRing } from '../kernel/secrets.ts'
import type { Settings } from '../settings.ts'
import { resealAll } from '../webhooks/signing/reseal.ts'
import { makeSeal } from '../webhooks/signing/seal.ts'
import type { Command } from './command.ts'

/** The service's secrets, which live has no default for. */
export function requireSecrets({ secrets }: Settings): SecretRing {
  if (secrets === undefined)
    throw new SettingError(
      'QUITTANCE_SECRET must be set in live: 32 or more random characters, the same for all processes.',
    )
  return secrets
}

/** Replaces the secret of the service. */
export const secretCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'secrets reseal',
    summary: 'Seal all that is stored with the first secret of QUITTANCE_SECRET, and tell what still needs the others',
    examples: [['secrets reseal', 'with the new secret before the old one in QUITTANCE_SECRET']],
    async run({ db, transact, settings }) {
      const ring = requireSecrets(settings)
      const resealed = await resealAll(db, transact, makeSeal(ring))
      return { resealed, clients_to_renew: await clientsToRenew(db, ring) }
    },
  },
]
