import type { Receiver } from '../support/receiver.ts'
import { usd, type World } from '../support/world.ts'
import type { Recorder, Show } from './recorder.ts'

interface Listed {
  readonly transmissions: readonly { readonly transmission_id: string; readonly status: string }[]
  readonly events: readonly { readonly id: string }[]
}

/** Events, from subscribing to replaying what was missed. */
export async function webhooks(world: World, show: Show, receiver: Receiver, recorder: Recorder): Promise<void> {
  const { merchant } = world
  recorder.rename(receiver.url(''), 'https://shop.example')
  const made = await show('createWebhook', merchant, {
    body: {
      url: receiver.url('/hooks'),
      event_types: [{ name: 'INVOICING.INVOICE.PAID' }, { name: 'CUSTOMER.DISPUTE.CREATED' }],
    },
  })
  const webhook_id = String(made.body['id'])
  const params = { webhook_id }
  await show('listEventTypes', merchant)
  await show('listWebhooks', merchant, { query: { anchor_type: 'APPLICATION' } })
  await show('listEventTypesOfWebhook', merchant, { params })
  const lookup = await show('createWebhookLookup', merchant)
  await show('listWebhookLookups', merchant)
  const webhook_lookup_id = String(lookup.body['id'])
  await show('showWebhookLookup', merchant, { params: { webhook_lookup_id } })

  receiver.behaviour = { status: 503, body: 'We are closed for repairs.' }
  const invoice = await merchant.post<{ href: string }>('/v2/invoicing/invoices', {
    detail: { currency_code: 'USD' },
    items: [{ name: 'A chair', quantity: '1', unit_amount: usd('49.50') }],
  })
  const id = invoice.body.href.split('/').at(-1)!
  await merchant.post(`/v2/invoicing/invoices/${id}/payments`, { method: 'CASH' })
  await world.settle()
  const failed = await show('listTransmissions', merchant, { query: { status: 'RETRYING', webhook_id } })
  const { transmission_id } = (failed.body as unknown as Listed).transmissions[0]!
  await show('showTransmission', merchant, { params: { transmission_id } })
  receiver.behaviour = { status: 200 }
  await show('attemptTransmission', merchant, { params: { transmission_id } })
  await world.settle()

  const events = await show('listEvents', merchant, { query: { event_type: 'INVOICING.INVOICE.PAID', page_size: '2' } })
  const event_id = (events.body as unknown as Listed).events[0]!.id
  await show('showEvent', merchant, { params: { event_id } })
  await show('resendEvent', merchant, { params: { event_id }, body: { webhook_ids: [webhook_id] } })
  await world.settle()
  const { headers, body } = receiver.received.at(-1)!
  const header = (name: string) => String(headers[`service-${name}`])
  recorder.rename(header('transmission-id'), 'e5d93727-04a0-4a52-b54b-4a11b9690b1d')
  await show('verifyWebhookSignature', merchant, {
    body: {
      auth_algo: header('auth-algo'),
      cert_url: header('cert-url'),
      transmission_id: header('transmission-id'),
      transmission_sig: header('transmission-sig'),
      transmission_time: header('transmission-time'),
      webhook_id,
      webhook_event: JSON.parse(body),
    },
  })
  await show('showCertificate', undefined, { params: { cert_id: header('cert-url').split('/').at(-1)! } })
  await show('simulateEvent', merchant, { body: { event_type: 'CUSTOMER.DISPUTE.CREATED', webhook_id } })
  await show('updateWebhook', merchant, {
    params,
    body: [{ op: 'replace', path: '/event_types', value: [{ name: '*' }] }],
  })
  await show('showWebhook', merchant, { params })
  await show('rotateWebhookSecret', merchant, { params, body: { overlap_seconds: 3_600 } })
  await show('disableWebhook', merchant, { params })
  await show('enableWebhook', merchant, { params })
  await show('replayEvents', merchant, {
    params,
    body: { start_time: '2026-03-02T08:00:00Z', end_time: '2026-03-02T10:00:00Z', include: 'ALL' },
  })
  await world.settle()
  await show('deleteWebhook', merchant, { params })
  await show('deleteWebhookLookup', merchant, { params: { webhook_lookup_id } })
}
