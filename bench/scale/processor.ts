import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const TICKS_PER_SECOND = 100

const orNothing = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Seconds of a processor that a process has used; user and system stand behind its name, which may hold anything. */
export function secondsOf(pid: number): number {
  const fields = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    .split(') ')
    .at(-1)!
    .split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
}

/** The same of all processes that work in a folder, as those of a server do; nothing where there is no /proc. */
export function secondsIn(folder: string): number {
  const processes = orNothing(() => readdirSync('/proc').join(' ')).split(' ')
  return processes
    .filter((name) => /^\d+$/.test(name) && orNothing(() => readlinkSync(`/proc/${name}/cwd`)).startsWith(folder))
    .reduce((sum, name) => sum + secondsOf(Number(name)), 0)
}
