import { type Content, type Html, html } from '../../http/html.ts'
import { nodeWords } from '../../sandbox/watch/words.ts'
import { arrow, type Glyph, icon } from '../parts/icons.ts'
import { broken, mark, status } from '../parts/parts.ts'
import { span, type Times } from '../parts/time.ts'
import { eyesOf } from '../who.ts'
import { failureWords, sentence, standingWords } from '../words.ts'

/** What the timeline tells of one thing, and below that of everything one cause did. */
export interface Happening {
  readonly kind: string
  readonly time: string
  readonly summary: string
  readonly trouble: boolean
  readonly ref?: string
  readonly details: Readonly<Record<string, unknown>>
}
export interface Thread {
  readonly id: string
  readonly cause: string
  readonly last_seq: number
  readonly time: string
  readonly summary: string
  readonly trouble: boolean
  readonly happenings: readonly Happening[]
}

export const kinds: Readonly<Record<string, readonly [glyph: Glyph, label: string]>> = {
  request: ['request', 'Requests'],
  move: ['move', 'Moves'],
  money: ['money', 'Money'],
  event: ['event', 'Events'],
  attempt: ['send', 'Deliveries'],
  mail: ['mail', 'Mail'],
  due: ['clock', 'Due'],
  clock: ['clock', 'Clock'],
}

const singular: Readonly<Record<string, string>> = {
  request: 'Request',
  move: 'Move',
  money: 'Money',
  event: 'Event',
  attempt: 'Delivery',
  mail: 'Mail',
  due: 'Due',
  clock: 'Clock',
}

/** The details of a kind as text; the log keeps them as it was told. */
const text = (details: Happening['details'], name: string): string => {
  const value = details[name]
  return value === undefined || value === null ? '' : String(value)
}

/** A path in a narrow place: long ids keep their ends, so that what follows stays readable. */
const shortPath = (path: string) =>
  path.replace(/\b(INV2-\w{4})-\w{4}-\w{4}-(\w{4})\b/g, '$1…$2').replace(/\b([\da-f]{8})-[\da-f-]{20,}\b/g, '$1…')

/** Where a happening can be looked at. */
function addressOf({ kind, ref, details }: Happening, cause: string): string | undefined {
  if (kind === 'request') return `/console/requests/${ref ?? cause}`
  if (kind === 'move') return `/console/${text(details, 'of') === 'invoice' ? 'invoices' : 'disputes'}/${ref}`
  if (kind === 'mail') return `/console/mail?open=${encodeURIComponent(ref ?? '')}`
  if (kind === 'attempt') return ref ? `/console/deliveries/${ref}` : undefined
  if (kind === 'event') return ref ? `/console/events/${ref}` : undefined
  if (kind === 'money') return '/console/money'
  return undefined
}

/** More attempts than this are shown as a number, not as dots. */
const DOTS_MAX = 8

/** Attempts as dots: those in vain, and the one that arrived. */
function tries(attempts: readonly Happening[] = []): Content {
  if (attempts.length < 2) return undefined
  if (attempts.length > DOTS_MAX) return html`<span class="soft">${attempts.length} attempts</span>`
  return html`<span class="tries" role="img" aria-label="${attempts.length} attempts">${attempts.map(
    ({ trouble }) => html`<i class="${!trouble && 'ok'}"></i>`,
  )}</span>`
}

interface Told extends Happening {
  /** All attempts of one delivery, of which only the last is told. */
  readonly attempts?: readonly Happening[]
}

/** Makes one row of a delivery, however often it was attempted. */
function folded(list: readonly Happening[]): Told[] {
  const told = new Map<string, Happening[]>()
  for (const one of list) if (one.kind === 'attempt' && one.ref) told.set(one.ref, [...(told.get(one.ref) ?? []), one])
  return list.flatMap((one) => {
    const attempts = one.kind === 'attempt' && one.ref ? told.get(one.ref)! : undefined
    if (!attempts) return [one]
    return one === attempts[0] ? [{ ...attempts.at(-1)!, attempts }] : []
  })
}

