import { type Static, Type } from './type.ts'

/** A link to a related resource or a next step. */
export const Link = Type.Object(
  {
    href: Type.String({ maxLength: 4000, description: 'The address to call or open.' }),
    rel: Type.String({
      maxLength: 100,
      description: 'What the link is for: the name of an action, or `self`, `next`, `prev`.',
    }),
    method: Type.Optional(
      Type.String({ maxLength: 10, description: 'The HTTP method to call it with; GET when absent.' }),
    ),
  },
  { $id: 'Link', description: 'A related resource or a possible next step.' },
)
export type Link = Static<typeof Link>
export const Links = Type.Array(Link, { maxItems: 100 })
