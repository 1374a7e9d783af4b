import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lifecycle, type Row } from '../../src/kernel/lifecycle.ts'
import { Problem } from '../../src/kernel/problem.ts'

interface State {
  light: 'red' | 'green'
  power: 'on' | 'off'
}
type Entity = State & { repaired: boolean }

const guards = { 'a repair': ({ repaired }: Entity) => repaired }
const lights = ['red', 'green'] as const
const powers = ['on', 'off'] as const
const people = ['driver', 'worker', 'nobody'] as const
const actions = ['switch', 'cut', 'mend'] as const

const anyRow: fc.Arbitrary<Row<State>> = fc.record({
  action: fc.constantFrom(...actions),
  by: fc.subarray([...people], { minLength: 1 }),
  from: fc.record(
    { light: fc.constantFrom(...lights), power: fc.subarray([...powers], { minLength: 1 }) },
    { requiredKeys: [] },
  ),
  given: fc.subarray(['a repair']),
  outcome: fc.constantFrom('done', 'failed'),
  to: fc.record({ light: fc.constantFrom(...lights), power: fc.constantFrom(...powers) }, { requiredKeys: [] }),
  emits: fc.constant('nothing'),
})
const anyTable = fc.array(anyRow, { maxLength: 12 })
const anyEntity: fc.Arbitrary<Entity> = fc.record({
  light: fc.constantFrom(...lights),
  power: fc.constantFrom(...powers),
  repaired: fc.boolean(),
})
const anyRoles = fc.subarray([...people])

const holds = (row: Row<State>, entity: Entity, roles: readonly string[]) =>
  row.by.some((role) => roles.includes(role)) &&
  (['light', 'power'] as const).every(
    (facet) => row.from[facet] === undefined || [row.from[facet]].flat().includes(entity[facet]),
  ) &&
  (row.given.length === 0 || entity.repaired)

describe('A lifecycle table', () => {
  it('allows an action exactly when one of its rows holds, and refuses it otherwise', () => {
    fc.assert(
      fc.property(anyTable, anyEntity, anyRoles, fc.constantFrom(...actions), (rows, entity, roles, action) => {
        const lifecycle = new Lifecycle<State, Entity, Row<State>[]>(rows, guards)
        const expected = rows.some((row) => row.action === action && holds(row, entity, roles))

        expect(lifecycle.allows(entity, roles, action)).toBe(expected)
        expect(lifecycle.allowed(entity, roles).includes(action)).toBe(expected)
        if (expected) lifecycle.require(entity, roles, action)
        else expect(() => lifecycle.require(entity, roles, action)).toThrow(Problem)
      }),
    )
  })

  it('leads along the first row that holds and has the outcome, and nowhere else', () => {
    fc.assert(
      fc.property(anyTable, anyEntity, anyRoles, fc.constantFrom(...actions), (rows, entity, roles, action) => {
        const lifecycle = new Lifecycle<State, Entity, Row<State>[]>(rows, guards)
        const expected = rows.find(
          (row) => row.action === action && row.outcome === 'done' && holds(row, entity, roles),
        )

        if (expected) expect(lifecycle.follow(entity, roles, action, 'done')).toBe(expected)
        else expect(() => lifecycle.follow(entity, roles, action, 'done')).toThrow('does not say where')
      }),
    )
  })

  it('says what is missing', () => {
    const rows = [
      {
        action: 'mend',
        by: ['worker'],
        from: { power: 'off' },
        given: ['a repair'],
        outcome: 'done',
        to: {},
        emits: '',
      },
    ] as const
    const lifecycle = new Lifecycle<State, Entity, typeof rows>(rows, guards)
    const broken: Entity = { light: 'red', power: 'on', repaired: false }

    expect(() => lifecycle.require(broken, ['driver'], 'mend')).toThrow(
      expect.objectContaining({
        details: [{ issue: 'ACTION_NOT_ALLOWED', description: 'mend requires the worker and power off and a repair.' }],
      }),
    )
  })

  it('does not name a way that only asks for more than another', () => {
    const mend = { action: 'mend', from: { power: 'off' }, outcome: 'done', to: {}, emits: '' } as const
    const rows = [
      { ...mend, by: ['worker'], given: [] },
      { ...mend, by: ['driver'], given: [] },
      { ...mend, by: ['driver'], given: ['a repair'] },
    ] as const
    const lifecycle = new Lifecycle<State, Entity, typeof rows>(rows, guards)
    const running: Entity = { light: 'red', power: 'on', repaired: false }

    const requires = (role: string) =>
      lifecycle.prospects(running, [role]).map((prospect) => !prospect.allowed && prospect.because)
    expect(requires('driver')).toEqual(['requires power off.'])
    expect(() => lifecycle.require(running, ['nobody'], 'mend')).toThrow(
      expect.objectContaining({
        details: [
          expect.objectContaining({
            description: 'mend requires the worker and power off, or the driver and power off.',
          }),
        ],
      }),
    )
  })

  it('does not take a guard that nobody wrote', () => {
    const rows = [
      { action: 'mend', by: ['worker'], from: {}, given: ['luck'], outcome: 'done', to: {}, emits: '' },
    ] as const
    expect(() => new Lifecycle<State, Entity, typeof rows>(rows, guards)).toThrow('luck')
  })
})
