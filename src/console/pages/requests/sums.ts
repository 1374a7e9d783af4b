import { type Content, html } from '../../../http/html.ts'
import { countByDuration, findRefusals } from '../../../sandbox/watch/request-log.ts'
import type { Operations } from '../../operate.ts'
import { chart } from '../../parts/bars.ts'
import { broken, sheet } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { type Thread, thread } from '../threads.ts'
import type { LoggedRequest } from './logged-request.ts'

const KINDS_SHOWN = 8
const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** The smallest bound that at least half of the requests stayed below. */
function halfUnder(counts: readonly number[]): number | undefined {
  const all = counts.reduce((sum, n) => sum + n, 0)
  let counted = 0
  return bounds.find((_, n) => {
    counted += counts[n]!
    return counted * 2 >= all
  })
}

/** What the newest requests were refused for, and how long they took. */
export async function requestSums({ db, times }: Visit, operations: Operations): Promise<Content> {
  const [kinds, counts] = await Promise.all([findRefusals(db, KINDS_SHOWN), countByDuration(db, bounds)])
  const half = halfUnder(counts)
  const nameOf = (operation: string) => operations.find(operation)?.summary ?? 'no operation'
  return html`${
    kinds.length > 0 &&
    sheet(
      'Problems, by kind',
      html`<table class="rows"><tbody>${kinds.map(
        ({ operation, issue, count, last_time }) =>
          html`<tr><td class="second fill"><a class="open mono plainly" href="/console/requests?${String(new URLSearchParams({ show: 'trouble', q: issue ?? '' }))}">${broken(issue ?? 'without a name')}</a><small>${nameOf(operation)}, last ${times.at(last_time)}</small></td><td class="num right"><b>${count}</b></td></tr>`,
      )}</tbody></table>`,
    )
  }${chart({
    title: 'Time to answer',
    columns: counts.map((n) => [n, 0]),
    said: half === undefined ? 'half over a second' : `half under ${half} ms`,
    from: '1 ms',
    to: 'over 1 s',
  })}`
}

/** What came of a request, including what happened later because of it. */
export async function effectsOf({ debug_id }: LoggedRequest, visit: Visit): Promise<Content> {
  const { threads } = await visit.look<{ threads: Thread[] }>('listSandboxTimeline', {
    query: { subject: debug_id, page_size: EFFECTS_MAX },
  })
  const own = threads.filter(({ cause, happenings }) => cause === debug_id && happenings.length > 1)
  return (
    own.length > 0 &&
    sheet('What it caused', html`<ol class="threads">${own.map((one) => thread(one, visit.times))}</ol>`, {
      className: 'flush',
      aside: html`<a href="/console?subject=${debug_id}">In the timeline</a>`,
    })
  )
}

const EFFECTS_MAX = 20
