import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Dispatcher } from '../../src/webhooks/dispatch/dispatcher.ts'
import {
  type AttemptHandle,
  type Claim,
  type DispatchPorts,
  type DispatchRules,
  dispatchRules,
  type Lane,
  lanes,
} from '../../src/webhooks/dispatch/lanes.ts'

interface Simulated {
  readonly endpoint: string
  lane: Lane
  readonly due: number
  readonly number: number
}
type Result = { delivered: boolean }

const DEADLINE_MS = 20_000

/** Deliveries in memory and receivers that only take time, so that minutes pass in milliseconds. */
class Simulation implements DispatchPorts<Simulated, Result> {
  readonly waits = new Map<string, number[]>()
  readonly started: Simulated[] = []
  readonly #waiting = new Map<string, Simulated[]>()
  readonly #laneOf = new Map<string, Lane>()
  readonly #answerMs: (webhookId: string) => number
  readonly #endings = new Map<number, (() => void)[]>()
  #count = 0
  peak = 0
  inFlight = 0

  constructor(answerMs: (webhookId: string) => number) {
    this.#answerMs = answerMs
  }

  add(endpoint: string): void {
    this.#queueOf(endpoint).push({ endpoint, lane: this.#lane(endpoint), due: Date.now(), number: this.#count++ })
  }

  #lane(webhookId: string): Lane {
    return this.#laneOf.get(webhookId) ?? lanes.unproven
  }

  #queueOf(webhookId: string): Simulated[] {
    const queue = this.#waiting.get(webhookId) ?? []
    this.#waiting.set(webhookId, queue)
    return queue
  }

  async claim({
    lane,
    count,
    each,
    busy,
    afterWebhook,
    webhooks,
  }: Claim): Promise<{ claimed: Simulated[]; turn: string | undefined }> {
    const isBusy = new Set(busy)
    const ids = [...this.#waiting.keys()].filter(
      (id) => this.#lane(id) === lane && id > afterWebhook && !isBusy.has(id) && this.#queueOf(id).length > 0,
    )
    const claimed: Simulated[] = []
    const able = ids.sort().slice(0, webhooks)
    for (const id of able) claimed.push(...this.#queueOf(id).splice(0, Math.min(each, count - claimed.length)))
    return { claimed, turn: able.length === webhooks ? able.at(-1) : undefined }
  }

  async prepare(delivery: Simulated): Promise<Simulated> {
    return delivery
  }

  async attempt(delivery: Simulated, handle: AttemptHandle): Promise<Result> {
    this.started.push(delivery)
    this.peak = Math.max(this.peak, ++this.inFlight)
    const ms = this.#answerMs(delivery.endpoint)
    const delivered = await new Promise<boolean>((resolve) => {
      handle.abandon = () => resolve(false)
      this.#after(Math.min(ms, DEADLINE_MS), () => resolve(ms < DEADLINE_MS))
    })
    this.inFlight--
    const waits = this.waits.get(delivery.endpoint) ?? []
    waits.push(Date.now() - delivery.due)
    this.waits.set(delivery.endpoint, waits)
    return { delivered }
  }

  /** One timer for all that end at the same moment: the pretended clock goes through every one of them at each step. */
  #after(ms: number, end: () => void): void {
    const at = Date.now() + ms
    const others = this.#endings.get(at)
    if (others) return void others.push(end)
    const ends = [end]
    this.#endings.set(at, ends)
    setTimeout(() => {
      this.#endings.delete(at)
      for (const one of ends) one()
    }, ms)
  }

  async record(): Promise<void> {}

  async move(webhookId: string, lane: Lane): Promise<void> {
    this.#laneOf.set(webhookId, lane)
    for (const delivery of this.#queueOf(webhookId)) delivery.lane = lane
  }

  async release(deliveries: readonly Simulated[]): Promise<void> {
    for (const delivery of deliveries) this.#queueOf(delivery.endpoint).unshift(delivery)
  }

  onError(error: unknown): void {
    throw error
  }

  p95(prefix: string): number {
    const all = [...this.waits].flatMap(([id, waits]) => (id.startsWith(prefix) ? waits : [])).sort((a, b) => a - b)
    return all[Math.floor(all.length * 0.95)] ?? Number.POSITIVE_INFINITY
  }

  count(prefix: string): number {
    return [...this.waits].reduce((sum, [id, waits]) => sum + (id.startsWith(prefix) ? waits.length : 0), 0)
  }
}

interface Storm {
  readonly dead: number
  readonly rules?: DispatchRules
  /** How long the healthy ones have been there when the dead ones come. */
  readonly headStartMs?: number
  readonly forgetful?: boolean
}

/** Twenty healthy webhooks with an event every 200 ms for 3 s, beside some that never answer. */
async function storm({
  dead,
  rules = dispatchRules,
  headStartMs = 600,
  forgetful = false,
}: Storm): Promise<Simulation> {
  const simulation = new Simulation((id) => (id.startsWith('dead') ? DEADLINE_MS : 5))
  if (forgetful) simulation.move = async () => {}
  const dispatcher = new Dispatcher(simulation, rules)
  dispatcher.start()
  for (let ms = 0; ms < 3_000; ms += 200) {
    for (let i = 0; i < 20; i++) simulation.add(`healthy-${i}`)
    if (ms >= headStartMs && (ms - headStartMs) % 1_000 === 0)
      for (let i = 0; i < dead; i++) simulation.add(`dead-${i}`)
    dispatcher.wake()
    await vi.advanceTimersByTimeAsync(200)
  }
  dispatcher.stop()
  return simulation
}

