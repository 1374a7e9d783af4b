import { fileURLToPath } from 'node:url'
import { nextMessage, startChild } from '../harness/child.ts'
import { quantile } from '../harness/statistics.ts'
import type { NoisyOrder } from './noisy.ts'
import { openQuiet, type Waits } from './quiet.ts'
import { openScene } from './scene.ts'

const REQUIRED = 3
const kinds = ['read', 'pay', 'delivery'] as const

/** One figure of the comparison. */
export interface NeighbourFigure {
  readonly kind: (typeof kinds)[number]
  readonly count: number
  readonly aloneMs: number
  readonly besideMs: number
  readonly ratio: number
  readonly isMet: boolean
}

/**
 * What a merchant waits for when another does the worst that the limits allow, against what they wait for alone: two
 * processes of a live service with its default limits, on one PostgreSQL. Alone comes first and last, so that what else
 * the machine does weighs on both.
 */
export async function measureNeighbours(
  databaseUrl: string | undefined,
  { seconds, say }: { seconds: number; say(text: string): void },
): Promise<NeighbourFigure[]> {
  const scene = await openScene(databaseUrl)
  const noisy = startChild(['--import', 'tsx', fileURLToPath(new URL('noisy.ts', import.meta.url))])
  const tell = async (message: NoisyOrder | 'begin' | 'end') => {
    const answer = nextMessage<{ calls: number }>(noisy)
    noisy.process.send(message)
    return (await answer).calls
  }
  try {
    const quiet = await openQuiet(scene, await scene.merchant('quiet', 6))
    const { tokens } = await scene.merchant('noisy', 3)
    await tell({ urls: scene.urls, tokens })
    say('neighbours-api: warming up')
    await quiet.during(seconds / 3)
    const before = await quiet.during(seconds)
    say('neighbours-api: beside a noisy merchant')
    await tell('begin')
    // Both are warm when it counts: what runs for the first time is compiled first.
    await quiet.during(seconds / 3)
    const beside = await quiet.during(2 * seconds)
    say(`neighbours-api: they made ${await tell('end')} calls`)
    await quiet.during(seconds / 3)
    const after = await quiet.during(seconds)
    quiet.close()
    return kinds.map((kind) => figureOf(kind, [...before[kind], ...after[kind]], beside))
  } finally {
    await noisy.stop()
    await scene.close()
  }
}

function figureOf(kind: NeighbourFigure['kind'], alone: readonly number[], beside: Waits): NeighbourFigure {
  const [aloneMs, besideMs] = [p99(alone), p99(beside[kind])]
  const ratio = besideMs / aloneMs
  return { kind, count: beside[kind].length, aloneMs, besideMs, ratio, isMet: ratio < REQUIRED }
}

const p99 = (waits: readonly number[]) => quantile(waits, 0.99)

export const printNeighbours = (figures: readonly NeighbourFigure[]): string =>
  [
    'neighbours-api: p99 beside a merchant who does the worst that the limits allow, and alone',
    ...figures.map(
      ({ kind, count, aloneMs, besideMs, ratio, isMet }) =>
        `  ${kind.padEnd(8)}  ${besideMs.toFixed(0)} ms against ${aloneMs.toFixed(0)} ms = ${ratio.toFixed(2)} (below ${REQUIRED}; ${count} of them) ${isMet ? 'met' : 'NOT MET'}`,
    ),
    '',
  ].join('\n')
