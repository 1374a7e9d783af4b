import { setTimeout as pause } from 'node:timers/promises'
import type { Patience } from '../../jobs/patience.ts'
import type { Fired, Upcoming, WorkSource } from '../../jobs/work-source.ts'
import type { Instant } from '../../kernel/clock.ts'
import { type Outbound, openOutbound } from '../../outbound/http.ts'
import type { Service, WorkParts } from '../../room.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import type { DispatchRules } from '../dispatch/lanes.ts'
import { SigningKeys } from '../signing/keys.ts'
import { makeSeal, remembering } from '../signing/seal.ts'
import { Signer } from '../signing/signer.ts'
import { AttemptLimits } from './attempt-limits.ts'
import { claimDeliveries } from './claim.ts'
import { DeliveryCounts } from './counts.ts'
import {
  type AttemptResult,
  asRecord,
  type DeliverParts,
  headerNamesOf,
  needsSignature,
  signDelivery,
} from './deliver.ts'
import { attemptWithFault } from './faulty.ts'
import { attemptMade, logAttempt } from './log.ts'
import { makeDeliveryMetrics } from './metrics.ts'
import { type ClaimedDelivery, move, nextWaiting, record, release, releaseAllDue, renew } from './queue.ts'
import { Recount } from './recount.ts'
import { upcomingDeliveries } from './upcoming.ts'

const RENEW_EVERY_MS = 5_000
const RENEW_AGAIN_MS = 500
const CLOSE_WITHIN_MS = 5_000
const LOOK_AGAIN_MS = 10
const SIGN_AGAIN_MS = 1_000
const FAR_AWAY = '9999-12-31T23:59:59.999Z'

export interface DeliveryOptions {
  readonly outbound?: Outbound
  readonly rules?: DispatchRules
  /** From when on a claim takes long. */
  readonly slowMs?: number
}

/** Delivers events as they fall due: the timetable is the queue of deliveries, the pace is the dispatcher's. */
export class DeliveryWork implements WorkSource {
  readonly kind = 'deliveries'
  readonly #parts: WorkParts
  readonly #outbound: Outbound
  readonly #signer = new Signer()
  readonly #dispatcher: Dispatcher<ClaimedDelivery, AttemptResult>
  readonly #held = new Map<string, ClaimedDelivery>()
  #heldBefore: ReadonlySet<ClaimedDelivery> = new Set()
  #fired: Fired[] | undefined
  /** The patience of whoever waits until everything that is due is done. */
  #patience: Patience | undefined
  #renewing: NodeJS.Timeout | undefined
  /** Only where a clock can be moved. */
  readonly #limits: AttemptLimits | undefined
  readonly #closing = new AbortController()
  /** Only where an operator looks at them. */
  readonly #counts: DeliveryCounts | undefined
  readonly #recount: Recount

