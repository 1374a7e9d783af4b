import { readFileSync } from 'node:fs'

/** Where `steal` stands in the first line of `/proc/stat`, behind its name. */
const STEAL = 7

/** What the processors have had so far, and what of it the host of a virtual machine took for others; none where nobody tells. */
function ticks(): { all: number; stolen: number } {
  try {
    const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!
    const parts = line
      .trim()
      .split(/\s+/)
      .slice(1, STEAL + 2)
      .map(Number)
    return { all: parts.reduce((sum, part) => sum + part, 0), stolen: parts[STEAL] ?? 0 }
  } catch {
    return { all: 0, stolen: 0 }
  }
}

/** Does the work, and tells which share of the processors the host took away meanwhile. */
export async function watchingHost(work: () => Promise<void>): Promise<number> {
  const before = ticks()
  await work()
  const now = ticks()
  return now.all > before.all ? (now.stolen - before.stolen) / (now.all - before.all) : 0
}
