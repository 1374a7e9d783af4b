import { Batches } from './batches.ts'
import { ColdLooks } from './cold-looks.ts'
import { type Endpoint, endpointOf, isWorthKeeping, type Reply } from './endpoint.ts'
import {
  type Claim,
  type Dispatchable,
  type DispatchPorts,
  type DispatchRules,
  dispatchRules,
  everyLane,
  type Lane,
  lanes,
  pace,
} from './lanes.ts'
import { Slots } from './slots.ts'

/**
 * Decides which delivery is attempted when. Slots belong to lanes, so that webhooks that do not answer only ever wait
 * behind each other, and are held for a moment only, so that even those move on.
 */
export class Dispatcher<Delivery extends Dispatchable, Result extends { readonly delivered: boolean }> {
  readonly #ports: DispatchPorts<Delivery, Result>
  readonly #rules: DispatchRules
  readonly #endpoints = new Map<string, Endpoint<Delivery>>()
  /** Webhooks with something ready to be sent. */
  readonly #ready = new Set<Endpoint<Delivery>>()
  readonly #turn: Record<Lane, string> = { 0: '', 1: '', 2: '' }
  readonly #claiming = new Set<Lane>()
  readonly #looked = new Set<Lane>()
  readonly #slots: Slots
  /** Claimed and not begun, by the lane they were claimed from. */
  readonly #waiting: Record<Lane, number> = { 0: 0, 1: 0, 2: 0 }
  /** How often something that was claimed is being given back. */
  #releasing = 0
  readonly finished: Batches<{ delivery: Delivery; result: Result; lane: Lane }>
  #running = false
  readonly #cold = new ColdLooks(() => this.#pump())
  #lookAgain: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(ports: DispatchPorts<Delivery, Result>, rules: DispatchRules = dispatchRules) {
    this.#ports = ports
    this.#rules = rules
    this.#slots = new Slots(rules, () => this.#goOn())
    this.finished = new Batches({
      // A result that comes alone is written at once. While many attempts are under way, each result waits a little for the next.
      lingerMs: () => (this.#slots.inFlight + this.#waiting[lanes.proven] < pace.many ? 0 : pace.lingerMs),
      write: (batch) => ports.record(batch),
      onWritten: (batch) => {
        // What waited for its turn behind these may be due now.
        for (const { lane } of batch) this.#looked.delete(lane)
        this.#pump()
      },
      onError: ports.onError,
    })
  }

  get running(): boolean {
    return this.#running
  }

  start(): void {
    this.#running = true
    this.wake()
  }

  /** Claims nothing more. What runs goes on; `whenIdle` tells when it has ended. */
  stop(): void {
    this.#running = false
  }

