import { type Static, Type } from './type.ts'

/** A link to a related resource or a next step. */
export const Link = Type.Object(
  {
    href: Type.String({ maxLength: 4000 }),
    rel: Type.String({ maxLength: 100 }),
    method: Type.Optional(Type.String({ maxLength: 10 })),
  },
  { $id: 'Link', description: 'A related resource or a possible next step.' },
)
export type Link = Static<typeof Link>
export const Links = Type.Array(Link, { maxItems: 100 })
