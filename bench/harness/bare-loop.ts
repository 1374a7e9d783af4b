import pg from 'pg'
import { connectionSettings } from '../../src/database/address.ts'

interface LoopOrder {
  readonly statements: readonly string[]
  readonly seconds: number
  readonly clients: number
}

const ID_MAX = 2 ** 48 - 1

/** Stands in for `pgbench`: so many connections, each running the statements one after the other until time is up. */
async function run({ statements, seconds, clients }: LoopOrder): Promise<number> {
  const queries = statements.map((statement) => {
    const text = statement.replace(/(?<!:):id\b/g, '$1')
    return { name: text.slice(0, 60), text, takesId: text !== statement }
  })
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client(connectionSettings(process.env['DATABASE_URL']!))
      await client.connect()
      return client
    }),
  )
  let done = 0
  const begin = performance.now()
  await Promise.all(
    connections.map(async (client) => {
      while (performance.now() - begin < seconds * 1000) {
        const id = Math.floor(Math.random() * ID_MAX)
        for (const { name, text, takesId } of queries) await client.query({ name, text, values: takesId ? [id] : [] })
        done++
      }
    }),
  )
  const rate = done / ((performance.now() - begin) / 1000)
  await Promise.all(connections.map((client) => client.end()))
  return rate
}

process.on('message', (order: LoopOrder) => {
  run(order).then(
    (rate) => process.send!({ rate }),
    (error: unknown) => process.send!({ failure: String(error) }),
  )
})
process.once('SIGTERM', () => process.exit(0))
process.once('disconnect', () => process.exit(0))
process.send!('ready')
