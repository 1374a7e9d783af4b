import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { id } from '../schema.ts'
import type { Seal } from '../signing/seal.ts'

/** What the operations need beside the database. */
export interface WebhookParts {
  readonly service: Service
  readonly seal: Seal
  /** Nothing more may be started for this webhook. */
  forget(webhookId: string): void
}

export const webhookScope = 'applications/webhooks'
export const verifyScope = 'applications/verify-webhook-signature'

export const root = '/v1/notifications'
export const WebhookId = Type.Object({ webhook_id: id() })
export const NoBody = Type.Object({})
export const shared = { tag: 'Webhooks', scopes: [webhookScope], errors: 'notifications' } as const
