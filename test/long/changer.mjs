// The compiled service in a process of its own, which makes state changes and tells of each one that was acknowledged.
import { pino } from 'pino'
import { openApp } from '../../dist/app.js'
import { readSettings } from '../../dist/settings.js'

const AT_ONCE = 24
const RESOURCES = 500
const ACKS_EVERY_MS = 20

const [databaseUrl = '', from = '0', to = '0', signatures = 'both'] = process.argv.slice(2)
const variables = { LOG_LEVEL: 'silent', PORT: '0', WEBHOOK_RETRY_SPEED: '100', WEBHOOK_SIGNATURES: signatures }
const settings = readSettings(variables)
// Whoever has to wait on a busy machine waits: a refusal would end this process, and nothing would be learned.
const patience = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
const app = await openApp({ settings, databaseUrl, log: pino({ level: settings.logLevel }), works: true, ...patience })

let next = Number(from)
let acked = []
setInterval(() => {
  if (acked.length > 0) process.send?.({ acked })
  acked = []
}, ACKS_EVERY_MS)

async function change(n) {
  await app.transact(async (tx) =>
    tx.emit({
      accountId: 'MERCHANTAAAAA',
      appId: 'APP-SANDBOXMERCHANT01',
      type: 'INVOICING.INVOICE.UPDATED',
      resourceId: `R${n % RESOURCES}`,
      resource: { change: n },
      summary: 'An invoice changed.',
    }),
  )
  acked.push(n)
}

await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < Number(to)) await change(next++)
  }),
)
process.send?.({ acked, done: true })
