/** How many milliseconds of processor time `work` takes: unlike the clock on the wall, the same on a busy machine. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
