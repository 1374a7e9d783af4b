import { defaultScopes } from '../../src/accounts/scopes.ts'
import { signText } from '../../src/payer/pay/gateway-signature.ts'
import { GATEWAY_SECRET, startGateway } from './gateway.ts'
import { newLiveWorld } from './live.ts'
import { invoiceBody, openSheet, PUBLIC_URL } from './payer.ts'
import type { Person, World } from './world.ts'

/** What an operator sets whose gateway is a machine next door. */
export const inOwnNetwork = { GATEWAY_ALLOW_HTTP: 'true', GATEWAY_ALLOW_PRIVATE: 'true' }

/** A live service with one merchant, as the command line would make it. */
export async function liveShop(settings: Record<string, string>): Promise<{ world: World; merchant: Person }> {
  const world = await newLiveWorld({ PUBLIC_URL, SHUTDOWN_GRACE_SECONDS: '0', ...settings })
  const scopes = defaultScopes('BUSINESS', ['invoicing', 'payments', 'disputes'])
  return { world, merchant: await world.personWithApp(world.people.merchant.id, scopes) }
}

export async function sent(merchant: Person, more: Record<string, unknown> = {}) {
  const { body } = await merchant.post<{ id: string }>('/v2/invoicing/invoices', invoiceBody(more))
  await merchant.post(`/v2/invoicing/invoices/${body.id}/send`, {})
  return { id: body.id, path: `/invoice/p/${body.id.replace('INV2-', '').replaceAll('-', '')}` }
}

/** The gateway tells what became of a charge. */
export const chargeCallback = (world: World, said: Record<string, string>, signature?: string) => {
  const text = JSON.stringify(said)
  return world.call('POST', '/gateway/callback', said, {
    headers: { 'quittance-signature': signature ?? signText(GATEWAY_SECRET, text, world.now()) },
  })
}

/** A live shop with a gateway, and everything a story about charges needs. */
export async function shopWithGateway(settings: Record<string, string> = {}) {
  const gateway = await startGateway()
  const { world, merchant } = await liveShop({ GATEWAY_URL: gateway.url, GATEWAY_SECRET, ...inOwnNetwork, ...settings })
  const query = (text: string, values: readonly unknown[]) => world.app.database.query(text, [...values])
  return {
    gateway,
    world,
    merchant,
    /** A payer confirms; the attempt's id, and the page on which they wait. */
    async pay(path: string, wish: Record<string, string> = {}) {
      const { send } = await openSheet(world, path, wish)
      const answer = await send()
      if (answer.status !== 303) throw new Error(`not paid: ${answer.status}`)
      const waiting = String(answer.headers['location'])
      return { attempt: waiting.split('/').at(-1)!, waiting }
    },
    tells: (attempt: string, status: string) => chargeCallback(world, { charge_id: attempt, status }),
    /** The service looks at a charge after it has been under way for so long; a live clock cannot be moved. */
    async asks(attempt: string, minutes = 0) {
      const began = new Date(Date.now() - minutes * 60_000).toISOString()
      await query(
        "update payment_attempts set body = jsonb_set(body, '{create_time}', to_jsonb($2::text)) where id = $1",
        [attempt, began],
      )
      await query("update jobs set run_at = '2000-01-01T00:00:00.000Z' where key = $1", [`gateway-status:${attempt}`])
      await world.settle()
    },
    /** When the service looks at a charge next; undefined when it no longer does. */
    async nextLook(attempt: string): Promise<number | undefined> {
      const { rows } = await query('select run_at from jobs where key = $1', [`gateway-status:${attempt}`])
      return rows[0] && Math.round((Date.parse(rows[0].run_at) - Date.now()) / 1000)
    },
    statusOf: async (attempt: string): Promise<string> =>
      (await query('select status from payment_attempts where id = $1', [attempt])).rows[0].status,
    shown: async (id: string) =>
      (
        await merchant.get<{ status: string; payments?: { paid_amount: { value: string } } }>(
          `/v2/invoicing/invoices/${id}`,
        )
      ).body,
    async close() {
      await world.close()
      await gateway.close()
    },
  }
}
