import { DateTime } from 'luxon'
import { type Html, html } from '../../http/html.ts'
import { type Instant, parseInstant } from '../../kernel/clock.ts'

/** A span of time as it was typed. */
interface TypedSpan {
  readonly from: string
  readonly to: string
}

/** What is wrong with the span, by field. */
type Wrong = Readonly<Partial<Record<keyof TypedSpan, string>>>

type ReadSpan =
  | { readonly span: { readonly from: Instant; readonly to: Instant }; readonly wrong?: never }
  | { readonly span?: never; readonly wrong: Wrong }

/** An instant as the clocks of a zone show it, for somebody to change. */
export const writtenIn = (zone: string, instant: string): string =>
  DateTime.fromISO(instant, { zone }).toFormat('yyyy-MM-dd HH:mm:ss')

/** The instants that a text may mean: one, or two where the clocks of the zone are set back and show a time again. */
function instantsIn(zone: string, text: string): readonly (Instant | undefined)[] {
  const exact = parseInstant(text)
  if (exact) return [exact]
  if (!/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$/.test(text)) return []
  const read = DateTime.fromISO(text.replace(' ', 'T'), { zone })
  return read.isValid ? read.getPossibleOffsets().map((one) => parseInstant(one.toUTC().toISO()!)) : []
}

/**
 * Reads what was typed, which may be instants or times of a zone. Where the zone's clocks show a time twice, the span covers
 * both. What is neither is reported beside its field, with an example that would do.
 */
export function spanIn(typed: TypedSpan, zone: string, now: string): ReadSpan {
  const [from, to] = [instantsIn(zone, typed.from.trim()).at(0), instantsIn(zone, typed.to.trim()).at(-1)]
  if (from && to && from <= to) return { span: { from, to } }
  const why = `Write a day and a time, such as ${writtenIn(zone, now)}.`
  if (!from || !to) return { wrong: { ...(!from && { from: why }), ...(!to && { to: why }) } }
  return { wrong: { from: 'It begins after it ends. Write an earlier time here, or a later one beside it.' } }
}

const field = (name: keyof TypedSpan, label: string, value: string, problem: string | undefined): Html =>
  html`<div><label for="span-${name}">${label}</label><input class="boxed" id="span-${name}" name="${name}" maxlength="40" value="${value}"${
    problem && html` aria-invalid="true" aria-describedby="span-${name}-problem" autofocus`
  }>${problem && html`<p class="problem" id="span-${name}-problem">${problem}</p>`}</div>`

export const spanFields = ({ from, to }: TypedSpan, wrong: Wrong = {}): Html =>
  html`<div class="pair">${field('from', 'From', from, wrong.from)}${field('to', 'To', to, wrong.to)}</div>`
