import { type Html, html } from '../../http/html.ts'
import { backIn } from '../back.ts'
import type { Typed } from '../forms/fields.ts'
import { moving, type Timepiece } from '../frame.ts'
import { askOnce } from '../once.ts'
import { mendable, type Outcome, type Refusal } from '../operate.ts'
import { nothing } from '../parts/parts.ts'
import { reading, span } from '../parts/time.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { type Run, runsOf, whatOf } from './due.ts'

interface Moved {
  readonly now: string
  readonly frozen: boolean
  readonly fired: readonly { readonly work: string; readonly at: string }[]
}

/** What a button of the clock asks for: the body of the operation. */
function moveOf({ advance, to, freeze }: Typed): object {
  if (advance) return { advance }
  // A browser sends an instant without its zone, so the zone is added.
  if (to) return { to: /Z$/.test(to) ? to : `${to.length === 16 ? `${to}:00` : to}Z` }
  return freeze === undefined ? {} : { freeze: freeze === 'true' }
}

/**
 * Why the clock stays as it is: what was to come has come by itself meanwhile, or nothing was chosen. Or why it went only a
 * part of the way.
 */
const whyNot = ({ details: [first] = [], message }: Refusal): string =>
  first?.issue === 'CLOCK_STEPS_EXCEEDED' ? first.description : `Nothing was changed: ${first?.description ?? message}`

/** Longer than the clock moves at once. */
const MOVED_SECONDS = 101 * 366 * 86_400

/** Moves or stops the clock. A button that moves it does so only once; the other buttons of its page count as others. */
function moveOnce(sent: Sent, body: object): Promise<Outcome | undefined> {
  const { 'request-id': key, advance, to = '' } = sent.typed
  const move = () => sent.operateOpenly('moveClock', { body })
  if (key === undefined || !(advance || to)) return move()
  return askOnce({ ...sent, typed: { 'request-id': `${key} ${advance || to}` } }, move, MOVED_SECONDS)
}

/** What happened on the way, in a sentence. */
function told(before: string, { now, frozen, fired }: Moved, moved: object): string {
  if ('freeze' in moved) return frozen ? 'The clock stands still.' : 'The clock runs.'
  const things =
    fired.length === 0
      ? 'nothing fell due'
      : fired.length === 1
        ? 'one thing fell due'
        : `${fired.length} things fell due`
  return `The clock moved ${span(Date.parse(now) - Date.parse(before))}; ${things} on the way.`
}

/** The page of what something is about, if there is one. */
const subjectLink = (subject: string | undefined) => {
  if (subject === undefined) return undefined
  if (/^INV2-/.test(subject)) return html`<small><a href="/console/invoices/${subject}">${subject}</a></small>`
  return /^PP-/.test(subject)
    ? html`<small><a href="/console/disputes/${subject}">${subject}</a></small>`
    : /^WH-/.test(subject)
      ? html`<small><a href="/console/events/${subject}">${subject}</a></small>`
      : html`<small>${subject}</small>`
}

const SHOWN = 50

/** One thing that falls due, or several deliveries, which "Go there" does all. */
function row(run: Run, { times }: Visit): Html {
  const { at, subject, attempts, count, last } = run
  const tried = html` <span class="soft">after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}</span>`
  const until = html`<small>the last at ${times.at(last)}</small>`
  return html`<tr><td class="nowrap"><b>${times.ahead(at)}</b><small>${times.at(at)}</small></td><td class="second fill">${whatOf(run)}${count === 1 && attempts > 0 && tried}${count > 1 ? until : subjectLink(subject)}</td><td class="num right"><button class="button quiet small" name="to" value="${last}">Go there<span class="seen-not">, ${last}</span></button></td></tr>`
}

export const clockPages = ({ page, form }: Pages, timepiece: () => Timepiece) => [
  page({
    url: '/console/clock',
    operation: 'consoleClock',
    summary: 'Show the clock',
    async draw(visit) {
      const { runs, hasMore } = await runsOf(visit)
      const { now, frozen, apart } = timepiece()
      const buttons = [
        ['PT1H', '+1 h'],
        ['P1D', '+1 day'],
        ['P20D', '+20 days'],
      ]
      return {
        title: 'Clock',
        ownClock: true,
        content: html`<section class="dial"><div><h1>The clock of the sandbox</h1><p class="sum"><time datetime="${now}" data-clock${frozen && html` data-frozen`}>${reading(now)[0]} <b>${reading(now)[1]}</b></time></p><p class="now">UTC, ${frozen ? 'frozen' : 'running'}, ${apart}</p></div>
<div class="moves"><form method="post" action="/console/clock">${moving('/console/clock')}<div class="set"><button name="freeze" value="${frozen ? 'false' : 'true'}">${frozen ? 'Run' : 'Freeze'}</button>${buttons.map(
          ([value, label]) => html`<button name="advance" value="${value}">${label}</button>`,
        )}</div></form>
<form class="to" method="post" action="/console/clock">${moving('/console/clock')}<label for="to">To</label><input class="boxed" id="to" name="to" type="datetime-local" step="1" min="${now.slice(0, 19)}" required><button class="button quiet small">Go there</button></form></div></section>
<section class="sheet flush"><header class="sheet-head"><h2>What lies ahead</h2>${(hasMore || runs.length > SHOWN) && html`<p class="aside">Only the next</p>`}</header>${
          runs.length === 0
            ? nothing('Nothing is due', 'Deadlines, scheduled invoices and attempts that wait stand here.')
            : html`<form method="post" action="/console/clock">${moving('/console/clock')}<table class="rows"><thead><tr><th>When</th><th>What will happen</th><th><span class="seen-not">Go there</span></th></tr></thead><tbody>${runs.slice(0, SHOWN).map((run) => row(run, visit))}</tbody></table></form>`
        }</section>`,
      }
    },
  }),
  form({
    url: '/console/clock',
    operation: 'consoleMoveClock',
    summary: 'Move or stop the clock',
    async take(sent) {
      const move = moveOf(sent.typed)
      const before = timepiece().now
      const outcome = await moveOnce(sent, move)
      if (!outcome) return sent.lead(backIn(sent.typed), 'The clock moves once, however often one clicks.')
      const refusal = mendable(outcome)
      if (refusal) return sent.turnBack(backIn(sent.typed), whyNot(refusal))
      return sent.lead(backIn(sent.typed), told(before, outcome.body as Moved, move))
    },
  }),
]
