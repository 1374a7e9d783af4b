import fc from 'fast-check'
import { Type as Library } from 'typebox'
import { describe, expect, it } from 'vitest'
import { type TSchema, Type } from '../../src/kernel/type.ts'

type Builders = typeof Type
type Given = Record<string, unknown>
/** A schema as a recipe, so that both can be asked to make it. */
type Recipe = (make: Builders) => TSchema

const options = fc.record(
  { description: fc.string({ maxLength: 5 }), $id: fc.constantFrom('A', 'B'), 'x-numeric': fc.constant(true) },
  { requiredKeys: [] },
)
const leaves: ((make: Builders, given: Given) => TSchema)[] = [
  (make, given) => make.String({ maxLength: 9, ...given }),
  (make, given) => make.Integer(given),
  (make, given) => make.Boolean(given),
  (make, given) => make.Unknown(given),
  (make, given) => make.Unsafe({ type: 'object', ...given }),
  (make, given) => make.Enum(['ONE', 'TWO'], given),
  (make, given) => make.Literal('Bearer', given),
]
const around: ((make: Builders, part: TSchema, given: Given) => TSchema)[] = [
  (make, part) => make.Optional(part),
  (make, part) => make.Union([part, make.String()]),
  (make, part, given) => make.Array(part, given),
  (make, part, given) => make.Record(make.String(), part, given),
]
const names = fc.constantFrom('id', 'name', 'amount', 'required', 'type')
const { recipe } = fc.letrec<{ recipe: Recipe; fields: Record<string, Recipe> }>((tie) => ({
  fields: fc.dictionary(names, tie('recipe'), { maxKeys: 4 }),
  recipe: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.constantFrom(...leaves), options).map(
      ([leaf, given]): Recipe =>
        (make) =>
          leaf(make, given),
    ),
    fc.tuple(fc.constantFrom(...around), tie('recipe'), options).map(
      ([wrap, part, given]): Recipe =>
        (make) =>
          wrap(make, part(make), given),
    ),
    fc.tuple(tie('fields'), options, fc.boolean()).map(
      ([fields, given, isPartial]): Recipe =>
        (make) => {
          const parts = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field(make)]))
          const object = make.Object(parts, given)
          return isPartial ? make.Partial(object) : object
        },
    ),
  ),
}))

describe('Schemas of our own making', () => {
  it('are printed like those of the library whose types they have', () => {
    fc.assert(
      fc.property(recipe, (make) => {
        expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(Library)))
      }),
      { numRuns: 300 },
    )
  })

  it('keep the mark of what may be absent to themselves', () => {
    const schema = Type.Object({ a: Type.Optional(Type.String()), b: Type.String() })

    expect(schema.required).toEqual(['b'])
    expect(Object.keys(schema.properties.a)).toEqual(['type'])
    expect(Type.Object({ ...schema.properties }).required).toEqual(['b'])
  })
})
