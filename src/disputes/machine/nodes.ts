import type { DisputeNode } from '../schema/dispute.ts'

const inquiry = { dispute_life_cycle_stage: 'INQUIRY', finality: 'OPEN' } as const
const claim = { dispute_life_cycle_stage: 'CHARGEBACK', finality: 'OPEN' } as const
const appeal = { dispute_life_cycle_stage: 'PRE_ARBITRATION', finality: 'OPEN' } as const
const lastAppeal = { dispute_life_cycle_stage: 'ARBITRATION', finality: 'OPEN' } as const
const seller = { status: 'WAITING_FOR_SELLER_RESPONSE' } as const
const buyer = { status: 'WAITING_FOR_BUYER_RESPONSE' } as const
const review = { status: 'UNDER_REVIEW', flow: 'NONE' } as const

interface NamedNode {
  readonly node: DisputeNode
  readonly meaning: string
}

/** Every node in which a dispute can stand, as the documentation tells them. */
// biome-ignore format: a table reads best as a table
export const nodes: readonly NamedNode[] = [
  { node: { ...inquiry, status: 'OPEN', flow: 'NONE' }, meaning: 'opened, not looked at yet' },
  { node: { ...inquiry, ...seller, flow: 'NONE' },      meaning: 'the seller is to answer' },
  { node: { ...inquiry, ...buyer, flow: 'OFFER' },      meaning: 'an offer waits for the buyer' },
  { node: { ...inquiry, ...buyer, flow: 'EVIDENCE' },   meaning: 'an agent asked the buyer for evidence' },
  { node: { ...inquiry, ...review },                    meaning: 'an agent looks at it' },
  { node: { ...inquiry, ...buyer, flow: 'RETURN' },     meaning: 'the buyer is to send the item back' },
  { node: { ...inquiry, ...seller, flow: 'ACK' },       meaning: 'the seller is to confirm the return' },
  { node: { ...claim, status: 'OPEN', flow: 'NONE' },   meaning: 'opened as a claim, not looked at yet' },
  { node: { ...claim, ...seller, flow: 'NONE' },        meaning: 'the seller is to answer the claim' },
  { node: { ...claim, ...buyer, flow: 'OFFER' },        meaning: 'a partial refund waits for the buyer' },
  { node: { ...claim, ...buyer, flow: 'EVIDENCE' },     meaning: 'an agent asked the buyer for evidence' },
  { node: { ...claim, ...review },                      meaning: 'an agent decides' },
  { node: { ...claim, ...buyer, flow: 'RETURN' },       meaning: 'the buyer is to send the item back' },
  { node: { ...claim, ...seller, flow: 'ACK' },         meaning: 'the seller is to confirm the return' },
  { node: { ...appeal, ...review },                     meaning: 'first appeal: an agent decides' },
  { node: { ...appeal, ...seller, flow: 'EVIDENCE' },   meaning: 'first appeal: evidence asked of the seller' },
  { node: { ...appeal, ...buyer, flow: 'EVIDENCE' },    meaning: 'first appeal: evidence asked of the buyer' },
  { node: { ...lastAppeal, ...review },                 meaning: 'second appeal: an agent decides' },
  { node: { ...lastAppeal, ...seller, flow: 'EVIDENCE' }, meaning: 'second appeal: evidence asked of the seller' },
  { node: { ...lastAppeal, ...buyer, flow: 'EVIDENCE' },  meaning: 'second appeal: evidence asked of the buyer' },
  { node: { ...claim, status: 'RESOLVED', flow: 'NONE', finality: 'APPEALABLE' }, meaning: 'resolved; the losing side may appeal' },
  { node: { ...claim, status: 'RESOLVED', flow: 'NONE', finality: 'FINAL' },      meaning: 'resolved for good' },
]
