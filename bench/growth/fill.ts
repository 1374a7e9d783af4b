import pg from 'pg'
import { connectionSettings } from '../../src/database/address.ts'
import type { Context } from '../harness/row.ts'
import { sampleInvoice } from '../invoices/sample.ts'
import { seedInvoices } from '../invoices/seed.ts'
import { fill, makeRoots } from '../scale/console-rows.ts'
import { copyForLists, type Run, withoutIndexes } from '../scale/copies.ts'

/** Nobody lists these through the API, or they were filled before. */
const NOT_HERE = ['invoices', 'invoice_transactions', 'accounts', 'console_people']

/** One for disputes, one for what else there is, and the rest for invoices. */
const CONNECTIONS = 6

/** Gives one merchant, its buyer and a partner `count` of everything that is listed. */
export async function fillForLists(
  context: Context,
  url: string,
  count: number,
  say: (text: string) => void,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected(url)))
  const runs = connections.map(
    (client): Run =>
      (text, values = []) =>
        client.query(text, [...values]),
  )
  const [run, ofOthers, ...ofInvoices] = runs as [Run, Run, ...Run[]]
  const post = async <Body>(who: string, path: string, json: object): Promise<Body> =>
    context.call<Body>({ method: 'POST', path, json, token: await context.token(who) })
  const { busyWebhook, disputeId } = await makeRoots(post)
  await post('sandbox-partner', '/v1/customer/referred-disputes', {
    reference_dispute: { id: 'THEIRS-1' },
    transaction: { id: 'T-1', gross_amount: { currency_code: 'USD', value: '30.00' } },
  })
  const { id: invoiceId } = await post<{ id: string }>(
    'sandbox-merchant',
    '/v2/invoicing/invoices',
    sampleInvoice('SEED'),
  )
  const [app] = await context.sql<{ id: string; account_id: string }>(
    "select id, account_id from apps where client_id = 'sandbox-merchant'",
  )
  const { id: appId, account_id: accountId } = app!
  // As the command line would make an app for the operator, who reads the audit log.
  await context.sql("update apps set scopes = scopes || '{operator}' where client_id = 'sandbox-merchant-2'")
  await Promise.all([
    seedInvoices(context, invoiceId, count, ofInvoices).then(() => say('invoices are made')),
    withoutIndexes(run, 'disputes', () => copyForLists(run, disputeId, count)).then(() => say('disputes are made')),
    fill(ofOthers, { accountId, appId, invoiceId, busyWebhook }, count, say, NOT_HERE),
  ])
  await run('vacuum analyze')
  await run('checkpoint')
  for (const client of connections) await client.end()
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  return client
}
