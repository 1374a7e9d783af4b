import type { App, Feature } from '../../src/accounts/schema.ts'
import { addApp, addSecret } from '../../src/accounts/store.ts'
import type { Tx } from '../../src/database/transaction.ts'
import type { SecretRing } from '../../src/kernel/secrets.ts'

const everyFeature: readonly Feature[] = ['disputes', 'invoicing', 'webhooks', 'payments']

export interface NewApp {
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly features?: readonly Feature[] | undefined
  /** What the service seals with; its settings have it. */
  readonly secrets: SecretRing
}

/** An app with one secret, as the command line would make it. */
export function addNewApp(tx: Tx, { accountId, scopes, features = everyFeature, secrets }: NewApp) {
  const secret = 'a secret of this app alone, long enough to be one of ours: ' + 'x'.repeat(21)
  const app: App = {
    id: tx.newId('app'),
    account_id: accountId,
    client_id: tx.newId('client'),
    name: 'An app',
    features,
    scopes,
    status: 'ENABLED',
    sandbox: false,
    create_time: tx.now,
  }
  addApp(tx, app)
  addSecret(tx, app.id, secret, secrets)
  return { appId: app.id, clientId: app.client_id, secret }
}