/** One queue and a hundred slots, which are held to the end: what everybody builds first. */
const fifo: DispatchRules = {
  lanes: {
    0: { slots: 100, each: 100, slotMs: DEADLINE_MS * 2 },
    1: { slots: 100, each: 100, slotMs: DEADLINE_MS * 2 },
    2: { slots: 100, each: 100, slotMs: DEADLINE_MS * 2 },
  },
  promptMs: DEADLINE_MS * 2,
  overflow: 0,
  overflowMs: DEADLINE_MS * 2,
  slowEach: 100,
}

const ALL = 20 * 15

describe('The dispatcher', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('keeps healthy webhooks as fast beside a thousand dead ones as alone', async () => {
    const alone = await storm({ dead: 0 })
    const beside = await storm({ dead: 1_000 })

    expect(beside.count('healthy')).toBe(ALL)
    expect(beside.p95('healthy')).toBeLessThanOrEqual(1.1 * alone.p95('healthy') + 5)
    expect(beside.peak).toBeLessThanOrEqual(1_100)
    // The dead ones are not forgotten either.
    expect(new Set(beside.started.map((d) => d.endpoint)).size).toBe(1_020)
  })

  it('finds the healthy ones within seconds when all are new at the same moment', async () => {
    const beside = await storm({ dead: 1_000, headStartMs: 0 })

    expect(beside.count('healthy')).toBe(ALL)
    expect(
      Math.max(...[...beside.waits].flatMap(([id, waits]) => (id.startsWith('healthy') ? waits : []))),
    ).toBeLessThan(2_500)
  })

  it('needs its lanes for that: one queue starves the healthy ones', async () => {
    const beside = await storm({ dead: 1_000, rules: fifo, forgetful: true })

    expect(beside.count('healthy')).toBeLessThan(ALL / 2)
  })

  it('gives a webhook that is cold one attempt at a time, and its pace back after a prompt answer', async () => {
    let ms = DEADLINE_MS
    const simulation = new Simulation(() => ms)
    const dispatcher = new Dispatcher(simulation)
    dispatcher.start()
    for (let i = 0; i < 10; i++) simulation.add('a')
    dispatcher.wake()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(simulation.inFlight).toBe(1)

    ms = 50
    await vi.advanceTimersByTimeAsync(DEADLINE_MS)
    await vi.advanceTimersByTimeAsync(200)
    expect(simulation.count('a')).toBe(10)
    expect(simulation.inFlight).toBe(0)
  })

  it('seldom looks at cold webhooks that get nowhere, however much the others get done', async () => {
    const simulation = new Simulation(() => 5)
    let looks = 0
    const claim = simulation.claim.bind(simulation)
    simulation.claim = (wanted) => {
      if (wanted.lane === lanes.cold) looks++
      return claim(wanted)
    }
    const dispatcher = new Dispatcher(simulation)
    dispatcher.start()
    for (let i = 0; i < 100; i++) {
      for (const id of ['a', 'b', 'c']) simulation.add(id)
      dispatcher.wake()
      await vi.advanceTimersByTimeAsync(50)
    }
    expect(simulation.started).toHaveLength(300)
    expect(looks).toBeLessThanOrEqual(6)
  })

  it('lets a webhook that answers slowly have a few at once', async () => {
    const simulation = new Simulation(() => 1_000)
    const dispatcher = new Dispatcher(simulation)
    dispatcher.start()
    for (let i = 0; i < 40; i++) simulation.add('slow')
    dispatcher.wake()
    await vi.advanceTimersByTimeAsync(12_000)
    expect(simulation.count('slow')).toBe(40)
    expect(simulation.peak).toBe(dispatchRules.slowEach)
  })

  it('tells when everything is done', async () => {
    const simulation = new Simulation(() => 100)
    const dispatcher = new Dispatcher(simulation)
    dispatcher.start()
    for (let i = 0; i < 500; i++) simulation.add(`w-${i % 50}`)
    dispatcher.wake()
    let settled = false
    void dispatcher.whenIdle().then(() => {
      settled = true
    })
    await vi.advanceTimersByTimeAsync(50)
    expect(settled).toBe(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(settled).toBe(true)
    expect(simulation.count('w-')).toBe(500)
  })

  /** One that has answered before, with so many that wait for it. */
  async function withLine(count: number) {
    const simulation = new Simulation(() => 100)
    const dispatcher = new Dispatcher(simulation)
    dispatcher.start()
    simulation.add('a')
    dispatcher.wake()
    await vi.advanceTimersByTimeAsync(150)
    for (let i = 0; i < count; i++) simulation.add('a')
    dispatcher.wake()
    await vi.advanceTimersByTimeAsync(10)
    return { simulation, dispatcher }
  }

  it('starts nothing of a webhook it was told to forget', async () => {
    const { simulation, dispatcher } = await withLine(30)
    const begun = simulation.started.length
    simulation.release = async () => {}
    simulation.claim = async () => ({ claimed: [], turn: undefined })
    dispatcher.forget('a')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(simulation.started.length).toBe(begun)
  })

  it('gives back what it has not begun when it is paused, and what it was about to get, and goes on later', async () => {
    const { simulation, dispatcher } = await withLine(60)
    for (let i = 0; i < 10; i++) simulation.add('b')
    dispatcher.wake()
    // A claim is under way now.
    const begun = simulation.started.length
    let paused = false
    void dispatcher.pause().then(() => {
      paused = true
    })
    await vi.advanceTimersByTimeAsync(10)
    expect(paused).toBe(false)
    await vi.advanceTimersByTimeAsync(5_000)
    expect([paused, simulation.started.length]).toEqual([true, begun])

    dispatcher.start()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(new Set(simulation.started).size).toBe(71)
    expect(simulation.started).toHaveLength(71)
  })
})
