import { describe, expect, it } from 'vitest'
import { publicActions } from '../../src/disputes/machine/actions/index.ts'
import { disputeConsequences, ifNobodyActs } from '../../src/disputes/machine/consequences.ts'
import { type DisputeAction, disputeLifecycle } from '../../src/disputes/machine/lifecycle.ts'
import { nodes } from '../../src/disputes/machine/nodes.ts'
import { nodeName, step } from '../../src/disputes/machine/step.ts'
import type { Dispute, Side } from '../../src/disputes/schema/dispute.ts'
import { invoiceConsequences, invoiceUnattended } from '../../src/invoices/consequences.ts'
import { invoiceLifecycle } from '../../src/invoices/lifecycle.ts'
import { statuses } from '../../src/invoices/schema/enums.ts'
import type { Invoice } from '../../src/invoices/schema/invoice.ts'
import type { Role } from '../../src/kernel/caller.ts'
import { after } from '../../src/kernel/clock.ts'
import { Problem } from '../../src/kernel/problem.ts'
import { begin, contextFor, inputFor, START, usualRules } from './dispute-machine.ts'

const known = { now: START, rules: usualRules }
const roles = ['seller', 'buyer', 'partner', 'agent'] as const satisfies readonly Role[]
const opened = begin({
  reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
  channel: 'INTERNAL',
  disputed: 10_000n,
  gross: 10_000n,
}).dispute

/** A dispute that stands at each place there is, as far as its node says. */
const placed = nodes.map(({ node }) => ({ name: nodeName(node), dispute: { ...opened, ...node } as Dispute }))

describe('What follows from an action in a dispute', () => {
  for (const { name, dispute } of placed)
    for (const role of roles)
      it(`at ${name} for the ${role} is what the table says`, () => {
        const told = disputeConsequences(dispute, [role], known)

        const allowed = disputeLifecycle
          .allowed(dispute, [role])
          .filter((action) => publicActions.some((one) => one === action))
        expect(told.filter((one) => one.allowed).map(({ action }) => action)).toEqual(allowed)
        for (const one of told) {
          if (!one.allowed) {
            expect(one.because).toMatch(/^requires .+\.$/)
            expect(one.because).not.toMatch(/undefined/)
            continue
          }
          expect(one.outcomes.length).toBeGreaterThan(0)
          for (const { node, standing, money } of one.outcomes) {
            expect(placed.map((place) => place.name)).toContain(node)
            expect([standing, money].every((words) => words.length > 5)).toBe(true)
          }
        }
      })

  it('is where every dispute comes to on its way, with the deadline that was told and the money that time moves', () => {
    const seen = new Set<string>()
    const sides: readonly { side: Side; role: Role }[] = [
      { side: 'seller', role: 'seller' },
      { side: 'buyer', role: 'buyer' },
      { side: 'seller', role: 'agent' },
    ]
    const walk = (dispute: Dispute, depth: number) => {
      const unattended = ifNobodyActs(dispute, usualRules)
      if (unattended) {
        const action = dispute.timer!.name === 'triage' ? 'triage' : 'pass-deadline'
        const passed = step(dispute, ['clock'], action, {}, contextFor(dispute.timer!.due, 'seller')).after
        expect(unattended).toMatchObject({ at: dispute.timer!.due, node: nodeName(passed) })
        expect(unattended.money).toEqual((passed.fund_movements ?? []).slice((dispute.fund_movements ?? []).length))
        if (depth > 0) walk(passed, depth - 1)
      }
      for (const { side, role } of sides)
        for (const told of disputeConsequences(dispute, [role], known)) {
          if (!told.allowed) continue
          for (const pick of [0, 1, 2]) {
            const now = after(START, 60)
            const next = taken(dispute, role, side, told.action, pick)
            if (!next) continue
            const outcome = told.outcomes.find(({ node }) => node === nodeName(next))
            expect(outcome, `${told.action} led from ${nodeName(dispute)} to ${nodeName(next)}`).toBeDefined()
            expect(outcome!.deadline?.name).toBe(next.timer?.name)
            const key = `${nodeName(dispute)} ${role} ${told.action} ${nodeName(next)}`
            if (seen.has(key) || depth === 0) continue
            seen.add(key)
            walk({ ...next, update_time: now }, depth - 1)
          }
        }
    }
    walk(opened, 6)
    expect(seen.size).toBeGreaterThan(40)
  })
})

/** The dispute after a step; undefined where the request itself is refused. */
function taken(dispute: Dispute, role: Role, side: Side, action: DisputeAction, pick: number): Dispute | undefined {
  try {
    return step(dispute, [role], action, inputFor(dispute, action, side, pick), contextFor(START, side)).after
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

describe('What follows from an action on an invoice', () => {
  const bases = ['DRAFT', 'SCHEDULED', 'SENT'] as const
  for (const status of statuses)
    it(`that is ${status} is what the table says, for either side`, () => {
      for (const base_status of bases)
        for (const role of ['seller', 'buyer', 'clock'] as const) {
          const invoice = {
            status,
            base_status,
            payments: [],
            detail: { invoice_date: '2026-04-01' },
          } as unknown as Invoice
          const told = invoiceConsequences(invoice, [role])

          const allowed = invoiceLifecycle.allowed(invoice, [role])
          expect(told.flatMap((one) => (one.allowed ? one.action : [])).toSorted()).toEqual(allowed.toSorted())
          for (const one of told)
            if (one.allowed) expect(one.outcomes.every((outcome) => statuses.includes(outcome.status))).toBe(true)
            else expect(one.because).toMatch(/^requires .+\.$/)
        }
      expect(
        invoiceUnattended({
          status: 'SCHEDULED',
          base_status: 'SCHEDULED',
          detail: { invoice_date: '2026-04-01' },
        } as Invoice),
      ).toBe('The invoice goes out on 2026-04-01.')
    })
})
