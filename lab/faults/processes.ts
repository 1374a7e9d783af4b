import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Ground, signal } from '../harness/ground.ts'
import { fakeTime } from '../harness/packages.ts'
import { until } from '../harness/postgres.ts'
import type { Lab } from '../harness/result.ts'
import type { BadDay } from './scene.ts'

const killsOf = ({ isReduced }: Lab) => (isReduced ? 3 : Number(process.env['LAB_ROUNDS']?.split(',')[0] ?? 100))
/**
 * What a process had sent and not yet written down when it was killed is sent again, however much it did before. So that a share
 * says something, so many events come between two kills: still a crash every few seconds at a hundred a second.
 */
const EVENTS_BETWEEN = 400
const ARRIVE_WITHIN_MS = 300_000

/** What happens to the services themselves. */
export const processDays: readonly BadDay[] = [
  {
    name: 'kill',
    what: (lab) =>
      `a service killed with SIGKILL, ${killsOf(lab)} times, the two in turn, each after ${lab.isReduced ? 'a moment' : `${EVENTS_BETWEEN} events`}`,
    interrupted: killsOf,
    async run({ lab, stage }) {
      for (let round = 0; round < killsOf(lab); round++) {
        const service = stage.services[round % 2]!
        const enough = stage.farEnds.events.size + (lab.isReduced ? 0 : EVENTS_BETWEEN)
        await until(() => stage.farEnds.events.size >= enough, ARRIVE_WITHIN_MS, 'events to be delivered')
        await pause(Math.random() * 1_000)
        await service.end('SIGKILL')
        await service.again()
        if (round % 10 === 9) lab.say(`faults: killed ${round + 1} times`)
      }
      return ''
    },
  },
  {
    name: 'stop',
    what: ({ isReduced }) =>
      `a service stopped with SIGSTOP for ${isReduced ? 4 : 60} s in the middle of its work, then let go on`,
    interrupted: () => 1,
    async run({ lab, stage }) {
      const { pid } = stage.services[0]!.running
      signal(pid, 'SIGSTOP')
      await pause(lab.isReduced ? 4_000 : 60_000)
      signal(pid, 'SIGCONT')
      await pause(2_000)
      return 'whoever met the stopped service waited for its own limit and asked the other'
    },
  },
  {
    name: 'clock',
    what: ({ isReduced }) =>
      `the clock of one service's machine ${isReduced ? '2 h ahead' : '2 h and 3 days ahead and behind'}, and right again`,
    async run({ lab, ground, stage }) {
      for (const offset of lab.isReduced ? ['+2h'] : ['+2h', '-2h', '+3d', '-3d']) {
        const file = clockFile(ground)
        writeFileSync(file, '+0\n')
        await stage.services[1]!.end('SIGTERM')
        const skewed = await stage.start(`service-skewed${offset}`, {
          PORT: new URL(stage.urls[1]!).port,
          LD_PRELOAD: fakeTime()!,
          FAKETIME_TIMESTAMP_FILE: file,
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        })
        await pause(1_000)
        // It jumps while the service runs, and jumps back.
        writeFileSync(file, `${offset}\n`)
        await pause(lab.isReduced ? 3_000 : 20_000)
        writeFileSync(file, '+0\n')
        await pause(1_000)
        await skewed.end('SIGTERM')
        await stage.services[1]!.again()
      }
      return ''
    },
  },
]

function clockFile(ground: Ground): string {
  const folder = join(ground.folder, 'clock')
  mkdirSync(folder, { recursive: true })
  return join(folder, 'offset')
}
