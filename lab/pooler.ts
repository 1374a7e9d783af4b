import { setTimeout as pause } from 'node:timers/promises'
import { Ground } from './harness/ground.ts'
import { provide } from './harness/packages.ts'
import { type Pgbouncer, type PoolMode, pgbouncerVersion, startPgbouncer } from './harness/pgbouncer.ts'
import { ask, canQuery, Postgres, until } from './harness/postgres.ts'
import { answersSaid, type Lab, type Part, type Result, seconds, timed, verdictOf } from './harness/result.ts'
import { openStage } from './harness/stage.ts'
import { failedOf, runTests } from './harness/tests.ts'
import { judge, verify } from './harness/verify.ts'

/** Far fewer than the services have connections. */
const POOL_SIZE = 8

const works = {
  session: (lab: Lab) => sales(lab, 'session'),
  transaction: (lab: Lab) => sales(lab, 'transaction'),
  prepared: (lab: Lab) => keeping(lab, 200),
  few: (lab: Lab) => keeping(lab, 5),
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
    lab.say(`pooler: ${verdictOf(result)}: ${result.outcome}; ${result.clients}`)
    results.push(result)
  }
  return results
}

/** A pooler that keeps so many prepared statements at a server, and is started again under load, as the server is. */
async function keeping(lab: Lab, statementsMax: number): Promise<Result> {
  const { version, keepsStatements } = pgbouncerVersion()
  if (keepsStatements) return sales(lab, 'transaction', statementsMax)
  const what = `pgbouncer in transaction mode that keeps ${statementsMax} prepared statements at a server`
  const outcome = `pgbouncer ${version} keeps none, 1.21 and newer do (LAB_PGBOUNCER names another)`
  return { part: 'pooler', what, outcome, clients: '', isMet: true, isLeftOut: true, seconds: 0 }
}

/** How many statements a server holds that the pooler prepared for its clients. */
async function preparedBehind(url: string): Promise<number> {
  const [held] = await ask<{ count: number }>(
    url,
    "select count(*)::int as count from pg_prepared_statements where name like 'PGBOUNCER_%'",
  )
  return held!.count
}

async function restartBoth(pgbouncer: Pgbouncer, server: Postgres): Promise<void> {
  await pgbouncer.restart()
  await pause(2_000)
  await server.stop()
  await server.start()
  await until(() => canQuery(pgbouncer.url), 30_000, 'the pooler to find the server')
}

async function sales(lab: Lab, mode: PoolMode, statementsMax?: number): Promise<Result> {
  lab.say(
    `pooler: two services in ${mode} mode${statementsMax === undefined ? '' : `, ${statementsMax} statements kept`}`,
  )
  const ground = new Ground(`pooler-${mode}`)
  try {
    const server = await Postgres.open(ground)
    // A session is kept for as long as its client, so there must be one for each connection.
    const poolSize = mode === 'session' ? 60 : POOL_SIZE
    const pgbouncer = await startPgbouncer(ground, {
      mode,
      serverPort: server.port,
      poolSize,
      ...(statementsMax !== undefined && { statementsMax }),
    })
    const { url } = pgbouncer
    const { value, seconds: took } = await timed(async () => {
      const stage = await openStage(ground, {
        databaseUrls: [url, url],
        variables: { DATABASE_DIRECT_URL: server.url },
      })
      const load = stage.newLoad({ clients: 12 })
      load.start()
      const half = lab.isReduced ? 1_500 : 30_000
      await pause(half)
      if (statementsMax !== undefined) await restartBoth(pgbouncer, server)
      await pause(half)
      const prepared = statementsMax === undefined ? undefined : await preparedBehind(url)
      await load.stop()
      const [most] = await ask<{ count: number }>(
        server.url,
        "select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and application_name <> '' and application_name not like 'quittance broadcast%'",
      )
      return {
        load,
        prepared,
        servers: most!.count,
        verdict: judge(lab, await verify(server.url, load, stage.farEnds)),
      }
    })
    const { load, prepared, servers, verdict } = value
    const kept =
      prepared === undefined
        ? ''
        : `; it keeps ${statementsMax} statements at a server, ${prepared} prepared at one; it and the server were started again`
    return {
      part: 'pooler',
      what: `pgbouncer in ${mode} mode that refuses start parameters; two services with 20 connections each, ${servers} at the server${kept}`,
      outcome: verdict.said,
      clients: `${answersSaid(load.answers)}; the slowest took ${seconds(load.slowestMs)}`,
      // A pooler whose statements nobody names shows nothing.
      isMet: verdict.isMet && prepared !== 0,
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
    const { url } = await startPgbouncer(ground, {
      mode: 'transaction',
      serverPort: server.port,
      poolSize: POOL_SIZE,
      ...(pgbouncerVersion().keepsStatements && { statementsMax: 200 }),
    })
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
