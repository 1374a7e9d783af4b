import { type Html, html } from '../../http/html.ts'
import { broken } from '../parts/parts.ts'
import type { Visit } from '../visit.ts'

export interface Due {
  readonly at: string
  readonly what: string
  readonly work: string
  readonly subject?: string
  readonly account_id: string
  readonly attempts: number
}

/** What falls due, and how often right after it something like it does, up to the last of these. */
export interface Run extends Due {
  readonly count: number
  readonly last: string
}

export const dueOf = (visit: Pick<Visit, 'look'>, limit: number) =>
  visit.look<{ due: Due[]; has_more: boolean }>('listSandboxDue', { query: { limit } })

const LOOKED_AT_MAX = 200
/** Attempts that are further apart than this are told one by one. */
const APART_MS_MAX = 5 * 60_000

const follows = ({ last, work }: Run, next: Due): boolean =>
  work === 'deliver-webhook' && next.work === work && Date.parse(next.at) - Date.parse(last) <= APART_MS_MAX

/** What lies ahead. Attempts right after one another are one: those to a webhook that is down would hide all else. */
export async function runsOf(visit: Pick<Visit, 'look'>): Promise<{ runs: Run[]; hasMore: boolean }> {
  const { due, has_more } = await dueOf(visit, LOOKED_AT_MAX)
  const runs: Run[] = []
  for (const one of due) {
    const before = runs.at(-1)
    if (before && follows(before, one)) runs[runs.length - 1] = { ...before, count: before.count + 1, last: one.at }
    else runs.push({ ...one, count: 1, last: one.at })
  }
  return { runs, hasMore: has_more }
}

/** What will happen, in words that break where a name in them may. */
export const whatOf = ({ what, count }: Run): Html =>
  count === 1
    ? broken(what)
    : html`${count} deliveries, beginning with ${broken(what.charAt(0).toLowerCase() + what.slice(1))}`
