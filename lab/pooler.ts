import { setTimeout as pause } from 'node:timers/promises'
import { Ground } from './harness/ground.ts'
import { provide } from './harness/packages.ts'
import { type PoolMode, startPgbouncer } from './harness/pgbouncer.ts'
import { ask, Postgres } from './harness/postgres.ts'
import { answersSaid, type Lab, type Part, type Result, seconds, timed } from './harness/result.ts'
import { openStage } from './harness/stage.ts'
import { failedOf, runTests } from './harness/tests.ts'
import { judge, verify } from './harness/verify.ts'

/** Far fewer than the services have connections. */
const POOL_SIZE = 8

const works = {
  session: (lab: Lab) => sales(lab, 'session'),
  transaction: (lab: Lab) => sales(lab, 'transaction'),
  scenarios,
}

/** Services and the scenarios of the tests behind pgbouncer, which refuses start parameters. */
export const pooler: Part = async (lab) => {
  provide(['postgresql', 'pgbouncer'], lab.say)
  const only = process.env['LAB_ONLY']?.split(',')
  const results: Result[] = []
  for (const [name, work] of Object.entries(works)) {
    if (only && !only.includes(name)) continue
    const result = await work(lab)
    lab.say(`pooler: ${result.isMet ? 'met' : 'NOT MET'}: ${result.outcome}; ${result.clients}`)
    results.push(result)
  }
  return results
}

async function sales(lab: Lab, mode: PoolMode): Promise<Result> {
  lab.say(`pooler: two services in ${mode} mode`)
  const ground = new Ground(`pooler-${mode}`)
  try {
    const server = await Postgres.open(ground)
    // A session is kept for as long as its client, so there must be one for each connection.
    const poolSize = mode === 'session' ? 60 : POOL_SIZE
    const url = await startPgbouncer(ground, { mode, serverPort: server.port, poolSize })
    const { value, seconds: took } = await timed(async () => {
      const stage = await openStage(ground, {
        databaseUrls: [url, url],
        variables: { DATABASE_DIRECT_URL: server.url },
      })
      const load = stage.newLoad({ clients: 12 })
      load.start()
      await pause(lab.isReduced ? 3_000 : 60_000)
      await load.stop()
      const [most] = await ask<{ count: number }>(
        server.url,
        "select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and application_name <> '' and application_name not like 'quittance broadcast%'",
      )
      return { load, servers: most!.count, verdict: judge(lab, await verify(server.url, load, stage.farEnds)) }
    })
    const { load, servers, verdict } = value
    return {
      part: 'pooler',
      what: `pgbouncer in ${mode} mode that refuses start parameters; two services with 20 connections each, ${servers} at the server`,
      outcome: verdict.said,
      clients: `${answersSaid(load.answers)}; the slowest took ${seconds(load.slowestMs)}`,
      isMet: verdict.isMet,
      seconds: took,
    }
  } finally {
    await ground.close()
  }
}

/** The scenarios of the tests, each world of them behind the pooler. */
async function scenarios(lab: Lab): Promise<Result> {
  const whole = ['test/scenarios', 'test/faults/invoices', 'test/faults/payer', 'test/faults/jobs']
  const folders = process.env['LAB_TESTS']?.split(',') ?? (lab.isReduced ? ['test/scenarios/ledger'] : whole)
  lab.say(`pooler: ${folders.join(', ')} in transaction mode`)
  const ground = new Ground('pooler-scenarios')
  try {
    const server = await Postgres.open(ground, {
      settings: 'fsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 400',
    })
    const url = await startPgbouncer(ground, { mode: 'transaction', serverPort: server.port, poolSize: POOL_SIZE })
    const { value: report, seconds: took } = await timed(() =>
      runTests(ground, folders, { DATABASE_URL: server.url, TEST_POOLER_URL: url }),
    )
    const failed = failedOf(report)
    for (const fullName of failed) lab.say(`pooler: failed: ${fullName}`)
    const { numPassedTests: passed, numTotalTests: total } = report
    return {
      part: 'pooler',
      what: `${folders.join(', ')} with every world behind pgbouncer in transaction mode`,
      outcome: `${passed} of ${total} tests pass`,
      clients: failed.length === 0 ? 'the same as without a pooler' : failed.slice(0, 5).join('; '),
      isMet: passed === total && total > 0,
      seconds: took,
    }
  } finally {
    await ground.close()
  }
}
