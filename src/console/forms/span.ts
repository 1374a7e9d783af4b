import { type Html, html } from '../../http/html.ts'
import { type Instant, parseInstant, toSeconds } from '../../kernel/clock.ts'

/** A span of time as it was typed. */
interface TypedSpan {
  readonly from: string
  readonly to: string
}

/** What is wrong with it, by its field. */
type Wrong = Readonly<Partial<Record<keyof TypedSpan, string>>>

type ReadSpan =
  | { readonly span: { readonly from: Instant; readonly to: Instant }; readonly wrong?: never }
  | { readonly span?: never; readonly wrong: Wrong }

/** Reads what was typed; whatever is none is told beside its field, with an example that would do. */
export function spanIn(typed: TypedSpan, now: string): ReadSpan {
  const [from, to] = [parseInstant(typed.from.trim()), parseInstant(typed.to.trim())]
  if (from && to && from <= to) return { span: { from, to } }
  const why = `Write a day and a time, such as ${toSeconds(now as Instant)}.`
  if (!from || !to) return { wrong: { ...(!from && { from: why }), ...(!to && { to: why }) } }
  return { wrong: { from: 'It begins after it ends. Write an earlier time here, or a later one beside it.' } }
}

const field = (name: keyof TypedSpan, label: string, value: string, problem: string | undefined): Html =>
  html`<div><label for="span-${name}">${label}</label><input class="boxed" id="span-${name}" name="${name}" maxlength="40" value="${value}"${
    problem && html` aria-invalid="true" aria-describedby="span-${name}-problem" autofocus`
  }>${problem && html`<p class="problem" id="span-${name}-problem">${problem}</p>`}</div>`

export const spanFields = ({ from, to }: TypedSpan, wrong: Wrong = {}): Html =>
  html`<div class="pair">${field('from', 'From', from, wrong.from)}${field('to', 'To', to, wrong.to)}</div>`
