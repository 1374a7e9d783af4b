/** How long anything of a test is waited for: on a busy machine everything may well be late. */
export const PATIENCE_MS = 60_000
