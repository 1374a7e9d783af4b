import { dialects } from '../../kernel/dialect.ts'
import { type AnyRoute, takesRequestId } from '../route.ts'

/** In every answer. */
export const debugIdHeader = { schema: { type: 'string' }, description: 'Names this answer in our logs.' }

/** Headers that mean the same for every operation. */
export const headerParameters = {
  AuthAssertion: {
    name: `${dialects.service.headerPrefix}-Auth-Assertion`,
    in: 'header',
    description: 'A JWT that names the account to act for.',
    schema: { type: 'string', maxLength: 10_000 },
  },
  RequestId: {
    name: `${dialects.service.headerPrefix}-Request-Id`,
    in: 'header',
    description: 'A request repeated with the same id takes effect once and gets the first answer again.',
    schema: { type: 'string', minLength: 1, maxLength: 108 },
  },
}

/** The headers that an operation takes. */
export function headersOf(route: AnyRoute): (keyof typeof headerParameters)[] {
  const own: (keyof typeof headerParameters)[] = route.scopes === 'public' ? [] : ['AuthAssertion']
  return takesRequestId(route) ? [...own, 'RequestId'] : own
}

const refused = (schema: string, ...pages: string[]) => ({
  description: 'A refusal or failure.',
  content: {
    ...Object.fromEntries(pages.map((type) => [type, { schema: { type: 'string' } }])),
    'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
  },
})
// A page refuses with a page, but what is checked before its operation is refused as everywhere else.
export const refusals = {
  Refused: refused('Error'),
  NoToken: refused('TokenError'),
  NoPage: refused('Error', 'text/html'),
}

/** The refusal schema that an operation answers with. */
export const refusalOf = ({ errors, refusal }: AnyRoute): keyof typeof refusals =>
  errors === 'oauth' ? 'NoToken' : refusal ? 'NoPage' : 'Refused'

const text = { type: 'string' }
export const errorSchema = {
  type: 'object',
  description: 'Why a request was refused, and what would make it work.',
  required: ['name', 'message', 'debug_id'],
  properties: {
    name: { ...text, description: 'The kind of refusal, for programs.' },
    message: { ...text, description: 'The same for people; its wording may change.' },
    debug_id: { ...text, description: 'Names this answer in our logs.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['issue'],
        properties: {
          issue: { ...text, description: 'What is wrong, as a code for programs.' },
          description: { ...text, description: 'What would make the call work.' },
          field: { ...text, description: 'Where: a JSON pointer into the body, or the name of a parameter or header.' },
          value: { ...text, description: 'What stood there.' },
          location: { ...text, description: 'Body, path, query or header.' },
        },
      },
      description: 'Everything that was wrong with the request, at most fifty.',
    },
    links: {
      type: 'array',
      items: { $ref: '#/components/schemas/Link' },
      description: 'Where the operation is described.',
    },
  },
}
export const tokenErrorSchema = {
  type: 'object',
  required: ['error'],
  description: 'Why no token was given, in the form of RFC 6749.',
  properties: {
    error: { ...text, description: 'The kind of refusal, for programs.' },
    error_description: { ...text, description: 'What would make the call work.' },
  },
}
