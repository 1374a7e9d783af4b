// What a paid invoice, a dispute and a delivery cost the database, as the table of docs/scaling.md. `npm run bench:capacity`

import { parseArgs } from 'node:util'
import { migrate } from '../../src/database/migrate.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { event, type Journey, paidInvoice, payments, settledDispute } from './journeys.ts'
import { type Cost, Meter } from './measure.ts'
import { openScene } from './scene.ts'
import { printSheet } from './sheet.ts'

const MERCHANTS = 20
const AT_ONCE = 8
/** By then connections are open, statements prepared and code compiled. */
const WARM_UP = 40

const { values: options } = parseArgs({
  options: { times: { type: 'string', default: '400' }, json: { type: 'boolean' } },
})
const times = Number(options.times)

const given = process.env['DATABASE_URL']
const bench = await openBenchDatabase(given)
await migrate(bench.url)
const scene = await openScene(bench.url)
try {
  const { rows } = await bench.client.query('select pg_backend_pid() as pid')
  // A server elsewhere has processes that are none of this machine.
  const meter = new Meter(bench.client, given === undefined && process.platform === 'linux' ? rows[0].pid : undefined)
  const merchants = await Promise.all(
    Array.from({ length: MERCHANTS }, (_, n) => scene.member('BUSINESS', `merchant${n}`)),
  )
  const buyer = await scene.member('PERSONAL', 'buyer')

  let next = 0
  async function measured(journey: Journey): Promise<Cost> {
    const first = next
    const work = async (count: number) => {
      const until = next + count
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (next < until) await journey(next++ - first)
        }),
      )
      await scene.settled()
    }
    await work(WARM_UP)
    return meter.cost(work, times)
  }

  const invoice = await measured(paidInvoice(scene, merchants))
  const made = await payments(scene, merchants, buyer, WARM_UP + 2 * times + 8)
  const dispute = await measured(settledDispute(scene, merchants, buyer, made))
  const unheard = await measured(event(scene, merchants))
  for (const { token } of merchants)
    await scene.call('POST', '/v1/notifications/webhooks', {
      token,
      json: { url: scene.receiver.url(), event_types: [{ name: '*' }] },
    })
  const heard = await measured(event(scene, merchants))
  const costs = {
    'a paid invoice': invoice,
    'a dispute': dispute,
    'an event': unheard,
    'a delivery': less(heard, unheard),
  }
  process.stdout.write(
    options.json ? `${JSON.stringify(costs, undefined, 2)}\n` : printSheet(costs, { times, server: bench.description }),
  )
} finally {
  await scene.close()
  await bench.stop()
}

/** What the one costs more than the other. */
function less(more: Cost, base: Cost): Cost {
  const of = (table: string) => base.tables.find((one) => one.table === table)
  return {
    tables: more.tables
      .map((one) => ({
        ...one,
        rows: one.rows - (of(one.table)?.rows ?? 0),
        bytes: one.bytes - (of(one.table)?.bytes ?? 0),
      }))
      .filter(({ rows }) => rows > 0),
    walSeldom: more.walSeldom - base.walSeldom,
    walOften: more.walOften - base.walOften,
    databaseMs: more.databaseMs === undefined ? undefined : more.databaseMs - base.databaseMs!,
    serviceMs: more.serviceMs - base.serviceMs,
  }
}