  /** Claims nothing more until it is started again and gives back what it has not begun. Returns when the rest has ended. */
  async pause(): Promise<void> {
    this.stop()
    for (const id of this.#endpoints.keys()) this.forget(id)
    await this.whenIdle()
  }

  /** Something may be due. */
  wake(): void {
    this.#looked.clear()
    this.#pump()
  }

  /** Comes back when there is nothing that could be done now: nothing due, nothing running, everything recorded. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#pump()
    })
  }

  /** Gives back what is claimed for a webhook and not yet begun. After this, nothing of it starts in this process. */
  forget(webhookId: string): void {
    const endpoint = this.#endpoints.get(webhookId)
    if (!endpoint) return
    const given = [...endpoint.preparing, ...endpoint.ready.splice(0)]
    endpoint.preparing.clear()
    for (const { lane } of given) this.#waiting[lane]--
    this.#release(given)
  }

  #release(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return
    this.#releasing++
    this.#ports
      .release(deliveries)
      .catch((error) => this.#ports.onError(error))
      .finally(() => {
        this.#releasing--
        this.#pump()
      })
  }

  #pump(): void {
    if (this.#running) for (const lane of everyLane) this.#claim(lane)
    if (this.#isIdle()) for (const tell of this.#idle.splice(0)) tell()
  }

  #isIdle(): boolean {
    const looking = this.#claiming.size > 0 || (this.#running && this.#looked.size < everyLane.length)
    const waiting = this.#waiting[0] + this.#waiting[1] + this.#waiting[2]
    return !looking && this.#slots.inFlight + waiting + this.#releasing === 0 && this.finished.isIdle
  }

  #claim(lane: Lane): void {
    const { slots, each } = this.#rules.lanes[lane]
    const isAhead = lane === lanes.proven
    const count = this.#slots.free(lane) - this.#waiting[lane] + (isAhead ? pace.readyMax : 0)
    const worthIt = isAhead ? pace.readyMax / 2 : Math.min(slots, pace.claimMin)
    const isFull = count < worthIt || this.finished.waiting >= pace.unrecordedMax
    if (isFull || this.#claiming.has(lane) || this.#looked.has(lane) || !this.#isTime(lane)) return
    this.#claiming.add(lane)
    this.#looked.add(lane)
    const busy: string[] = []
    for (const [id, endpoint] of this.#endpoints) if (endpoint.lane === lane && this.#isBusy(endpoint)) busy.push(id)
    const claim: Claim = {
      lane,
      count,
      each: isAhead ? each * pace.readyPerSlot : each,
      busy,
      afterWebhook: this.#turn[lane],
      webhooks: pace.webhooksPerClaim,
    }
    this.#ports.claim(claim).then(
      ({ claimed, turn }) => this.#take(claim, claimed, turn),
      (error) => this.#claimFailed(lane, error),
    )
  }

  /** Whether this lane may be looked at now: cold webhooks only now and then, unless somebody waits for everything to be done. */
  #isTime(lane: Lane): boolean {
    return lane !== lanes.cold || this.#idle.length > 0 || this.#cold.isTime()
  }

  /** Cold webhooks are looked at again soon only if something was claimed or one of them answers. */
  #coldPause(claimed: number): number {
    if (claimed > 0) return pace.coldLookEveryMs
    for (const { lane, answers } of this.#endpoints.values())
      if (lane === lanes.cold && answers) return pace.coldLookEveryMs
    return pace.coldLookAgainMs
  }