function what({ kind, ref, details, summary, attempts }: Told): Content {
  const of = (name: string) => text(details, name)
  switch (kind) {
    case 'request':
      return html`<code class="mono" title="${of('path')}"><span class="method">${of('method')}</span> ${shortPath(of('path'))}</code>`
    case 'move': {
      const words = of('of') === 'invoice' ? standingWords : nodeWords
      return html`<span><b>${ref}</b> ${of('from') && words(of('from'))}</span><span>${arrow} ${of('to') ? words(of('to')) : 'deleted'}</span>`
    }
    case 'event':
      return html`<span>${broken(of('type'))}</span>`
    case 'money':
      return html`<span>${sentence(of('what'))}</span><span class="soft">${Object.entries(
        (details['books'] ?? {}) as Record<string, string>,
      )
        .map(([book, value]) => `${book} ${value.startsWith('-') ? '' : '+'}${value}`)
        .join(', ')} ${of('currency_code')}</span>`
    case 'attempt':
      return html`<span>${of('url')}</span>${tries(attempts)}${
        of('error')
          ? html`<span class="warn" title="${of('error')}">${of('status') || failureWords(of('error'))}${of('next_time') ? html`, again at ${of('next_time').slice(11, 19)}` : ', given up'}</span>`
          : html`<span class="soft">${of('status')} in ${of('ms')} ms</span>`
      }`
    case 'mail':
      return html`<span>${summary.replace(/^Mail to /, '')}</span>`
    default:
      return html`<span>${summary}</span>`
  }
}

const end = ({ kind, details }: Happening): Content => {
  if (kind !== 'request') return undefined
  const who = eyesOf(text(details, 'client_id'))
  return html`${status(Number(details['status']))}<span class="took">${text(details, 'ms')} ms</span>${who && mark(who)}`
}

function row(one: Told, cause: string, times: Times, isRoot: boolean): Html {
  const [glyph] = kinds[one.kind] ?? ['move']
  const href = addressOf(one, cause)
  const content = html`<time datetime="${one.time}" title="${one.time}">${isRoot && times.clock(one.time)}</time>${icon(glyph, singular[one.kind] ?? one.kind, one.trouble && one.kind !== 'request' ? 'warn' : '')}<span class="what">${what(one)}</span><span class="end">${end(one)}${isRoot && one.kind === 'due' && mark('time')}</span>`
  return href
    ? html`<a class="row" href="${href}"${one.kind === 'request' && html` data-inspect="${cause}"`}>${content}</a>`
    : html`<div class="row">${content}</div>`
}

/** The band that shows where the clock moved. */
function jump({ details, summary, time }: Happening, id: string, times: Times): Html {
  const moved = Date.parse(text(details, 'to')) - Date.parse(text(details, 'from'))
  const due = Number(details['fell_due'] ?? 0)
  const title = moved > 0 ? `The clock moved ${span(moved)}` : summary
  return html`<li class="jump" data-thread="${id}">${icon('clock', 'Clock')}<span class="what">${title}</span><span class="soft">${moved > 0 && html`to ${times.at(text(details, 'to') || time)}; ${due === 0 ? 'nothing' : due === 1 ? 'one thing' : `${due} things`} fell due on the way`}</span></li>`
}

/** What the service does on its own behalf, such as seeding its people, does not count as something that happened. */
export const happened = (list: readonly Thread[]): Thread[] => list.filter(({ id }) => !id.startsWith('service:'))

/** A cause and what it did, on one line. */
export function thread({ id, cause, happenings }: Thread, times: Times): Html {
  const [first, ...effects] = folded(happenings)
  if (!first) return html``
  const clock = happenings.find(({ kind }) => kind === 'clock')
  if (clock) return jump(clock, id, times)
  return html`<li class="thread" data-thread="${id}">${row(first, cause, times, true)}${
    effects.length > 0 && html`<div class="effects">${effects.map((one) => row(one, cause, times, false))}</div>`
  }</li>`
}
