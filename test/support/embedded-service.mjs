// Stands for the service in tests of the embedded server. It is copied beside an installation's `dist` and run there.
// It starts the server, writes rows as fast as it can when asked to, and says on a line each what it did.
import { startEmbedded } from './dist/database/embedded/server.js'
import { openDatabase } from './dist/database/open.js'

const say = (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`)
const [dataDir, task] = process.argv.slice(2)
const began = performance.now()
const took = () => Math.round(performance.now() - began)

try {
  const server = await startEmbedded({ dataDir })
  say({ url: server.url, adopted: server.adopted, ms: took() })
  process.stdin.resume().once('end', () => server.stop().then(() => process.exit(0)))
  if (task === 'write') await writeRows(openDatabase(server.url, { connectionsMax: 2 }))
} catch (error) {
  say({ refused: error.message, ms: took() })
  process.exit(1)
}

async function writeRows({ query }) {
  await query('create table if not exists kept (id bigint generated always as identity, worker int)')
  const write = async (worker) => {
    for (;;) {
      const { rows } = await query('insert into kept (worker) values ($1) returning id::int', [worker])
      say({ row: rows[0].id })
    }
  }
  await Promise.all([write(1), write(2)])
}
