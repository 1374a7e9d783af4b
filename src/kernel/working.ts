/** Somebody whose work is counted. */
export interface Worked {
  spent(milliseconds: number): void
}

/** After this much counted work the system is asked how much of it this process really had of a processor. */
const BETWEEN_LOOKS_MS = 100

let current: Worked | undefined
let since = 0
let isEnding = false
let counted = { ms: 0, cpuMs: 0 }
/** What others on the machine leave of the time that passes while we work. */
let ours = 1

/**
 * What is done from here on is done for this one, until the event loop turns to something else; whoever waits for an
 * answer goes on for the same. A context that follows every promise by itself would cost each of them.
 */
export function workFor(one: Worked): void {
  if (one === current) return
  settle()
  current = one
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

function end(): void {
  isEnding = false
  settle()
  current = undefined
}

function settle(): void {
  const now = performance.now()
  if (current) {
    const ms = now - since
    current.spent(ms * ours)
    counted.ms += ms
    if (counted.ms > BETWEEN_LOOKS_MS) look()
  }
  since = now
}

/** The process cannot have worked more than the system says, with all of its threads; less, if others were given its time. */
function look(): void {
  const { user, system } = process.cpuUsage()
  const cpuMs = (user + system) / 1000
  ours = Math.min(1, (cpuMs - counted.cpuMs) / counted.ms)
  counted = { ms: 0, cpuMs }
}
