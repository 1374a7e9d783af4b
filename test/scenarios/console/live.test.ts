import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { followersMax } from '../../../src/console/live.ts'
import { consoleOf } from '../../support/console.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
let base: string
let seq: string
beforeAll(async () => {
  world = await newWorld({ settings: { SHUTDOWN_GRACE_SECONDS: '0' } })
  base = await world.app.listen()
  await draft()
  seq = /data-follow="(\d+)"/.exec(await consoleOf(world).page('/console'))![1]!
})

const draft = async () => {
  const { status } = await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  expect(status).toBe(201)
}

/** Somebody who follows: what they heard so far, until they leave. */
async function follow(
  after: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  // A connection of their own, and no spare one that the service would wait for when it ends.
  const request = get(`${base}/console/live?after=${after}${query}`, { agent: false, headers })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const state = { heard: '', isOver: false }
  answer.setEncoding('utf8').on('data', (text: string) => {
    state.heard += text
  })
  answer
    .on('error', () => {})
    .once('close', () => {
      state.isOver = true
    })
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    state,
    get lastId() {
      return [...state.heard.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]
    },
    get threads() {
      return state.heard.split('data: <li class="thread"').length - 1
    },
    leave: () => void request.destroy(),
  }
}

describe('Whoever follows the timeline', () => {
  it('is told on one held connection, as it happens, and again from where they were', async () => {
    const one = await follow(seq)
    expect([one.status, one.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    await draft()
    await expect.poll(() => one.threads).toBe(1)
    await draft()
    await expect.poll(() => one.threads).toBe(2)
    expect(one.state.heard).toMatch(/^retry: 1000\n\n/)
    expect(one.state.isOver).toBe(false)
    const heard = one.lastId!
    one.leave()

    await draft()
    // What a browser says that lost its connection counts, whatever the address says.
    const back = await follow(seq, { headers: { 'last-event-id': heard } })
    await expect.poll(() => back.threads).toBe(1)
    back.leave()
  })

  it('hears only what they asked for, and is told that there is more than a page can take', async () => {
    const [mail, all] = [await follow(seq, { query: '&kind=mail' }), await follow(seq)]
    await expect.poll(() => all.threads).toBeGreaterThan(0)
    expect(mail.threads).toBe(0)
    mail.leave()
    all.leave()
    for (let i = 0; i < 55; i += 11) await Promise.all(Array.from({ length: 11 }, draft))
    const late = await follow(seq)
    await expect.poll(() => late.state.isOver).toBe(true)
    expect(late.state.heard).toContain('event: many')
    expect(late.threads).toBe(0)
  })

  it('is one of so many from an address; who leaves makes room', async () => {
    const last = /data-follow="(\d+)"/.exec(await consoleOf(world).page('/console'))![1]!
    const eyes = ['merchant', 'buyer'].map((name) => ({ headers: { cookie: `console-eyes=${name}` } }))
    const many = await Promise.all(Array.from({ length: followersMax.address }, (_, i) => follow(last, eyes[i % 2])))
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200))
    expect((await follow(last)).status).toBe(503)
    many.pop()!.leave()
    await expect
      .poll(async () => {
        const another = await follow(last)
        many.push(another)
        return another.status
      })
      .toBe(200)

    // Nobody is left behind when the service ends, and nobody holds it up.
    await world.close()
    await expect.poll(() => many.every(({ state }) => state.isOver)).toBe(true)
  })
})
