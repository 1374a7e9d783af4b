import type { OpenRoom } from '../room.ts'
import { eventRoutes } from './event-routes.ts'
import { sweepEvents } from './retention.ts'
import { requireSameSecret } from './same-secret.ts'
import { makeSeal } from './seal.ts'
import { urlTaken } from './subscription.ts'
import { transmissionRoutes } from './transmission-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { DeliveryWork } from './work.ts'

/** Webhooks: subscriptions, events, and the way from one to the other. */
export const openWebhooks: OpenRoom = (service) => {
  let deliveries: DeliveryWork | undefined
  const parts = {
    service,
    seal: makeSeal(service.settings.secret!),
    wake: () => deliveries?.wake(),
    forget: (webhookId: string) => deliveries?.forget(webhookId),
  }
  return {
    check: (db) => requireSameSecret(db, parts.seal),
    routes: [...webhookRoutes(parts), ...eventRoutes(parts), ...transmissionRoutes(parts)],
    work(given) {
      deliveries = new DeliveryWork(service, given)
      return [deliveries]
    },
    sweep: (given) => sweepEvents(given, service.settings.webhookRetentionDays),
    constraints: { webhooks_url: urlTaken },
  }
}
