import { type Dispatchable, type Lane, lanes } from './lanes.ts'

/** What the dispatcher knows of a webhook it has something to do with. */
export interface Endpoint<Delivery> {
  readonly id: string
  lane: Lane
  running: number
  /** True while its last attempt was delivered, however slowly. */
  answers: boolean
  /** Attempts since its last prompt answer that failed or took long. */
  strikes: number
  /** Claimed, and not ready to be sent yet. */
  readonly preparing: Set<Delivery>
  readonly ready: Delivery[]
}

const newEndpoint = <Delivery>(id: string, lane: Lane): Endpoint<Delivery> => ({
  id,
  lane,
  running: 0,
  answers: false,
  strikes: 0,
  preparing: new Set(),
  ready: [],
})

/** Where a delivery goes, among what is known. */
export function endpointOf<Delivery extends Dispatchable>(
  { endpoint: id, lane }: Delivery,
  known: Map<string, Endpoint<Delivery>>,
): Endpoint<Delivery> {
  let endpoint = known.get(id)
  if (!endpoint) {
    endpoint = newEndpoint(id, lane)
    known.set(id, endpoint)
  }
  return endpoint
}

/** Only webhooks that are busy, slow but answering, or beginning to stumble are worth remembering. */
export function isWorthKeeping<Delivery>(endpoint: Endpoint<Delivery>): boolean {
  const { running, preparing, ready, lane, answers, strikes } = endpoint
  if (running + preparing.size + ready.length > 0) return true
  return lane === lanes.cold ? answers : strikes > 0
}

/** The answer an attempt waits for. */
export interface Reply<Delivery> {
  readonly endpoint: Endpoint<Delivery>
  isLate: boolean
  isHere: boolean
}
