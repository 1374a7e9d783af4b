import { Ground } from '../harness/ground.ts'
import type { Load } from '../harness/load.ts'
import { Postgres, until } from '../harness/postgres.ts'
import { answersSaid, type Lab, type Result, seconds } from '../harness/result.ts'
import { openStage, type Stage } from '../harness/stage.ts'
import { judge, verify } from '../harness/verify.ts'

/** What a bad day needs: a server, two services, and clients that write. */
export interface Scene {
  readonly lab: Lab
  readonly ground: Ground
  readonly server: Postgres
  readonly stage: Stage
  readonly load: Load
}

export interface BadDay {
  readonly name: string
  readonly what: (lab: Lab) => string
  readonly settings?: string
  /** How often a process was ended or stopped in the middle of its work, mails under way among it. */
  readonly interrupted?: (lab: Lab) => number
  readonly variables?: Record<string, string>
  /** Leads the services to the database by another way, or puts its data elsewhere. */
  readonly way?: (ground: Ground, server: Postgres) => Promise<string>
  readonly folder?: (ground: Ground) => string
  /** Does it, and says more about what was seen; it must have ended when this comes back. */
  run(scene: Scene): Promise<string>
}

const FIRST_WITHIN_MS = 300_000
const BACK_WITHIN_MS = 120_000

/** One bad day on a stage of its own: what was lost, what clients saw, and how long writes stood still. */
export async function live(lab: Lab, day: BadDay): Promise<Result> {
  const began = performance.now()
  const ground = new Ground(day.name)
  try {
    lab.say(`faults: ${day.what(lab)}`)
    const folder = day.folder?.(ground)
    const server = await Postgres.open(ground, {
      ...(folder !== undefined && { folder }),
      settings: day.settings ?? '',
    })
    const url = (await day.way?.(ground, server)) ?? server.url
    const stage = await openStage(ground, { databaseUrls: [url, url], variables: day.variables ?? {} })
    const load = stage.newLoad()
    load.start()
    await until(() => load.acknowledged.length > 30, FIRST_WITHIN_MS, 'the first writes')
    const before = performance.now()
    const more = await day.run({ lab, ground, server, stage, load })
    const after = performance.now()
    await until(() => load.firstAfter(after) !== undefined, BACK_WITHIN_MS, 'writes to work again')
    const stood = longestPause(load, before)
    const backMs = load.firstAfter(after)! - after
    await load.stop()
    const verdict = judge(lab, await verify(server.url, load, stage.farEnds), {
      interrupted: day.interrupted?.(lab) ?? 0,
    })
    return {
      part: 'faults',
      what: day.what(lab),
      outcome: verdict.said + (load.failures.length > 0 ? ` (${load.failures[0]})` : ''),
      clients: `${answersSaid(load.answers)}; no write for up to ${seconds(stood)}, the first ${seconds(backMs)} after the end; the slowest answer took ${seconds(load.slowestMs)}${more === '' ? '' : `; ${more}`}`,
      isMet: verdict.isMet,
      seconds: Math.round((performance.now() - began) / 1000),
    }
  } finally {
    await ground.close()
  }
}

function longestPause(load: Load, since: number): number {
  let last = since
  let longest = 0
  for (const { at } of load.acknowledged) {
    if (at < since) continue
    longest = Math.max(longest, at - last)
    last = at
  }
  return longest
}
