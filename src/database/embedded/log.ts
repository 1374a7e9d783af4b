import { copyFileSync, statSync, truncateSync } from 'node:fs'

const LOG_BYTES_MAX = 5 * 1024 * 1024
const CHECK_MS = 60_000

/**
 * Keeps the server's log to one full file and one that is filling. The server only appends, so the file can be cut while it
 * runs.
 */
export function keepLogSmall(log: string): { stop(): void } {
  const check = () => {
    try {
      if (statSync(log).size <= LOG_BYTES_MAX) return
      copyFileSync(log, `${log}.1`)
      truncateSync(log)
    } catch {
      // A log that cannot be cut is no reason to stop serving.
    }
  }
  check()
  const timer = setInterval(check, CHECK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
