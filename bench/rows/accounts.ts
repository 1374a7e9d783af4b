import { row } from '../harness/row.ts'

const credentials = Buffer.from('sandbox-merchant:sandbox-merchant-secret').toString('base64')

export const rows = [
  row({
    name: 'token',
    does: 'POST /v1/oauth2/token with client credentials, answered with the token that is still valid',
    against: 'bare Fastify + pg, one select of one row',
    prepare: async (context) => {
      await context.token()
      return {}
    },
    request: () => ({
      method: 'POST',
      path: '/v1/oauth2/token',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    }),
    status: 200,
    limit: {
      kind: 'fastify-pg',
      text: 'select * from apps where client_id = $1',
      values: () => ['sandbox-merchant'],
    },
    // Two statements, a keyed hash and a derived token against one statement.
    required: 0.25,
    goal: 0.6,
  }),
]
