import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Ground } from './harness/ground.ts'
import { draft, tokenOf } from './harness/load.ts'
import { provide } from './harness/packages.ts'
import { ask, Postgres, until } from './harness/postgres.ts'
import { answersSaid, type Lab, type Part, type Result, seconds } from './harness/result.ts'
import { liveVariables, presentProgram } from './harness/service.ts'
import { openStage, type Stage } from './harness/stage.ts'
import { judge, storedKeys, verify } from './harness/verify.ts'

/** How many rows there are, the second time ten times as many: memory may not follow them. */
const ROWS = { whole: [20_000, 200_000], reduced: [1_000, 10_000] } as const
const MEMORY_SLACK_MB = 60

/** Everything a database holds into a file and out of it again while clients write, with few rows and with many. */
export const backup: Part = async (lab) => {
  provide(['postgresql'], lab.say)
  const began = performance.now()
  const ground = new Ground('backup')
  try {
    const [server, target] = [
      await Postgres.open(ground),
      await Postgres.open(ground, { folder: ground.newFolder('b') }),
    ]
    const stage = await openStage(ground, { databaseUrls: [server.url] })
    const load = stage.newLoad({ clients: 2 })
    load.start()
    await until(() => load.acknowledged.length > 30, 300_000, 'the first writes')
    const [few, many] = lab.isReduced ? ROWS.reduced : ROWS.whole
    await multiply(stage, server.url, few / 2)
    const small = await thereAndBack(lab, ground, { server, target, name: 'few' })
    await multiply(stage, server.url, (many - few) / 2)
    const before = [...load.acknowledged]
    const large = await thereAndBack(lab, ground, { server, target, name: 'many' })
    const brought = await storedKeys(target.url)
    const missing = before.filter(({ kind, key }) => !brought[kind].has(key)).length
    await load.stop()
    // Nobody was told of the copies, so nobody shall look for them.
    for (const table of ['invoices', 'events']) await ask(server.url, `delete from ${table} where id like '%-copy-%'`)
    const verdict = judge(lab, await verify(server.url, load, stage.farEnds))
    const said = ({ rows, megabytes, saved, restored }: Journey) =>
      `${rows} rows in ${megabytes.toFixed(1)} MB: written in ${seconds(saved.ms)} with at most ${Math.round(saved.memoryMb)} MB of memory, restored and checked in ${seconds(restored.ms)} with ${Math.round(restored.memoryMb)} MB`
    const isBounded = (['saved', 'restored'] as const).every(
      (way) => large[way].memoryMb <= small[way].memoryMb + MEMORY_SLACK_MB,
    )
    const result: Result = {
      part: 'backup',
      what: 'a backup while clients write, restored elsewhere; then with ten times the rows',
      outcome: `${missing} of ${before.length} writes acknowledged before it are missing in what was restored; ${said(small)}; ${said(large)}; the service meanwhile: ${verdict.said}`,
      clients: `${answersSaid(load.answers)}; the slowest took ${seconds(load.slowestMs)}`,
      isMet: verdict.isMet && missing === 0 && (isBounded || lab.isReduced) && large.rows >= many,
      seconds: Math.round((performance.now() - began) / 1000),
    }
    return [result]
  } finally {
    await ground.close()
  }
}

interface Cost {
  readonly ms: number
  readonly memoryMb: number
}

interface Journey {
  readonly rows: number
  readonly megabytes: number
  readonly saved: Cost
  readonly restored: Cost
}

async function thereAndBack(
  lab: Lab,
  ground: Ground,
  { server, target, name }: { server: Postgres; target: Postgres; name: string },
): Promise<Journey> {
  const file = join(ground.newFolder('files'), `${name}.backup`)
  const saved = await commandCost(ground, ['backup', file], server.url)
  const restored = await commandCost(ground, ['restore', file, '--replace'], target.url)
  // Only PostgreSQL knows how many rows came, whatever the command says.
  const [row] = await ask<{ rows: number }>(
    target.url,
    'select (count(*) + (select count(*) from events))::int as rows from invoices',
  )
  const journey = { rows: row!.rows, megabytes: statSync(file).size / 1024 ** 2, saved, restored }
  lab.say(`backup: ${JSON.stringify(journey)}`)
  return journey
}

/** Runs a command to its end: how long it took, and the most memory it ever had. */
async function commandCost(ground: Ground, words: readonly string[], databaseUrl: string): Promise<Cost> {
  const began = performance.now()
  let said = ''
  const running = ground.start(words[0]!, [process.execPath, presentProgram, ...words], {
    env: liveVariables(databaseUrl),
    onOutput: (text) => {
      said += text
    },
  })
  let memoryMb = 0
  const watch = setInterval(() => {
    memoryMb = Math.max(memoryMb, peakOf(running.pid))
  }, 50)
  const code = await running.ended
  clearInterval(watch)
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${said}`)
  return { ms: performance.now() - began, memoryMb }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const copyDraft = `
  insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
    business_names, reference, memo, item_text, grams)
  select account_id, id || '-copy-' || n, jsonb_set(body, '{id}', to_jsonb(id || '-copy-' || n)), create_time, number_key || '-' || n, amount_minor,
    emails, first_names, last_names, business_names, reference, memo, item_text, grams
  from invoices, generate_series(1, $2::int) as n where id = $1`

const copyEvent = `
  insert into events (account_id, id, app_id, type, resource_id, body, create_time)
  select account_id, id || '-copy-' || $1 || '-' || n, app_id, type, resource_id, body, create_time
  from (select * from events order by seq limit 1) e, generate_series(1, $2::int) as n`

/** So many further drafts and as many further events, as copies of one. */
async function multiply({ urls, merchant }: Stage, databaseUrl: string, count: number): Promise<void> {
  const response = await fetch(`${urls[0]}/v2/invoicing/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await tokenOf(urls[0]!, merchant)}`, 'content-type': 'application/json' },
    body: JSON.stringify(draft(`copied ${count}`)),
  })
  const { href, id = href.split('/').at(-1)! } = (await response.json()) as { href: string; id?: string }
  await ask(databaseUrl, copyDraft, [id, count])
  await ask(databaseUrl, copyEvent, [String(count), count])
}
