import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../../src/database/open.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

/** A door between the service and its database that can be shut. Counts who knocks. */
class Door {
  readonly folder = mkdtempSync(join(tmpdir(), 'quittance-door-'))
  readonly #open = new Set<Socket>()
  readonly #server: Server
  knocks = 0
  isShut = false

  constructor(databaseUrl: string) {
    const { host, port, connectionString } = connectionSettings(databaseUrl)
    const address = connectionString ? new URL(connectionString) : undefined
    this.#server = createServer((near) => {
      this.knocks++
      if (this.isShut) return near.destroy()
      const far = address ? connect(Number(address.port), address.hostname) : connect(`${host}/.s.PGSQL.${port}`)
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(from)
        from.on('error', () => to.destroy())
        from.on('close', () => {
          this.#open.delete(from)
          to.destroy()
        })
        from.pipe(to)
      }
    })
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(join(this.folder, '.s.PGSQL.5432'), resolve))
  }

  shut(): void {
    this.isShut = true
    for (const socket of this.#open) socket.destroy()
  }

  close(): void {
    this.shut()
    this.#server.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

describe('While the database is away', () => {
  let door: Door
  let world: World
  beforeAll(async () => {
    world = await newWorld({
      works: true,
      settings: { LOG_LEVEL: 'silent' },
      through: async (url) => {
        door = new Door(url)
        await door.listen()
        const { database = new URL(url.replace(/^socket:/, 'x:')).pathname.slice(1) } = connectionSettings(url)
        return `socket:${door.folder}:5432/${database}`
      },
    })
  })
  afterAll(async () => {
    await world.close()
    door.close()
  })

  it('every call is told to come back, nobody knocks without end, and all goes on by itself afterwards', async () => {
    expect((await world.merchant.get('/v2/payments/captures/X')).status).toBe(404)
    door.shut()
    door.knocks = 0

    const { status, headers, body } = await world.merchant.get<{ name: string }>('/v2/payments/captures/X')
    expect(status).toBe(503)
    expect(body.name).toBe('SERVICE_UNAVAILABLE')
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await world.call('GET', '/healthz')).status).toBe(200)
    expect((await world.call('GET', '/readyz')).status).toBe(503)
    const scraped = await world.call('GET', '/metrics')
    expect(scraped.status).toBe(200)
    expect(scraped.text).toContain('quittance_webhook_attempts_total')
    expect(scraped.text).not.toMatch(/^quittance_webhook_(deliveries_pending|oldest_due_seconds)/m)

    // Long enough for attempts that doubled every second to show.
    await new Promise((resolve) => setTimeout(resolve, 4_500))
    expect(door.knocks).toBeLessThan(100)

    door.isShut = false
    const pay = () => world.call('POST', '/sandbox/transactions', { amount: usd('1.00') })
    await expect.poll(async () => (await pay()).status, { timeout: 10_000 }).toBe(201)
    expect((await world.call('GET', '/readyz')).status).toBe(200)
  })
})
