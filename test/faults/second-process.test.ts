import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { randomIds } from '../../src/kernel/ids.ts'
import { sandboxSecret } from '../../src/sandbox/people.ts'
import { readSettings } from '../../src/settings.ts'
import { invoiceBody, sentInvoice } from '../support/payer.ts'
import { textOf } from '../support/pdf.ts'
import { INVOICES } from '../support/shop.ts'
import { basic, newWorld, patient, type World } from '../support/world.ts'

interface Clock {
  readonly now: string
  readonly frozen: boolean
}

let world: World
let second: App
beforeAll(async () => {
  world = await newWorld({ isOwn: true })
  const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
  const parts = { settings, databaseUrl: world.databaseUrl, log: pino({ level: 'silent' }), ids: randomIds }
  second = await openApp({ ...patient, ...parts })
})
afterAll(async () => {
  await second.close()
  await world.close()
})

const asks = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
  const headers = { authorization: `Bearer ${await world.tokenFor('sandbox-merchant')}` }
  return second.server.inject({ method, url, headers, ...(payload && { payload }) })
}
const clockThere = async () => (await asks('GET', '/sandbox/clock')).json<Clock>()
const clockHere = async () => (await world.call<Clock>('GET', '/sandbox/clock')).body

describe('A second process of a sandbox', () => {
  it('has the time of the first as soon as that has moved it, gone back to a snapshot, or begun anew', async () => {
    await world.call('POST', '/sandbox/snapshots', { name: 'early' })
    const early = await clockHere()
    for (let day = 1; day <= 5; day++) {
      await world.call('POST', '/sandbox/clock', { advance: 'P1D' })
      expect(await clockThere(), `day ${day}`).toEqual(await clockHere())
    }

    await world.call('POST', '/sandbox/snapshots/early/load')
    expect(await clockThere()).toEqual(early)

    await world.call('POST', '/sandbox/clock', { advance: 'P20D' })
    expect(early.frozen).toBe(true)
    await world.call('POST', '/sandbox/reset')
    const anew = await clockThere()
    expect(anew.frozen).toBe(false)
    expect(Math.abs(Date.parse(anew.now) - Date.now())).toBeLessThan(600_000)
  })

  it('lets an app have an address once, in whatever spelling each process is told it', async () => {
    const url = '/v1/notifications/webhooks'
    const event_types = [{ name: '*' }]
    const answers = await Promise.all([
      ...['https://example.com/hook', 'HTTPS://example.com/hook'].map(async (address) => {
        const { status } = await world.merchant.post(url, { url: address, event_types })
        return status
      }),
      ...['https://EXAMPLE.com/hook', 'https://example.com:443/hook'].map(async (address) => {
        const { statusCode } = await asks('POST', url, { url: address, event_types })
        return statusCode
      }),
    ])

    expect(answers.sort()).toEqual([201, 400, 400, 400])
  })

  it('takes no token any more that the first has ended, from its answer on', async () => {
    const of = 'sandbox-merchant-2'
    const asksWith = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await second.server.inject({ method: 'GET', url: INVOICES, headers })).statusCode
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }

    const ended = await world.tokenFor(of)
    expect(await asksWith(ended)).toBe(200)
    await world.call('POST', '/v1/oauth2/token/terminate', new URLSearchParams({ token: ended }).toString(), {
      headers: { authorization: basic(of, sandboxSecret(of)), ...form },
    })
    expect(await asksWith(ended), 'ended by its client').toBe(401)

    const { origin, host } = new URL(world.app.service.publicUrl)
    const from = { origin, host, cookie: 'console-eyes=merchant2' }
    const send = async (name: string) =>
      (await world.call('POST', `/console/apps/${of}/${name}`, '', { headers: { ...from, ...form } })).status
    const disabled = await world.tokenFor(of)
    expect(await asksWith(disabled)).toBe(200)
    expect(await send('disable')).toBe(303)
    expect(await asksWith(disabled), 'of an app that was disabled on a page').toBe(401)
    expect(await send('enable')).toBe(303)
  })

  it('lets nothing go wrong any more after a reset in the first', async () => {
    await asks('POST', '/sandbox/faults', { fault: '503', operation: 'listInvoices' })
    expect((await asks('GET', INVOICES)).statusCode).toBe(503)
    await world.call('POST', '/sandbox/snapshots', { name: 'troubled' })
    expect((await asks('GET', INVOICES)).statusCode, 'a snapshot is no reset').toBe(503)

    await world.call('POST', '/sandbox/reset')

    expect((await asks('GET', INVOICES)).statusCode).toBe(200)
    expect((await asks('GET', '/sandbox/faults')).json()).toEqual({ faults: [] })
  })

  it.each([
    ['begun anew', () => world.call('POST', '/sandbox/reset')],
    ['gone back to a snapshot', () => world.call('POST', '/sandbox/snapshots/before/load')],
  ])('writes nothing of what it answered before into the log once the first has %s', async (_, goBack) => {
    const paths = async () =>
      (await asks('GET', '/sandbox/requests')).json<{ requests: { path: string }[] }>().requests.map(({ path }) => path)
    await world.call('POST', '/sandbox/snapshots', { name: 'before' })
    const [early, late] = ['early', 'late'].map((id) => `${INVOICES}/${id}-${randomUUID()}`)
    await asks('GET', early!)
    // What comes soon after this was written waits for a while.
    expect(await paths()).toContain(early)
    await asks('GET', late!)

    expect((await goBack()).status).toBe(200)

    const seen = await paths()
    expect(seen).not.toContain(early)
    expect(seen).not.toContain(late)
  })

  it('shows, lists and prints an invoice as it is after the first went back to a snapshot', async () => {
    const { id, path } = await sentInvoice(world)
    await world.call('POST', '/sandbox/snapshots', { name: 'unchanged' })
    const change = (note: string) => world.merchant.put(`${INVOICES}/${id}`, invoiceBody({}, { note }))
    const seen = async () => {
      const shown = (await asks('GET', `${INVOICES}/${id}`)).json<{ detail: { note: string } }>().detail.note
      const listed = (await asks('GET', INVOICES)).json<{ items: { id: string; detail: { note: string } }[] }>()
      const pdf = textOf((await second.server.inject({ url: `${path}/pdf` })).rawPayload)
      const printed = /^(Thank you|The first|The second).*/m.exec(pdf)?.[0]
      return [shown, listed.items.find((item) => item.id === id)?.detail.note, printed]
    }
    expect(await seen()).toEqual(Array(3).fill('Thank you for your business.'))
    expect((await change('The first change.')).status).toBe(200)
    expect(await seen()).toEqual(Array(3).fill('The first change.'))

    await world.call('POST', '/sandbox/snapshots/unchanged/load')
    expect(await seen()).toEqual(Array(3).fill('Thank you for your business.'))
    expect((await change('The second change.')).status).toBe(200)
    expect(await seen()).toEqual(Array(3).fill('The second change.'))

    await world.call('POST', '/sandbox/reset')
    expect((await asks('GET', `${INVOICES}/${id}`)).statusCode).toBe(404)
    expect((await second.server.inject({ url: `${path}/pdf` })).statusCode).toBe(404)
  })
})