  constructor(service: Service, parts: WorkParts, { outbound, rules, slowMs }: DeliveryOptions = {}) {
    const { database, clock, registry } = parts
    const metrics = registry && makeDeliveryMetrics(registry, database, clock)
    const { secrets, webhookAllowHttp, webhookAllowPrivate } = service.settings
    const seal = makeSeal(secrets!)
    this.#parts = parts
    if (service.environment === 'sandbox') this.#limits = new AttemptLimits()
    else this.#counts = new DeliveryCounts(database, clock, parts.onError)
    this.#recount = new Recount(database, parts.onError, slowMs)
    this.#outbound = outbound ?? openOutbound({ allowHttp: webhookAllowHttp, allowPrivate: webhookAllowPrivate })
    const deliver = {
      service,
      headerNames: headerNamesOf(service),
      outbound: this.#outbound,
      keys: new SigningKeys(database, seal, service, parts.newKeyPair),
      openSecret: remembering(seal),
      derivedSecret: seal.derived,
      signer: this.#signer,
      now: () => clock.now(),
    }
    this.#dispatcher = new Dispatcher(
      {
        claim: async (claim) => {
          if (this.#patience?.isOver) return { claimed: [], turn: undefined }
          const busy = [...claim.busy, ...(this.#patience?.givenUp ?? [])]
          const begun = performance.now()
          try {
            const result = await claimDeliveries(database, { ...claim, busy }, clock.now(), database.isSettled)
            for (const delivery of result.claimed) this.#held.set(delivery.id, delivery)
            return result
          } finally {
            // Also one that took too long to end.
            this.#recount.took(performance.now() - begun)
          }
        },
        prepare: (delivery) => this.#prepare(deliver, delivery),
        attempt: async (delivery, handle) => {
          const end = this.#limits?.begin(delivery, handle)
          const result = await attemptWithFault(deliver, delivery, handle, parts.faultOf)
          end?.()
          if (!result.delivered && this.#patience?.failed(delivery.endpoint)) this.forget(delivery.endpoint)
          return result
        },
        record: async (finished) => {
          await record(
            database,
            finished.map(({ delivery, result, lane }) => asRecord(delivery, result, lane)),
          )
          for (const { delivery } of finished) this.#recorded(delivery)
          metrics?.attempted(finished.map(({ result }) => result))
          this.#counts?.attempted(finished.map(({ result }) => result))
          for (const { delivery, result } of finished) {
            if (parts.log) logAttempt(parts.log, delivery, result)
            parts.tell?.(attemptMade(delivery, result), delivery.event_id)
          }
        },
        move: (endpoint, lane) => move(database, endpoint, lane),
        release: async (deliveries) => {
          for (const { id } of deliveries) this.#held.delete(id)
          await release(database, deliveries)
        },
        onError: parts.onError,
      },
      rules,
    )
  }

  /** A delivery that cannot be signed now is tried until it can: one without its signature would be worse than a late one. */
  #prepare(parts: DeliverParts, delivery: ClaimedDelivery): ClaimedDelivery | Promise<ClaimedDelivery> {
    return needsSignature(parts, delivery) ? this.#sign(parts, delivery) : delivery
  }

  async #sign(parts: DeliverParts, delivery: ClaimedDelivery): Promise<ClaimedDelivery> {
    for (;;) {
      try {
        return await signDelivery(parts, delivery)
      } catch (error) {
        this.#parts.onError(error)
        const isOpen = await pause(SIGN_AGAIN_MS, true, { signal: this.#closing.signal }).catch(() => false)
        if (isOpen) continue
        // A process that is closing leaves the delivery to another one. What was given back is not attempted here, whatever
        // is returned.
        this.#dispatcher.forget(delivery.endpoint)
        this.#dispatcher.wake()
        return delivery
      }
    }
  }

  #recorded(delivery: ClaimedDelivery): void {
    this.#held.delete(delivery.id)
    this.#fired?.push({ work: 'deliver-webhook', at: delivery.next_time, key: delivery.id })
  }

  takeOver(): Promise<void> {
    return releaseAllDue(this.#parts.database, this.#parts.clock.now())
  }

  nextDue(): Promise<Instant | undefined> {
    return nextWaiting(this.#parts.database)
  }

  upcoming(limit: number, about?: readonly string[]): Promise<Upcoming[]> {
    return upcomingDeliveries(this.#parts.database, limit, about)
  }

  /** Attempts everything that is due, as long as the patience lasts, and waits for what other processes hold. */
  async drain(patience?: Patience): Promise<Fired[]> {
    const { database, clock } = this.#parts
    this.#limits?.impose(patience)
    const fired: Fired[] = []
    this.#fired = fired
    this.#patience = patience
    const wasRunning = this.#dispatcher.running
    this.#renewing ??= this.#startRenewing()
    const isAnyDue = async () =>
      !patience?.isOver && ((await nextWaiting(database, patience?.givenUp)) ?? FAR_AWAY) <= clock.now()
    try {
      while (await isAnyDue()) {
        this.#dispatcher.start()
        await this.#dispatcher.whenIdle()
        if (!(await isAnyDue())) break
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
      }
      return fired
    } finally {
      // Reset even if the database went away meanwhile: a limit that stayed would cut all later attempts short.
      if (!wasRunning) this.#dispatcher.stop()
      this.#fired = undefined
      this.#patience = undefined
      this.#limits?.impose(undefined)
    }
  }

  /** The dispatcher claims by itself; it only has to be told that there may be something to claim. */
  wake(): void {
    if (this.#closing.signal.aborted) return
    this.#renewing ??= this.#startRenewing()
    if (this.#dispatcher.running) this.#dispatcher.wake()
    else this.#dispatcher.start()
  }

  async pause(patience?: Patience): Promise<void> {
    this.#limits?.impose(patience)
    await this.#dispatcher.pause()
    this.#limits?.impose(undefined)
  }

  #startRenewing(): NodeJS.Timeout {
    const again = () => {
      // Deliveries that were not held at the last round are young enough to wait for the next one.
      const old = [...this.#held.values()].filter((delivery) => this.#heldBefore.has(delivery))
      this.#heldBefore = new Set(this.#held.values())
      if (old.length > 0) void this.#renew(old)
    }
    return setInterval(again, RENEW_EVERY_MS).unref()
  }

  async #renew(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    try {
      await renew(this.#parts.database, deliveries)
    } catch (error) {
      this.#parts.onError(error)
      // After an outage, tries again soon, before other processes take over what is held here.
      await pause(RENEW_AGAIN_MS, undefined, { ref: false })
      const held = deliveries.filter(({ id }) => this.#held.has(id))
      if (held.length > 0 && !this.#closing.signal.aborted) await this.#renew(held)
    }
  }

  /** After this call, this process starts nothing more of this endpoint. */
  forget(endpoint: string): void {
    this.#dispatcher.forget(endpoint)
  }

  /** Lets attempts under way end for a moment, and gives back the rest for another process to make. */
  async close(): Promise<void> {
    clearInterval(this.#renewing)
    this.#dispatcher.stop()
    this.#closing.abort()
    const late = new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref())
    await Promise.race([this.#dispatcher.whenIdle(), late])
    // What cannot be given back because the database is away goes to another process when its lease has run out.
    if (this.#held.size > 0)
      await release(this.#parts.database, [...this.#held.values()]).catch((error: unknown) =>
        this.#parts.onError(error),
      )
    this.#dispatcher.finished.close()
    await Promise.all([this.#outbound.close(), this.#signer.close(), this.#counts?.write(), this.#recount.close()])
  }
}