  #take({ lane, each }: Claim, claimed: readonly Delivery[], turn: string | undefined): void {
    this.#claiming.delete(lane)
    if (!this.#running) {
      this.#release(claimed)
      this.#pump()
      return
    }
    if (lane === lanes.cold) this.#cold.lookAfter(this.#coldPause(claimed.length))
    const perWebhook = new Map<string, number>()
    for (const { endpoint } of claimed) perWebhook.set(endpoint, (perWebhook.get(endpoint) ?? 0) + 1)
    // A webhook that gave all it was asked for may have more. Where the round is not complete, other webhooks may have something.
    if (turn !== undefined || [...perWebhook.values()].some((count) => count >= each)) this.#looked.delete(lane)
    this.#turn[lane] = turn ?? ''
    this.#waiting[lane] += claimed.length
    for (const delivery of claimed) this.#prepare(delivery)
    this.#pump()
  }

  /** Signing comes before the attempt and takes no slot: it is our time, not the receiver's. */
  #prepare(delivery: Delivery): void {
    const endpoint = endpointOf(delivery, this.#endpoints)
    const preparing = this.#ports.prepare(delivery)
    if (preparing instanceof Promise) {
      endpoint.preparing.add(delivery)
      void preparing.then((prepared) => {
        // Unless it was given back meanwhile.
        if (endpoint.preparing.delete(delivery)) this.#isReady(prepared, endpoint)
      })
    } else this.#isReady(preparing, endpoint)
  }

  #isReady(delivery: Delivery, endpoint: Endpoint<Delivery>): void {
    endpoint.ready.push(delivery)
    this.#ready.add(endpoint)
    this.#begin(endpoint)
  }

  #claimFailed(lane: Lane, error: unknown): void {
    this.#claiming.delete(lane)
    this.#ports.onError(error)
    // One timer for all lanes: while the database is away every lane fails, and each must not wake all the others.
    this.#lookAgain ??= setTimeout(() => {
      this.#lookAgain = undefined
      this.wake()
    }, pace.afterErrorMs).unref()
    this.#pump()
  }

  #eachOf({ lane, answers }: Endpoint<Delivery>): number {
    return lane === lanes.cold && answers ? this.#rules.slowEach : this.#rules.lanes[lane].each
  }

  #isBusy(endpoint: Endpoint<Delivery>): boolean {
    const each = this.#eachOf(endpoint)
    return endpoint.running >= each || endpoint.ready.length + endpoint.preparing.size >= each
  }

  #begin(endpoint: Endpoint<Delivery>): void {
    while (endpoint.ready.length > 0 && endpoint.running < this.#eachOf(endpoint)) {
      if (this.#slots.free(endpoint.lane) <= 0) return
      const delivery = endpoint.ready.shift()!
      this.#waiting[delivery.lane]--
      void this.#attempt(delivery, endpoint)
    }
    if (endpoint.ready.length === 0) this.#ready.delete(endpoint)
  }

  async #attempt(delivery: Delivery, endpoint: Endpoint<Delivery>): Promise<void> {
    const running = this.#slots.take(endpoint.lane)
    const reply = { endpoint, isLate: false, isHere: false }
    // If this process itself stalled, the answer may have arrived long ago. So it is read before the receiver is called late.
    const late = setTimeout(() => setImmediate(() => this.#isLate(reply)), this.#rules.promptMs)
    late.unref?.()
    endpoint.running++

    const result = await this.#ports.attempt(delivery, running)
    this.#slots.end(running)
    clearTimeout(late)
    reply.isHere = true
    endpoint.running--
    if (endpoint.lane === lanes.cold && result.delivered && !endpoint.answers) this.#cold.lookAfter(0)
    endpoint.answers = result.delivered
    if (!reply.isLate && !result.delivered) this.#strike(endpoint)
    if (!reply.isLate && result.delivered) {
      endpoint.strikes = 0
      this.#moveTo(endpoint, lanes.proven)
    }
    if (!isWorthKeeping(endpoint)) this.#endpoints.delete(endpoint.id)
    this.finished.add({ delivery, result, lane: endpoint.lane })
    // Begins the next delivery of the same webhook first. Other webhooks are looked at only if there is none.
    this.#begin(endpoint)
    this.#goOn()
  }

  #isLate(reply: Reply<Delivery>): void {
    if (reply.isHere) return
    reply.isLate = true
    this.#strike(reply.endpoint)
  }

  /** A proven webhook may stumble now and then, because moving it with all that waits for it is expensive. */
  #strike(endpoint: Endpoint<Delivery>): void {
    endpoint.strikes++
    if (endpoint.lane !== lanes.proven || endpoint.strikes >= pace.strikes) this.#moveTo(endpoint, lanes.cold)
  }

  #moveTo(endpoint: Endpoint<Delivery>, lane: Lane): void {
    if (endpoint.lane === lane) return
    endpoint.lane = lane
    this.#ports.move(endpoint.id, lane).then(
      () => {
        this.#looked.delete(lane)
        this.#pump()
      },
      (error) => this.#ports.onError(error),
    )
    // From now on it waits among the cold webhooks. Left here, it would keep others waiting.
    if (lane === lanes.cold) this.forget(endpoint.id)
  }

  /** A slot came free: first for what is already claimed, then for what waits in the database. */
  #goOn(): void {
    for (const endpoint of this.#ready) if (this.#slots.free(endpoint.lane) > 0) this.#begin(endpoint)
    this.#pump()
  }
}
