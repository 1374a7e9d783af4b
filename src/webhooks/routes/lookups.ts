import { type AnyRoute, route } from '../../http/route.ts'
import { Type } from '../../kernel/type.ts'
import { id, LookupList, LookupOut } from '../schema.ts'
import { addLookup, findLookup, listLookups, removeLookup } from '../subscriptions/store.ts'
import { NoBody, root, shared, type WebhookParts } from './parts.ts'
import { presentLookup } from './present.ts'

const LookupId = Type.Object({ webhook_lookup_id: id() })
const url = `${root}/webhooks-lookup`

/** Lookups: which apps hear of events of their account that no app caused. */
export function lookupRoutes({ service }: Pick<WebhookParts, 'service'>): AnyRoute[] {
  return [
    route({
      ...shared,
      method: 'POST',
      url,
      operation: 'createWebhookLookup',
      summary: 'Let this app hear of events of its account that no app caused',
      body: NoBody,
      bodyOptional: true,
      success: { 201: LookupOut },
      async handle({ tx, caller }) {
        const [existing] = await listLookups(tx, caller.appId)
        const { clientId: client_id } = caller
        return presentLookup(service, existing ?? { id: addLookup(tx, caller.appId), client_id })
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url,
      operation: 'listWebhookLookups',
      summary: 'List webhook lookups',
      reads: true,
      success: { 200: LookupList },
      handle: async ({ db, caller }) => ({
        webhooks_lookups: (await listLookups(db, caller.appId)).map((lookup) => presentLookup(service, lookup)),
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      url: `${url}/:webhook_lookup_id`,
      operation: 'showWebhookLookup',
      summary: 'Show a webhook lookup',
      reads: true,
      params: LookupId,
      success: { 200: LookupOut },
      handle: async ({ db, caller, params }) =>
        presentLookup(service, await findLookup(db, caller.appId, params.webhook_lookup_id)),
    }),
    route({
      ...shared,
      method: 'DELETE',
      url: `${url}/:webhook_lookup_id`,
      operation: 'deleteWebhookLookup',
      summary: 'Delete a webhook lookup',
      params: LookupId,
      success: { 204: null },
      async handle({ tx, caller, params }) {
        const { id } = await findLookup(tx, caller.appId, params.webhook_lookup_id)
        removeLookup(tx, caller.appId, id)
      },
    }),
  ]
}
