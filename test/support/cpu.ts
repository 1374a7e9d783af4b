import { expect } from 'vitest'

/** What everything is compared with: reading a million characters one by one. About a millisecond, where that is known. */
const control = 'x'.repeat(1_000_000)
function readControl(): number {
  let read = 0
  for (let i = 0; i < control.length; i++) read += control.charCodeAt(i)
  return read
}

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function controlMs(): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 5; n++) times.push(await cpuMs(readControl))
  return Math.min(...times)
}

const TRIES = 3
let known: number | undefined

/**
 * That `work` takes less than so many times the processor time of the control, which is the same on a slow machine and on a
 * busy one. What seems dearer is done again, beside a new control: a collection of garbage is not the work's.
 */
export async function expectCostBelow(limit: number, work: () => unknown, about = ''): Promise<void> {
  known ??= await controlMs()
  let least = (await cpuMs(work)) / known
  for (let n = 1; n < TRIES && least >= limit; n++) {
    known = await controlMs()
    least = Math.min(least, (await cpuMs(work)) / known)
  }
  expect(least, about).toBeLessThan(limit)
}
