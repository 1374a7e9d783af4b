import type { Money } from '../kernel/money.ts'
import type { Outbound } from './http.ts'

/** What became of a charge, in the gateway's words. */
export const chargeStatuses = ['COMPLETED', 'PENDING', 'DENIED', 'ACTION_REQUIRED'] as const
export type ChargeStatus = (typeof chargeStatuses)[number]

/** Banks put a lot into the address at which a payer confirms. A longer one is refused, because one that is cut leads nowhere. */
export const REDIRECT_LENGTH_MAX = 8_000

export interface ChargeResult {
  readonly status: ChargeStatus
  /** The gateway's own name for the charge. */
  readonly reference?: string
  /** Where the payer must go, with ACTION_REQUIRED. */
  readonly redirect_url?: string
}

export interface ChargeOrder {
  readonly charge_id: string
  readonly amount: Money
  readonly description: string
  readonly return_url: string
  readonly callback_url: string
  readonly payer_email?: string
}

export interface RefundOrder {
  readonly refund_id: string
  readonly charge_id: string
  readonly amount: Money
}

/** The way to the payment gateway. Every order has an id of ours: the same order twice is one. */
export interface Gateway {
  charge(order: ChargeOrder): Promise<ChargeResult>
  /** Undefined when the gateway knows no such charge. */
  status(chargeId: string): Promise<ChargeResult | undefined>
  refund(order: RefundOrder): Promise<void>
}

export interface GatewayOptions {
  readonly url: string
  readonly outbound: Outbound
  /** Signs "METHOD path body" at this moment. */
  sign(text: string): string
}

export function openGateway({ url, outbound, sign }: GatewayOptions): Gateway {
  async function call(method: 'GET' | 'POST', path: string, order?: object): Promise<ChargeResult | undefined> {
    const body = order === undefined ? '' : JSON.stringify(order)
    const { status, body: answer } = await outbound.ask({
      url: url + path,
      method,
      headers: {
        accept: 'application/json',
        'quittance-signature': sign(`${method} ${path} ${body}`),
        ...(order && { 'content-type': 'application/json' }),
      },
      ...(order && { body }),
    })
    if (status === 404 && method === 'GET') return undefined
    const note = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    if (status < 200 || status > 299) throw new Error(`The gateway answered ${status} to ${method} ${path}${note}.`)
    return readResult(JSON.parse(answer))
  }

  return {
    charge: async (order) => (await call('POST', '/charges', order))!,
    status: (chargeId) => call('GET', `/charges/${encodeURIComponent(chargeId)}`),
    async refund(order) {
      const result = await call('POST', '/refunds', order)
      if (result?.status !== 'COMPLETED' && result?.status !== 'PENDING')
        throw new Error(`The gateway did not take the refund ${order.refund_id}.`)
    },
  }
}

/** Takes from an answer what it must say, and nothing that it should not. */
export function readResult(answer: unknown): ChargeResult {
  const { status, reference, redirect_url } = (answer ?? {}) as Record<string, unknown>
  const known = chargeStatuses.find((name) => name === status)
  if (!known) throw new Error('The gateway did not say what became of the charge.')
  if (typeof redirect_url === 'string' && redirect_url.length > REDIRECT_LENGTH_MAX)
    throw new Error(`The gateway names an address of more than ${REDIRECT_LENGTH_MAX} characters.`)
  const isWeb =
    typeof redirect_url === 'string' && URL.canParse(redirect_url) && /^https?:$/.test(new URL(redirect_url).protocol)
  return {
    status: known,
    ...(typeof reference === 'string' && { reference: reference.slice(0, 200) }),
    ...(isWeb && { redirect_url }),
  }
}
