import type { Logger } from 'pino'
import { isAlive } from '../database/embedded/cluster.ts'

/** Both npm and the terminal may pass on one and the same interrupt; what comes within this time is one signal. */
const SAME_SIGNAL_MS = 500
const PARENT_POLL_MS = 250
/** Whoever started us, noted at once: it may be gone before we are ready. */
const parent = process.ppid

interface Stopping {
  /** Whether the end of whoever started us is a reason. */
  readonly withParent: boolean
  /** Called before the process ends without waiting for anything. */
  atOnce(): void
}

/** Waits for the first reason to stop: a signal, an error nobody caught, or the end of whoever started us. */
export function stopped(log: Logger, { withParent, atOnce }: Stopping): Promise<void> {
  return new Promise((resolve) => {
    let since: number | undefined
    const stop = (reason: string) => {
      if (since !== undefined) return
      since = performance.now()
      log.info({ reason }, 'shutting down')
      resolve()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        // The second signal is from somebody who does not want to wait.
        if (since !== undefined && performance.now() - since > SAME_SIGNAL_MS) {
          atOnce()
          process.exit(1)
        }
        stop(signal)
      })
    // An error nobody caught leaves unknown state behind: stop in order, and let whoever started us start us again.
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error) => {
        log.fatal({ err: error }, 'uncaught error, shutting down')
        process.exitCode = 1
        stop(event)
      })
    // Whoever read our output may be gone; that alone is no reason to stop.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
    if (withParent)
      onParentGone(() => {
        log.warn(
          'the process that started this one has ended, so this one ends too; STOP_WITH_PARENT=false keeps it running',
        )
        stop('parent gone')
      })
  })
}

/** Calls back once when the process that started us has ended. The system then gives us another parent, or none. */
export function onParentGone(then: () => void): void {
  const poll = setInterval(() => {
    if (process.ppid === parent && isAlive(parent)) return
    clearInterval(poll)
    then()
  }, PARENT_POLL_MS).unref()
}
