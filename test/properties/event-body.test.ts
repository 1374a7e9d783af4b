import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Service } from '../../src/room.ts'
import { eventBody } from '../../src/webhooks/events/envelope.ts'

const service = { publicUrl: 'https://pay.example' } as Service
const textOf = (resource: object) =>
  eventBody(service, {
    ...{ id: 'WH-1', time: '2026-03-02T09:00:00.000Z' as never, type: 'INVOICING.INVOICE.PAID', summary: 'Paid.' },
    resource,
  })

/** The same without objects that have no members, nor any that come to have none. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned).filter((entry) => JSON.stringify(entry) !== '{}')
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, pruned(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => JSON.stringify(member) !== '{}'))
}

describe('The text of an event', () => {
  it('has no empty objects, and all else as the resource has it', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constantFrom(null, undefined, {}, [], '{}')),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tie('tree'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), tree), (resource) => {
        const before = JSON.stringify(resource)
        const found = (JSON.parse(textOf(resource)) as { resource?: unknown }).resource
        const wanted = pruned(JSON.parse(before))
        expect(found ?? {}).toEqual(wanted)
        expect(JSON.stringify(resource)).toBe(before)
      }),
    )
  })
})
