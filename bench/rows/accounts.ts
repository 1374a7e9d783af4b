import { row } from '../harness/row.ts'

const credentials = Buffer.from('sandbox-merchant:sandbox-merchant-secret').toString('base64')

/** So many wishes, each with a token of its own, that none comes again within the second for which a client is believed. */
const WISHES = 6_000

const token = {
  prepare: async () => ({}),
  request: (body: string) => ({
    method: 'POST' as const,
    path: '/v1/oauth2/token',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
    body,
  }),
  status: 200,
  against: 'bare Fastify + pg, one select of one row',
  limit: {
    kind: 'fastify-pg' as const,
    text: 'select * from apps where client_id = $1',
    values: () => ['sandbox-merchant'],
  },
  goal: 0.6,
}

export const rows = [
  row({
    ...token,
    name: 'token',
    does: 'POST /v1/oauth2/token with client credentials, answered with the token that is still valid, by a client that asked within the last second',
    request: () => token.request('grant_type=client_credentials'),
    required: 0.25,
  }),
  row({
    ...token,
    name: 'token-first',
    does: 'the same by one that did not: client, secrets and token are looked up',
    request: (_, n) => token.request(`grant_type=client_credentials&scope=disputes%2Fread-seller+wish-${n % WISHES}`),
  }),
]
