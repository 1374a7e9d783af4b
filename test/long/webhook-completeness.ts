// 100,000 state changes, 20 kill -9: everything committed arrives. `npm run test:long:webhooks -- [changes] [kills]`
import { openBenchDatabase } from '../../bench/harness/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { measureCompleteness } from './completeness.ts'

const [changes = '100000', kills = '20'] = process.argv.slice(2)
const server = await openBenchDatabase(process.env['DATABASE_URL'])
await migrate(server.url)
const outcome = await measureCompleteness(server.url, { changes: Number(changes), kills: Number(kills) })
process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`)
await server.stop()
const isComplete = outcome.lost + outcome.missing + outcome.unexpected === 0
process.exit(isComplete ? 0 : 1)
