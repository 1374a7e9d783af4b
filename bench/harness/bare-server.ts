import Fastify from 'fastify'
import pg from 'pg'
import { connectionSettings } from '../../src/database/address.ts'
import { loadRows } from './rows.ts'

/**
 * What reads are measured against: Fastify and `pg`, one named statement a request, the rows sent as they come. No
 * token, no scope, no checks. Its pool is as large as the service's.
 */
const CONNECTIONS_MAX = 20

const pool = new pg.Pool({ ...connectionSettings(process.env['DATABASE_URL']!), max: CONNECTIONS_MAX })
const server = Fastify()

for (const { name, limit } of await loadRows()) {
  if (limit.kind !== 'fastify-pg') continue
  const places = Math.max(0, ...[...limit.text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)))
  const path = Array.from({ length: places }, (_, i) => `/:v${i}`).join('')
  server.get<{ Params: Record<string, string> }>(`/${name}${path}`, async ({ params }) => {
    const { rows } = await pool.query({ name, text: limit.text, values: Object.values(params) })
    if (rows.length === 0) throw new Error('The limit of this row finds nothing.')
    return rows.length === 1 ? rows[0] : rows
  })
}

const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 })
process.once('SIGTERM', () => process.exit(0))
process.once('disconnect', () => process.exit(0))
process.send!({ baseUrl })
