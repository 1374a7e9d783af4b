import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

interface Happening {
  readonly seq: number
  readonly kind: string
  readonly time: string
  readonly summary: string
  readonly trouble: boolean
  readonly ref?: string
}
interface Thread {
  readonly id: string
  readonly cause: string
  readonly seq: number
  readonly last_seq: number
  readonly time: string
  readonly summary: string
  readonly trouble: boolean
  readonly happenings: Happening[]
}
interface Timeline {
  readonly threads: Thread[]
  readonly seq: number
  readonly links: { readonly rel: string; readonly href: string }[]
}
interface Due {
  readonly at: string
  readonly what: string
  readonly work: string
  readonly subject?: string
}

const idOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers['service-debug-id'])
const kindsOf = ({ happenings }: Thread) => happenings.map(({ kind }) => kind)

describe('The timeline of a sandbox', () => {
  let world: World
  let receiver: Receiver
  let dispute = ''
  beforeAll(async () => {
    world = await newWorld()
    receiver = await Receiver.open()
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const look = async (query: Record<string, string> = {}) => {
    const { status, body, text } = await world.call<Timeline>('GET', '/sandbox/timeline', undefined, { query })
    expect(status, text).toBe(200)
    return body
  }
  const due = async () => (await world.call<{ due: Due[] }>('GET', '/sandbox/due')).body.due

  it('tells under a request what came of it: moves, money, events, deliveries and mail', async () => {
    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('248.00'),
    })
    const opened = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: paid.body.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
      dispute_amount: usd('248.00'),
      messages: [{ content: 'It is broken.' }],
    })
    expect(opened.status, opened.text).toBe(201)
    await world.settle()

    const thread = (await look()).threads.find(({ id }) => id === idOf(opened))!
    dispute = thread.happenings.find(({ kind }) => kind === 'move')!.ref!
    expect(thread).toMatchObject({
      cause: idOf(opened),
      summary: expect.stringMatching(/^POST \/v1\/customer\/disputes/),
    })
    expect(kindsOf(thread)[0]).toBe('request')
    expect(kindsOf(thread)).toEqual(expect.arrayContaining(['move', 'money', 'event', 'attempt', 'mail']))
    const words = thread.happenings.map(({ summary }) => summary)
    expect(words).toContainEqual(expect.stringMatching(/^Dispute PP-R-\S+, create: opened, not looked at yet$/))
    expect(words).toContainEqual(expect.stringMatching(/^HOLD_PLACED for PP-R-\S+: .*hold \+248\.00 USD/))
    expect(words).toContainEqual(expect.stringMatching(/^CUSTOMER\.DISPUTE\.CREATED about PP-R-/))
    expect(words).toContainEqual(expect.stringMatching(/^Attempt 1 to http:\/\/127\.0\.0\.1:\d+\S*: 200 in \d+ ms$/))
    const letter = thread.happenings.find(({ kind }) => kind === 'mail')!.ref!
    const mail = await world.call<object>('GET', `/sandbox/mail/${letter}`)
    expect(mail.body).toMatchObject({ id: letter, cause: idOf(opened), html: expect.stringContaining('<html') })
    expect((await world.call('GET', '/sandbox/mail/none')).status).toBe(404)
    expect(words).toContainEqual(expect.stringMatching(/^Mail to \S+@example\.com: /))
  })

  it('lists what falls due and what it will do, and goes to the next of it', async () => {
    const ahead = await due()
    expect(ahead.map(({ at }) => at)).toEqual(ahead.map(({ at }) => at).sort())
    expect(ahead).toContainEqual(
      expect.objectContaining({
        work: 'dispute-deadline',
        subject: dispute,
        what: `Dispute ${dispute}: the time for the parties to agree after the opening is up; closed as cancelled by the buyer.`,
      }),
    )

    const moved = await world.call<{ now: string; next: Due[]; fired: { work: string }[] }>('POST', '/sandbox/clock', {
      next: true,
    })
    expect(moved.status, moved.text).toBe(200)
    expect(moved.body.next[0]).toEqual(expect.objectContaining({ at: ahead[0]!.at, work: ahead[0]!.work }))
    expect(moved.body.now).toBe(ahead[0]!.at)
    expect(moved.body.fired.length).toBeGreaterThan(0)
    expect((await world.call('POST', '/sandbox/clock', { next: true, advance: 'P1D' })).status).toBe(400)
  })

  it('tells what time led to as a thread of its own, under the same cause, and that the clock moved', async () => {
    await world.pass('P30D')

    const { threads } = await look({ subject: dispute })
    const passed = threads.find(({ happenings }) => happenings[0]!.kind === 'due')!
    expect(passed.summary).toBe(`A time of dispute ${dispute} was up`)
    expect(passed.id).toMatch(/^[0-9a-f]+@\d+$/)
    expect(threads.some(({ id }) => id === passed.cause)).toBe(true)
    expect(kindsOf(passed)).toEqual(expect.arrayContaining(['due', 'move', 'event', 'attempt', 'mail']))
    expect(passed.happenings.every(({ time }) => time === passed.time)).toBe(true)
    const [clock] = (await look({ kind: 'clock' })).threads
    expect(clock!.happenings.map(({ summary }) => summary)).toContainEqual(
      expect.stringMatching(/^The clock moved from .* fell due$/),
    )
    expect((await world.call('POST', '/sandbox/clock', { next: true })).body).toMatchObject({
      details: [{ issue: 'NOTHING_IS_DUE' }],
    })
  })

  it('tells of the clock only when it moved, stopped or went on', async () => {
    const told = async () => (await look({ kind: 'clock' })).threads.map(({ summary }) => summary.slice(0, 20))
    const before = await told()

    for (const body of [{ advance: 'PT0S' }, { freeze: true }]) await world.call('POST', '/sandbox/clock', body)
    expect(await told()).toEqual(before)
    for (const body of [{ freeze: false }, { advance: 'PT0S' }, { freeze: true }])
      await world.call('POST', '/sandbox/clock', body)
    expect(await told()).toEqual(['The clock stands sti', 'The clock runs at 20', ...before])
  })

  it('shows trouble alone, a person alone, kinds alone, and goes page by page', async () => {
    receiver.answers('/broken', { status: 500 })
    const bad = await world.merchant.post('/v2/invoicing/invoices', { detail: {} })
    const sample = { event_type: 'INVOICING.INVOICE.PAID', url: receiver.url('/broken') }
    expect((await world.merchant.post('/v1/notifications/simulate-event', sample)).status).toBe(202)
    await world.settle()

    const { threads } = await look({ trouble: 'true' })
    expect(threads.map(({ id }) => id)).toContain(idOf(bad))
    expect(threads.every(({ trouble }) => trouble)).toBe(true)
    expect((await look({ kind: 'attempt', trouble: 'true' })).threads[0]!.happenings.at(-1)!.summary).toMatch(
      /failed: 500, next at/,
    )
    expect(
      (await look({ person: world.people.buyer.id })).threads.every(({ happenings }) => happenings.length > 0),
    ).toBe(true)
    expect((await look({ person: 'nobody' })).threads).toEqual([])
    expect((await world.call('GET', '/sandbox/timeline', undefined, { query: { kind: 'none' } })).status).toBe(400)

    const all = (await look({ page_size: '200' })).threads
    const paged: Thread[] = []
    for (let query: Record<string, string> | undefined = { page_size: '3' }; query; ) {
      const page: Timeline = await look(query)
      paged.push(...page.threads)
      const next = page.links.find(({ rel }) => rel === 'next')
      query = next && Object.fromEntries(new URL(next.href).searchParams)
    }
    expect(paged).toEqual(all)
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).sort((a, b) => b - a))
  })

  it('is followed without a gap and without a double, however it is read', async () => {
    const start = (await look()).seq
    const heard = new Map<number, string>()
    let told = 0
    const follow = async (after: number, wait = '0') => {
      const page = await look({ after: String(after), wait, page_size: '2' })
      for (const thread of page.threads) {
        expect(thread.last_seq).toBeGreaterThan(after)
        for (const { seq, summary } of thread.happenings) {
          if (seq > start && !heard.has(seq)) told++
          heard.set(seq, summary)
        }
      }
      return page.seq
    }
    const waiting = look({ after: String(start), wait: '10' })
    await Promise.all(Array.from({ length: 12 }, () => world.merchant.get('/v2/invoicing/invoices')))
    expect((await waiting).threads.length).toBeGreaterThan(0)
    let at = start
    for (let seq = await follow(at); seq > at; seq = await follow(at)) at = seq

    expect(told).toBe(12)
    expect([...heard.keys()].filter((seq) => seq > start)).toEqual(Array.from({ length: 12 }, (_, i) => start + 1 + i))
    expect(await follow(at)).toBe(at)
    expect((await look({ after: '999999', wait: '0', page_size: '1' })).threads).toHaveLength(1)
  })
})
