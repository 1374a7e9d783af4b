import { setTimeout as pause } from 'node:timers/promises'
import { Cluster } from './harness/cluster.ts'
import { Ground } from './harness/ground.ts'
import type { Load } from './harness/load.ts'
import { provide } from './harness/packages.ts'
import { until } from './harness/postgres.ts'
import { answersSaid, type Lab, type Part, type Result, seconds, verdictOf } from './harness/result.ts'
import { openStage } from './harness/stage.ts'
import { judge, Probe, TWICE_MAX, type Verdict, verify } from './harness/verify.ts'

const HOLD_MS = 1_000
const BACK_WITHIN_MS = 90_000
/** After the database takes writes again the service must within this. */
const PROMISED_MS = 1_000

interface Series {
  readonly synchronous: boolean
  readonly kills: number
  readonly switches: number
  /** How long before a kill what is committed reaches no standby: only a primary that waits for one loses nothing then. */
  readonly holdMs: number
}

/** How long writes stood still: of the database itself, and then of the service. */
interface Gap {
  readonly databaseMs: number
  readonly serviceMs: number
}

/** A cluster of three whose primary is lost and handed over again and again while clients write. */
export const failover: Part = async (lab) => {
  provide(['postgresql', 'patroni', 'etcd', 'haproxy'], lab.say)
  const control = { synchronous: false, switches: 0, holdMs: HOLD_MS }
  // Where time is short both clusters are looked at together: they mostly wait for their elections.
  if (lab.isReduced)
    return Promise.all([
      series(lab, { synchronous: true, kills: 1, switches: 1, holdMs: 0 }),
      series(lab, { ...control, kills: 1 }),
    ])
  const only = process.env['LAB_ONLY']?.split(',')
  const [kills, switches] = (process.env['LAB_ROUNDS'] ?? '20,10').split(',').map(Number) as [number, number]
  const all: Readonly<Record<string, Series>> = {
    synchronous: { synchronous: true, kills, switches, holdMs: 0 },
    held: { synchronous: true, kills: 3, switches: 0, holdMs: HOLD_MS },
    asynchronous: { ...control, kills: 3 },
  }
  const results: Result[] = []
  for (const [name, plan] of Object.entries(all))
    if (only?.includes(name) ?? true) results.push(await series(lab, plan))
  return results
}

async function series(lab: Lab, plan: Series): Promise<Result> {
  const { synchronous, kills, switches, holdMs } = plan
  const began = performance.now()
  const ground = new Ground('failover')
  try {
    lab.say(`failover: a cluster of three, ${synchronous ? 'synchronous' : 'asynchronous'}`)
    const cluster = await Cluster.open(ground, { synchronous })
    const stage = await openStage(ground, { databaseUrls: [cluster.url, cluster.severalUrl] })
    const probe = new Probe(cluster.url)
    await probe.start()
    const load = stage.newLoad()
    load.start()
    await until(() => load.acknowledged.length > 50, BACK_WITHIN_MS, 'the first writes')
    const gaps: Gap[] = []
    const whileHeld = holdMs > 0 ? () => heldUp(load, synchronous) : undefined
    const rounds = kills + switches
    const switchesBy = (round: number) => Math.floor((round * switches) / rounds)
    for (let round = 0; round < rounds; round++) {
      const isSwitch = switchesBy(round + 1) > switchesBy(round)
      await cluster.whenWhole()
      await pause(500 + Math.random() * 1_000)
      const before = performance.now()
      const bringBack = isSwitch ? await cluster.switchOver() : await cluster.killPrimary({ whileHeld })
      gaps.push(await gapAround(before, probe, load))
      lab.say(
        `failover: ${isSwitch ? 'switched over' : 'killed'}; the database was away ${seconds(gaps.at(-1)!.databaseMs)}, the service ${seconds(gaps.at(-1)!.serviceMs)} longer`,
      )
      await bringBack?.()
    }
    await cluster.whenWhole()
    await load.stop()
    await probe.stop()
    const verdict = await verify(cluster.url, load, stage.farEnds)
    const result = conclude(lab, plan, { load, gaps, verdict, began })
    lab.say(`failover: ${verdictOf(result)}: ${result.outcome}; ${result.clients}`)
    return result
  } finally {
    await ground.close()
  }
}

/** Until something was acknowledged that no standby has; where one is waited for, nothing is. */
async function heldUp(load: Load, synchronous: boolean): Promise<void> {
  const before = load.acknowledged.length
  await pause(HOLD_MS)
  if (!synchronous) await until(() => load.acknowledged.length > before + 4, BACK_WITHIN_MS, 'writes to lose')
}

/** The longest time without a write around the fault: between two of the probe, and from there to one of a client. */
async function gapAround(before: number, probe: Probe, load: Load): Promise<Gap> {
  const after = performance.now()
  await until(() => probe.firstAfter(after) !== undefined, BACK_WITHIN_MS, 'the database to take writes again')
  const { ms: databaseMs, end: back } = probe.longestGap(before)
  await until(() => load.firstAfter(back) !== undefined, BACK_WITHIN_MS, 'the service to take writes again')
  return { databaseMs, serviceMs: load.firstAfter(back)! - back }
}

interface Conclusion {
  readonly load: Load
  readonly gaps: readonly Gap[]
  readonly verdict: Verdict
  readonly began: number
}

function conclude(
  lab: Lab,
  { synchronous, kills, switches, holdMs }: Series,
  { load, gaps, verdict, began }: Conclusion,
): Result {
  const database = Math.max(...gaps.map(({ databaseMs }) => databaseMs))
  const service = Math.max(...gaps.map(({ serviceMs }) => serviceMs))
  const within = gaps.filter(({ serviceMs }) => serviceMs <= PROMISED_MS).length
  const ordinary = load.acknowledged.map(({ at, beganAt }) => at - beganAt).sort((a, b) => a - b)
  const held = holdMs > 0 ? `, its replication held up for ${seconds(holdMs)} before` : ''
  const switched = switches > 0 ? ` and switched over ${switches} times` : ''
  const what = `primary killed ${kills} times${held}${switched}; three nodes, two services`
  // While replication is held up, what was delivered is not kept for good either, and is delivered again.
  const { isMet, said } = judge(lab, verdict, { twiceMax: holdMs > 0 ? 1 : TWICE_MAX })
  return {
    part: 'failover',
    what: synchronous ? `synchronous: ${what}` : `asynchronous, as a control that must be able to lose: ${what}`,
    outcome: said,
    clients: `${answersSaid(load.answers)}; the database was away for up to ${seconds(database)}, the service for up to ${seconds(service)} longer, in ${within} of ${gaps.length} within a second; of all writes half took ${seconds(ordinary[ordinary.length >> 1] ?? 0)} or less`,
    // How long it took is no fault of a machine that does other things.
    isMet: synchronous ? isMet && (lab.isReduced || service <= PROMISED_MS) : verdict.lost > 0,
    seconds: Math.round((performance.now() - began) / 1000),
  }
}
