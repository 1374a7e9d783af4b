/** One line of the lab's table. */
export interface Result {
  readonly part: string
  readonly what: string
  /** What was lost, doubled or failed, in figures. */
  readonly outcome: string
  /** What clients met, and for how long. */
  readonly clients: string
  readonly isMet: boolean
  /** Nothing was tried, because what it takes is not on this machine. */
  readonly isLeftOut?: boolean
  readonly seconds: number
}

/** In a word, what became of it. */
export const verdictOf = ({ isMet, isLeftOut }: Pick<Result, 'isMet' | 'isLeftOut'>): string =>
  isLeftOut ? 'not tried' : isMet ? 'met' : 'NOT MET'

/** What every part of the lab is given. */
export interface Lab {
  readonly isReduced: boolean
  say(text: string): void
}

export type Part = (lab: Lab) => Promise<Result[]>

/** The answers other than success, most frequent first. */
export function answersSaid(answers: Readonly<Record<string, number>>): string {
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
  const others = Object.entries(answers)
    .filter(([answer]) => !/^2\d\d$/.test(answer))
    .sort(([, a], [, b]) => b - a)
    .map(([answer, count]) => `${count} × ${answer}`)
  return `${total} calls${others.length === 0 ? ', all answered' : `: ${others.join(', ')}`}`
}

/** What went wrong, with what was behind it: `fetch` only says that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

/** How long something took, beside what it gave. */
export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const began = performance.now()
  const value = await work()
  return { value, seconds: Math.round((performance.now() - began) / 1000) }
}

export function printTable(results: readonly Result[]): string {
  const cell = (text: string) => text.replaceAll('|', '/')
  const lines = results.map(
    ({ part, what, outcome, clients, seconds: took, ...result }) =>
      `| ${part} | ${cell(what)} | ${cell(outcome)} | ${cell(clients)} | ${took} s | ${verdictOf(result).replace('NOT MET', '**not met**')} |`,
  )
  return [
    '| Part | What happened | Lost, doubled, failed | What clients saw | Took | |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}
