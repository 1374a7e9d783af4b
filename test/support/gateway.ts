import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toInstant } from '../../src/kernel/clock.ts'
import { isSigned } from '../../src/payer/pay/gateway-signature.ts'

export const GATEWAY_SECRET = 'a secret of the gateway'

interface Charge {
  charge_id: string
  amount: { currency_code: string; value: string }
  return_url: string
  callback_url: string
}
interface Refund {
  refund_id: string
  charge_id: string
  amount: { value: string }
}

/** A little payment gateway: it believes only signed calls, knows each order by its id, and answers as it is told. */
export async function startGateway() {
  const charges = new Map<string, Charge>()
  const refunds = new Map<string, Refund>()
  /** What it says of a charge from now on, where that is not the answer of the moment. */
  const says = new Map<string, string>()
  /** How often each refund was asked for. */
  const asked = new Map<string, number>()
  const state = { answer: { status: 'COMPLETED' } as Record<string, string>, failures: 0, refused: 0 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const say = (status: number, value: object) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(value))
      }
      const signature = String(request.headers['quittance-signature'])
      const now = toInstant(new Date())
      if (!isSigned(GATEWAY_SECRET, `${request.method} ${request.url} ${body}`, signature, now)) {
        state.refused++
        return say(401, {})
      }
      if (state.failures > 0) {
        state.failures--
        return say(503, {})
      }
      if (request.method === 'GET') {
        const id = request.url!.split('/').at(-1)!
        const said = says.get(id)
        if (said !== undefined) return said === 'UNKNOWN' ? say(404, {}) : say(200, { status: said })
        return charges.has(id) ? say(200, state.answer) : say(404, {})
      }
      if (request.url === '/charges') {
        const charge = JSON.parse(body) as Charge
        charges.set(charge.charge_id, charge)
        return say(200, { reference: `ref-${charge.charge_id}`, ...state.answer })
      }
      const refund = JSON.parse(body) as Refund
      refunds.set(refund.refund_id, refund)
      asked.set(refund.refund_id, (asked.get(refund.refund_id) ?? 0) + 1)
      return say(200, { status: 'COMPLETED' })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    refunds,
    says,
    asked,
    state,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
