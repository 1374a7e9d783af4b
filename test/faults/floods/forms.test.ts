import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectCostBelow } from '../../support/cpu.ts'
import { CONSOLE_URL, newConsoleWorld } from '../../support/live-console.ts'
import type { World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newConsoleWorld({}, { isOwn: true })
})
afterAll(() => world.close())

const boundary = 'frontier'
const MEBIBYTE = 1024 * 1024

/** A form of the console as somebody sends it who has not signed in, and who may go on with it once they have. */
async function send(fields: readonly (readonly [name: string, value: string])[]) {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const { statusCode, rawPayload } = await world.app.server.inject({
    method: 'POST',
    url: '/console/invoices/INV2-AAAA-AAAA-AAAA-AAAA/send',
    payload: `${parts.join('')}--${boundary}--\r\n`,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      host: new URL(CONSOLE_URL).host,
      origin: CONSOLE_URL,
      'sec-fetch-site': 'same-origin',
    },
  })
  return { status: statusCode, bytes: rawPayload.length }
}

it('A stranger gets back no more than a form of a usual size holds, however much was in all its fields', async () => {
  // Each of these letters takes six on a page.
  const values = Array.from({ length: 500 }, (_, n) => [`/note/${n}`, '"'.repeat(60_000)] as const)
  const names = Array.from({ length: 500 }, (_, n) => [`/${n}${"'".repeat(7_000)}`, 'x'] as const)

  for (const flood of [values, names]) {
    const { status, bytes } = await send(flood)
    expect(status).toBe(413)
    expect(bytes).toBeLessThan(MEBIBYTE / 10)
  }
  const usual = await send(values.slice(0, 10))
  expect(usual.status).toBe(403)
  expect(usual.bytes).toBeGreaterThan(10 * 6 * 60_000)
})

it('A body with a long name over many values is refused as quickly as any other', async () => {
  const app = await world.personWithApp(world.people.merchant.id, ['applications/webhooks'])
  const resource = `{"${'k'.repeat(20_000)}":[${'0,'.repeat(4_000)}0]}`
  const body = `{"event_type":5,"resource":${resource}}`
  const ask = () =>
    app.post('/v1/notifications/simulate-event', body, { headers: { 'content-type': 'application/json' } })
  expect((await ask()).status).toBe(400)
  await expectCostBelow(500, ask)
})
