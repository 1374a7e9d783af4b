import type { World } from '../support/world.ts'
import type { Show } from './recorder.ts'

/** What only a sandbox has; the last of it is what forgets everything. */
export async function sandbox(world: World, show: Show): Promise<void> {
  const operator = await world.personWithApp(world.people.merchant.id, ['operator'])
  await show('listAuditLog', operator, { query: { page_size: '2' } })

  await show('showClock', undefined)
  await show('listSandboxDue', undefined, { query: { limit: '2' } })
  await show('moveClock', undefined, { body: { advance: 'PT1H' } })
  await world.settle()
  const mails = await show('listSandboxMail', undefined, { query: { to: 'buyer@example.com', limit: '1' } })
  const [mail] = (mails.body as unknown as { mails: { id: string }[] }).mails
  await show('showSandboxMail', undefined, {
    params: { id: mail!.id },
    headers: { accept: 'application/json' },
  })
  await show('checkSandboxMailLinks', undefined, { params: { id: mail!.id } })
  await show('readSandboxMail', undefined, { body: { ids: [mail!.id] } })
  const news = await world.call<{ mails: { id: string }[] }>('GET', '/sandbox/mail', undefined, {
    query: { text: 'dispute', limit: '1' },
  })
  const [letter] = news.body.mails
  await show('showSandboxMailSource', undefined, { params: { id: letter!.id } })
  const requests = await show('listSandboxRequests', undefined, {
    query: { operation: 'createInvoice', page_size: '1' },
  })
  const [request] = (requests.body as unknown as { requests: { debug_id: string; path: string }[] }).requests
  await show('showSandboxRequest', undefined, { params: { debug_id: request!.debug_id } })
  await show('listSandboxTimeline', undefined, { query: { kind: 'mail', page_size: '1' } })
  const { body } = await world.merchant.get<{ items: { id: string }[] }>('/v2/invoicing/invoices?page_size=1')
  await show('explainInSandbox', undefined, { params: { kind: 'invoice', id: body.items[0]!.id } })

  const fault = await show('addFault', undefined, { body: { fault: '503', operation: 'createInvoice', times: 2 } })
  await show('listFaults', undefined)
  await show('removeFault', undefined, { params: { id: String(fault.body['id']) } })
  await show('clearFaults', undefined)

  const inbox = { params: { name: 'orders' } }
  await show('setInboxAnswer', undefined, { ...inbox, body: { status: 503 } })
  await world.call('PUT', '/sandbox/inbox/orders', { status: 200 })
  await show('receiveInInbox', undefined, { ...inbox, body: { event_type: 'INVOICING.INVOICE.PAID' } })
  await show('showInbox', undefined, inbox)

  await show('saveSnapshot', undefined, { body: { name: 'two-chairs-paid' } })
  await show('listSnapshots', undefined)
  await show('loadSnapshot', undefined, { params: { name: 'two-chairs-paid' } })
  await show('deleteSnapshot', undefined, { params: { name: 'two-chairs-paid' } })
  const fork = await show('createFork', undefined)
  await show('listForks', undefined)
  await show('deleteFork', undefined, { params: { name: String(fork.body['name']) } })

  await show('listScenarios', undefined)
  const run = await show('runScenario', undefined, {
    params: { name: 'seller-wins' },
    body: { until: 'open', pause_seconds: 0 },
  })
  await show('showScenarioRun', undefined, { params: { id: String(run.body['id']) }, query: { after: '0' } })
  await show('expireAccessTokens', undefined)
  await show('resetSandbox', undefined, { body: { keep: ['webhooks'] } })
}

/** Tokens, and what the service tells about itself. */
export async function service(show: Show): Promise<void> {
  const headers = {
    authorization: `Basic ${Buffer.from('sandbox-merchant:sandbox-merchant-secret').toString('base64')}`,
  }
  const made = await show('createAccessToken', undefined, { form: { grant_type: 'client_credentials' }, headers })
  await show('terminateAccessToken', undefined, { form: { token: String(made.body['access_token']) }, headers })
  await show('showHealth', undefined)
  await show('showReadiness', undefined)
  await show('showMetrics', undefined)
  await show('showOpenApi', undefined, { only: ['openapi', 'info', 'servers'] })
  await show('showReference', undefined, { headers: { accept: 'text/html' } })
}
