import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of a processor that all threads of a process have used; exact, where `stat` counts in hundredths of a second. */
export function processorMs(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return sum / 1e6
}
