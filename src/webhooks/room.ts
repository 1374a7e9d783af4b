import type { OpenRoom } from '../room.ts'
import { DeliveryWork } from './delivery/work.ts'
import { sweepEvents } from './retention.ts'
import { eventRoutes } from './routes/events.ts'
import { lookupRoutes } from './routes/lookups.ts'
import { transmissionRoutes } from './routes/transmissions.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { makeSeal, requireSameSecret } from './signing/seal.ts'
import { urlTaken } from './subscriptions/store.ts'
import { dropJob } from './subscriptions/waiting.ts'

/** Webhooks: subscriptions, events, and the way from one to the other. */
export const openWebhooks: OpenRoom = (service) => {
  let deliveries: DeliveryWork | undefined
  const parts = {
    service,
    seal: makeSeal(service.settings.secrets!),
    forget: (webhookId: string) => deliveries?.forget(webhookId),
  }
  return {
    check: (db) => requireSameSecret(db, parts.seal),
    routes: [...webhookRoutes(parts), ...lookupRoutes(parts), ...eventRoutes(parts), ...transmissionRoutes(parts)],
    jobs: [dropJob],
    work(given) {
      deliveries = new DeliveryWork(service, given)
      return [deliveries]
    },
    sweeps: { events: (given) => sweepEvents(given, service.settings.webhookRetentionDays) },
    constraints: { webhooks_url: urlTaken },
  }
}
