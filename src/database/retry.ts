/** How often a unit of work is begun before its caller is told to send it again. */
export const TRIES_MAX = 12

/**
 * Codes after which work is begun again: serialisation failure, deadlock, our own guard that found another version of the
 * row, and a pooler that has stopped keeping prepared statements, where the next try sends them unnamed.
 */
const retryableStates = new Set(['40001', '40P01', 'QT001', '26000', '42P05'])

/** Whether the same work may succeed when it is begun again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && retryableStates.has(String(error.code))
}

/** Waits a random time that grows with each try, so that writers that met once do not meet again. */
export const pauseBefore = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** Math.min(attempt, 6)))
