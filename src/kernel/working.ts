/** Somebody whose use of the processor is counted. */
export interface Worked {
  spent(milliseconds: number): void
}

/** One in so many stretches of work is also measured by the system's own count. Reading that takes longer than many stretches. */
const LOOK_AT_EACH = 64
/** So many milliseconds are measured before the result is believed. */
const LOOKED_AT_MS = 20

let current: Worked | undefined
let since = 0
let isEnding = false
let stretches = 0
let cpuSince: number | undefined
let lookedAt = { ms: 0, cpuMs: 0 }
/** The share of the time that really was ours while we worked. The rest went to others on the machine. */
let ours = 1

/**
 * From here on, work is done for this one, until the event loop turns to something else. Whoever waits for an answer goes on
 * for the same one. A context that follows every promise by itself would slow down each of them.
 */
export function workFor(one: Worked): void {
  if (one === current) return
  settle()
  current = one
  cpuSince = ++stretches % LOOK_AT_EACH === 0 ? cpuMs() : undefined
  if (isEnding) return
  isEnding = true
  // Runs when everything that follows from this event is done. A tick alone would come before the promises that the event
  // settles.
  queueMicrotask(() => process.nextTick(end))
}

/** Asks for something that is answered later. What follows from the answer is done for the same one. */
export function answerTo<Result>(ask: (answered: (error?: Error, result?: Result) => void) => void): Promise<Result> {
  const one = current
  return new Promise((resolve, reject) =>
    ask((error, result) => {
      if (one) workFor(one)
      if (error) reject(error)
      // If there is no error, there is a result.
      else resolve(result as Result)
    }),
  )
}

/** Lets everything else that waits have its turn, and then goes on for the same one. For use between two parts of long work. */
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
