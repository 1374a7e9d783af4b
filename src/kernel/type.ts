import type * as Library from 'typebox'

export type { Static, TSchema } from 'typebox'

type Used =
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

type Schema = Readonly<Record<string | symbol, unknown>>
type Properties = Readonly<Record<string, Schema>>

/** Marks a property that may be absent. A symbol, so that it is neither printed nor checked. */
const optional = Symbol('optional')

const object = (properties: Properties, options: Schema = {}): Schema => {
  const required = Object.keys(properties).filter((name) => !properties[name]![optional])
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}
const mayBeAbsent = (schema: Schema): Schema => ({ ...schema, [optional]: true })

/** Makes schemas as plain objects, in the form in which they are printed. */
const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: string, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Object: object,
  Optional: mayBeAbsent,
  Partial: ({ properties }: Schema) =>
    object(
      Object.fromEntries(Object.entries(properties as Properties).map(([name, schema]) => [name, mayBeAbsent(schema)])),
    ),
  Record: (_key: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => schema,
} satisfies Record<Used, unknown>

/**
 * Writes a JSON Schema from which TypeScript reads a type. The types are the library's. Its functions are not used, because
 * they come in hundreds of files that every start would have to load, and these few are all we need.
 */
// The results have the shape that the library's types describe, except for marks that only its own code reads.
export const Type = builders as unknown as Pick<typeof Library.Type, Used>
