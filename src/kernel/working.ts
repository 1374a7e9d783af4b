/** Somebody whose work is counted. */
export interface Worked {
  spent(milliseconds: number): void
}

/** Of so many stretches of work one is also looked at by the system's count, which takes longer than many of them. */
const LOOK_AT_EACH = 64
/** So much is looked at before it is believed. */
const LOOKED_AT_MS = 20

let current: Worked | undefined
let since = 0
let isEnding = false
let stretches = 0
let cpuSince: number | undefined
let lookedAt = { ms: 0, cpuMs: 0 }
/** What others on the machine leave us of the time that passes while we work. */
let ours = 1

/**
 * What is done from here on is done for this one, until the event loop turns to something else; whoever waits for an
 * answer goes on for the same. A context that follows every promise by itself would cost each of them.
 */
export function workFor(one: Worked): void {
  if (one === current) return
  settle()
  current = one
  cpuSince = ++stretches % LOOK_AT_EACH === 0 ? cpuMs() : undefined
  if (isEnding) return
  isEnding = true
  // Runs when all that follows from this event was done. A tick by itself would come before the promises that it settles.
  queueMicrotask(() => process.nextTick(end))
}

/** Asks for something that is answered later; what follows from the answer is done for the same. */
export function answerTo<Result>(ask: (answered: (error?: Error, result?: Result) => void) => void): Promise<Result> {
  const one = current
  return new Promise((resolve, reject) =>
    ask((error, result) => {
      if (one) workFor(one)
      if (error) reject(error)
      // Without an error there is a result.
      else resolve(result as Result)
    }),
  )
}

/** Lets everything that waits have its turn; then goes on for the same. For use between two parts of a long work. */
export const letOthersIn = (): Promise<void> => answerTo((answered) => setImmediate(answered))

function end(): void {
  isEnding = false
  settle()
  current = undefined
}

function settle(): void {
  const now = performance.now()
  if (current) {
    const ms = now - since
    if (cpuSince !== undefined) look(ms, cpuMs() - cpuSince)
    current.spent(ms * ours)
  }
  since = now
}

function look(ms: number, cpuMs: number): void {
  lookedAt.ms += ms
  lookedAt.cpuMs += cpuMs
  if (lookedAt.ms < LOOKED_AT_MS) return
  ours = Math.min(1, lookedAt.cpuMs / lookedAt.ms)
  lookedAt = { ms: 0, cpuMs: 0 }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
