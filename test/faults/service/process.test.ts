import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningService, runCommand, startService, temporaryFolder, tokenOver } from '../../support/process.ts'
import { times } from '../../support/size.ts'

const KILLS = times(1, 3)

describe('A service in a process of its own, on its own data directory', () => {
  const folder = temporaryFolder()
  const variables = { QUITTANCE_DATA_DIR: folder.path }
  let service: RunningService
  beforeAll(async () => {
    service = await startService(variables)
  }, 60_000)
  afterAll(async () => {
    await service.end('SIGTERM')
    folder.remove()
  })

  const pay = async (url: string, value: string) => {
    const response = await fetch(`${url}/sandbox/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: { currency_code: 'USD', value } }),
    })
    return ((await response.json()) as { seller_transaction_id: string }).seller_transaction_id
  }

  it('refuses a second start on the same directory with one clear sentence', async () => {
    const { code, stderr } = await runCommand(['start'], { ...variables, PORT: '0' })

    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toMatch(/^quittance: /)
  })

  it('answers its first example with a token and a page of results', async () => {
    const token = await tokenOver(service.url)
    const response = await fetch(`${service.url}/v2/invoicing/invoices`, {
      headers: { authorization: `Bearer ${token}` },
    })

    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ items: [] })
  })

  it('has every acknowledged write after it was killed at any moment', async () => {
    const acknowledged: string[] = []
    for (let round = 0; round < KILLS; round++) {
      const { url } = service
      let killed = false
      const writers = Array.from({ length: 4 }, async () => {
        while (!killed) {
          const id = await pay(url, '1.00').catch(() => undefined)
          if (id !== undefined) acknowledged.push(id)
        }
      })
      const enough = acknowledged.length + 10 + round * 7
      await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(enough)
      await service.end('SIGKILL')
      killed = true
      await Promise.all(writers)
      service = await startService(variables)
    }

    const token = await tokenOver(service.url)
    const found = await Promise.all(
      acknowledged.map(async (id) => {
        const response = await fetch(`${service.url}/v2/payments/captures/${id}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        return response.status
      }),
    )
    expect(found.filter((status) => status !== 200)).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(KILLS * 10)
  }, 60_000)

  it('stops in order when it is told to: what it accepted is answered, and it ends with 0', async () => {
    const { url } = service
    const answers = Array.from({ length: 20 }, () =>
      pay(url, '2.00').then(
        () => 'answered',
        (error) => String(error.cause?.code),
      ),
    )
    await answers[0]
    const code = await service.end('SIGTERM')

    expect(code).toBe(0)
    // A request that was not accepted any more is refused at the door, never cut off in the middle.
    for (const answer of await Promise.all(answers)) expect(['answered', 'ECONNREFUSED']).toContain(answer)
  })
})
