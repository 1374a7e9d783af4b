import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/*
 * What processes have used of a processor, read from /proc: on Linux alone.
 */

/** Empty where there is no such file, or no such process any more. */
function textOr(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** What `stat` says of a process, from its third field on: the name before may hold anything. Empty when it is gone. */
export function statOf(pid: number): readonly string[] {
  const text = textOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return text === '' ? [] : text.split(') ').at(-1)!.split(' ')
}

let ticksASecond: number | undefined

export function secondsOfTicks(ticks: number): number {
  ticksASecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks / ticksASecond
}

/** How many seconds a process has used; undefined where the system does not tell. */
export function cpuSeconds(pid: number | undefined): number | undefined {
  const fields = pid === undefined ? [] : statOf(pid)
  // The 14th and 15th field: as the program, and in the system.
  return fields.length === 0 ? undefined : secondsOfTicks(Number(fields[11]) + Number(fields[12]))
}

/** The same of all processes that work in a folder, as those of a server do; nothing where there is no /proc. */
export const cpuSecondsIn = (folder: string): number =>
  processIds()
    .filter((pid) => textOr(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(folder))
    .reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0)

export const processIds = (): number[] =>
  textOr(() => readdirSync('/proc').join(' '))
    .split(' ')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Milliseconds that all threads of a process have used; exact, where `stat` counts in hundredths of a second. */
export function processorMs(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return sum / 1e6
}
