import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { terminalLog } from '../../src/cli/log.ts'
import { Receiver } from '../support/receiver.ts'
import { newWorld, type World } from '../support/world.ts'

type Line = Record<string, unknown>

describe('The log', () => {
  const written: string[] = []
  const seen: string[] = []
  let world: World
  let receiver: Receiver
  beforeAll(async () => {
    const terminal = terminalLog((text) => void seen.push(text), { coloured: true })
    const log = pino(
      {
        level: 'info',
        base: null,
      },
      {
        write(line: string) {
          written.push(line)
          terminal.write(line)
        },
      },
    )
    receiver = await Receiver.open()
    world = await newWorld({ log })
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })
  const lines = (msg: string): Line[] =>
    written.map((line) => JSON.parse(line) as Line).filter((line) => line['msg'] === msg)

  it('has a line with path, issue and account, which the debug id of an answer leads to', async () => {
    const { status, headers } = await world.merchant.post('/v2/invoicing/invoices?x=hidden%40example.com', {
      detail: {},
    })

    expect(status).toBe(400)
    const [line] = lines('request').filter((one) => one['debug_id'] === headers['service-debug-id'])
    expect(line).toMatchObject({
      method: 'POST',
      path: '/v2/invoicing/invoices',
      status: 400,
      account: world.people.merchant.id,
      issues: ['MISSING_REQUIRED_PARAMETER /detail/currency_code'],
    })
    expect(written.join('')).not.toContain('hidden')
  })

  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-will-be', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-is-not', undefined],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', undefined],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', undefined],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01', undefined],
    ['"},{"4bf92f3577b34da6a3ce929d0e0e4736', undefined],
    [undefined, undefined],
  ])('has the trace of a caller who sends traceparent: %s', async (traceparent, trace) => {
    const { headers } = await world.call('GET', '/healthz', undefined, {
      headers: traceparent === undefined ? {} : { traceparent },
    })

    const [line] = lines('request').filter((one) => one['debug_id'] === headers['service-debug-id'])
    expect(line).toMatchObject({ path: '/healthz' })
    expect(line!['trace_id']).toBe(trace)
  })

  it('names the issue of a refusal that is kept for a request id', async () => {
    await world.merchant.post(
      '/v2/invoicing/invoices/INV2-XXXX-XXXX-XXXX-XXXX/cancel',
      {},
      { headers: { 'service-request-id': 'kept' } },
    )

    expect(lines('request').at(-1)).toMatchObject({ status: 404, issues: ['INVALID_RESOURCE_ID'] })
  })

  it('does not say under which address a payer sees a page', async () => {
    await world.call('GET', '/invoice/p/SECRETCODE')

    expect(lines('request').at(-1)!['path']).not.toContain('SECRETCODE')
    for (const [method, path] of [
      ['PUT', '/invoice/problem/PP-R-ABC-12345678~SECRETCODE'],
      ['GET', '/invoice/problem/PP-R-ABC-12345678~SECRETCODE/a/b'],
      ['DELETE', '/console/sign-in/link/SECRETCODE'],
      ['PUT', '//invoice/p/SECRETCODE'],
    ] as const) {
      await world.call(method, path)
      expect(lines('request').at(-1)).toMatchObject({
        operation: 'none',
        path: expect.not.stringContaining('SECRETCODE'),
      })
    }
    await world.call('GET', '/v2/invoicing/invoces')
    expect(lines('request').at(-1)).toMatchObject({ path: '/v2/invoicing/invoces' })
  })

  it('has a line for each delivery, and at a terminal failures in colour', async () => {
    receiver.answers('/broken?key=hidden', { status: 500 })
    for (const path of ['/hook', '/broken?key=hidden'])
      await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(path), event_types: [{ name: '*' }] })
    seen.length = 0
    await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await world.settle()

    const event = 'INVOICING.INVOICE.CREATED'
    expect(lines('delivery')).toContainEqual(
      expect.objectContaining({ event, level: 30, status: 200, url: receiver.url('/hook') }),
    )
    expect(lines('delivery')).toContainEqual(
      expect.objectContaining({ event, level: 40, url: receiver.url('/broken'), next_time: expect.any(String) }),
    )
    // The escape character is hard to see and to search for.
    const shown = seen.join('').replaceAll('\u001b', '^')
    expect(shown).toMatch(
      /^\^\[2m\d\d:\d\d:\d\d\^\[0m {2}\^\[32m201\^\[0m {2}POST {2}\/v2\/invoicing\/invoices {2}.* ms/m,
    )
    expect(shown).toMatch(/\^\[31m500\^\[0m {2}webhook {2}INVOICING\.INVOICE\.CREATED {2}http:.*again at/)
    expect(shown + written.join('')).not.toContain('hidden')
  })
})
