import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Merchant } from './service.ts'

/** A write that was acknowledged. */
export interface Acknowledged {
  readonly kind: 'invoice' | 'payment'
  readonly key: string
  /** When it was first asked for and when it was acknowledged, on the lab's own clock. */
  readonly beganAt: number
  readonly at: number
  readonly tries: number
}

interface LoadOptions {
  readonly clients?: number
  /** Between two calls of a client. */
  readonly pauseMs?: number
  readonly tryAgainMs?: number
  readonly giveUpMs?: number
}

const ANSWER_WITHIN_MS = 15_000

/**
 * Clients that sell: each makes an invoice, sends it and records two payments, every call with a request id of its own,
 * and sends a call again with the same id until it is acknowledged.
 */
export class Load {
  readonly #targets: readonly string[]
  readonly #merchant: Merchant
  readonly #options: Required<LoadOptions>
  readonly #tokens = new Map<string, string>()
  readonly acknowledged: Acknowledged[] = []
  /** How often each answer came: a status, or why there was none. */
  readonly answers: Record<string, number> = {}
  /** Calls that were refused for good, or given up. */
  readonly failures: string[] = []
  /** The longest that any call waited for its answer. */
  slowestMs = 0
  /** How many were begun. */
  sales = 0
  #running: Promise<void>[] = []
  #stopped = false
  #abandoned = false

  constructor(targets: readonly string[], merchant: Merchant, options: LoadOptions = {}) {
    this.#targets = targets
    this.#merchant = merchant
    this.#options = { clients: 6, pauseMs: 20, tryAgainMs: 100, giveUpMs: 120_000, ...options }
  }

  start(): void {
    this.#running = Array.from({ length: this.#options.clients }, (_, i) => this.#client(i))
  }

  /** Begins nothing new, and comes back when all that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }

  /** Tries nothing again, when nobody will judge it any more. */
  abandon(): void {
    this.#stopped = true
    this.#abandoned = true
  }

  /** When the first write that was asked for after an instant was acknowledged. */
  firstAfter(instant: number): number | undefined {
    let first: number | undefined
    for (let i = this.acknowledged.length - 1; i >= 0; i--) {
      const { at } = this.acknowledged[i]!
      if (at < instant) break
      first = at
    }
    return first
  }

  async #client(number: number): Promise<void> {
    while (!this.#stopped) await this.#sell(number)
  }

  async #sell(number: number): Promise<void> {
    const sale = `${number}-${++this.sales}-${randomUUID().slice(0, 8)}`
    const made = await this.#do<{ id?: string; href?: string }>(
      'invoice',
      sale,
      number,
      '/v2/invoicing/invoices',
      draft(sale),
    )
    const id = made?.id ?? made?.href?.split('/').at(-1)
    if (id === undefined) return
    const invoice = `/v2/invoicing/invoices/${id}`
    await this.#do(undefined, `${sale}-send`, number, `${invoice}/send`, { send_to_invoicer: false })
    for (const part of [1, 2]) {
      const note = `${sale}-${part}`
      await this.#do('payment', note, number, `${invoice}/payments`, {
        method: 'CASH',
        note,
        amount: { currency_code: 'USD', value: '10.00' },
      })
    }
  }

  async #do<Body>(
    kind: Acknowledged['kind'] | undefined,
    key: string,
    client: number,
    path: string,
    body: object,
  ): Promise<Body | undefined> {
    const { pauseMs, tryAgainMs, giveUpMs } = this.#options
    const beganAt = performance.now()
    const requestId = randomUUID()
    for (let tries = 1; ; tries++) {
      // Whoever got no answer asks the next one, as a client behind a balancer does.
      const target = this.#targets[(client + tries - 1) % this.#targets.length]!
      const answer = await this.#call<Body>(target, path, body, requestId)
      if (answer.status >= 200 && answer.status < 300) {
        const at = performance.now()
        if (kind) this.acknowledged.push({ kind, key, beganAt, at, tries })
        await pause(pauseMs)
        return answer.body
      }
      const isFinal =
        answer.status >= 400 &&
        answer.status < 500 &&
        answer.status !== 429 &&
        answer.status !== 401 &&
        answer.status !== 409
      if (isFinal || this.#abandoned || performance.now() - beganAt > giveUpMs) {
        this.failures.push(`${path.replace(/INV2[^/]*/, '{id}')}: ${answer.status || answer.why} ${answer.text ?? ''}`)
        return undefined
      }
      await pause(tryAgainMs)
    }
  }

  async #call<Body>(target: string, path: string, body: object, requestId: string) {
    const began = performance.now()
    try {
      const token = this.#tokens.get(this.#merchant.clientId) ?? (await this.#token(target))
      const response = await fetch(`${target}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'service-request-id': requestId,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const text = await response.text()
      this.#count(String(response.status))
      if (response.status === 401) this.#tokens.clear()
      return {
        status: response.status,
        text: response.ok ? undefined : text,
        body: (response.ok && text ? JSON.parse(text) : undefined) as Body,
      }
    } catch (error) {
      const why = reasonOf(error)
      this.#count(why)
      return { status: 0, why }
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began)
    }
  }

  async #token(target: string): Promise<string> {
    const token = await tokenOf(target, this.#merchant)
    this.#tokens.set(this.#merchant.clientId, token)
    return token
  }

  #count(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1
  }
}

export async function tokenOf(target: string, { clientId, clientSecret }: Merchant): Promise<string> {
  const response = await fetch(`${target}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  if (!response.ok) throw new Error(`no token: ${response.status}`)
  return ((await response.json()) as { access_token: string }).access_token
}

export const draft = (reference: string) => ({
  detail: { currency_code: 'USD', reference },
  primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }],
  items: [{ name: 'A chair', quantity: '1', unit_amount: { currency_code: 'USD', value: '20.00' } }],
})

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? name
}
