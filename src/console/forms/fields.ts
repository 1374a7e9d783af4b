import { randomBytes } from 'node:crypto'
import { multipartLimits } from '../../http/body/multipart.ts'
import { type Content, type Html, html, paragraphs } from '../../http/html.ts'
import type { AnyRoute } from '../../http/route.ts'
import type { Issue } from '../../kernel/problem.ts'
import { sizeInWords } from '../../kernel/size.ts'
import type { Refusal } from '../operate.ts'
import { icon } from '../parts/icons.ts'

/** One choice: what is sent, what is read, and what stands beside that. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly note?: string
  readonly end?: string
}

interface Shared {
  /** Where its value stands in the body, as a JSON pointer; a refusal names the same place. */
  readonly at: string
  readonly label: string
  readonly hint?: string
  readonly value?: string | undefined
}

type Chosen = Shared & {
  readonly kind: 'choice' | 'chips'
  readonly choices: readonly Choice[]
  /** Nothing is chosen at first: what cannot be undone must not come from a click on the button alone. */
  readonly isOpen?: true
}

/** A field of a form. The operation says how long it may be and whether it is required. */
export type Field =
  | (Shared & { readonly kind: 'text' | 'long' | 'date' | 'email' })
  | (Shared & { readonly kind: 'money'; readonly currency: string })
  | Chosen
  | (Shared & { readonly kind: 'select'; readonly choices: readonly Choice[] })
  | (Shared & { readonly kind: 'tick' })
  | { readonly kind: 'files'; readonly label: string; readonly hint?: string }
  | { readonly kind: 'fixed'; readonly at: string; readonly value: string }
  /** Fields that stand side by side, with a name where there are others like them. */
  | { readonly kind: 'pair'; readonly label?: string; readonly fields: readonly Field[] }

/** What was typed into a form before it was refused. */
export type Typed = Readonly<Record<string, string>>

/**
 * A browser counts a line break as one character but sends it as two. So nobody is told that what they could type was too much.
 */
export const withPlainBreaks = (body: Typed): Typed =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]))

export interface FormParts {
  /** Tells the forms of a page apart. */
  readonly name: string
  readonly action: string
  readonly route: AnyRoute
  readonly fields: readonly Field[]
  readonly button: string
  readonly danger?: boolean
  /** What will follow when the form is sent. */
  readonly follows?: Content
  /** What the page was drawn from, so that it is noticed when somebody was faster. */
  readonly seen?: string | undefined
  readonly typed?: Typed | undefined
  readonly refusal?: Refusal | undefined
  /** Whether what is there now stands beside what was typed, where the two differ. */
  readonly isOutdated?: boolean | undefined
  /** Files that are kept with the form already. */
  readonly kept?: Content
  /** Other ways to send it; `typed['instead']` then says which was used. A loose one can send what is not complete yet. */
  readonly instead?: readonly { readonly name: string; readonly label: string; readonly loose?: boolean }[] | undefined
}

interface Known {
  readonly maxLength?: number
  readonly required?: boolean
}

/** What the schema of an operation says of the place a pointer leads to. */
function known(route: AnyRoute, pointer: string): Known {
  let node = route.body as Record<string, unknown> | undefined
  let required = true
  for (const name of pointer.split('/').slice(1)) {
    if (node === undefined) return {}
    if (/^\d+$/.test(name)) node = node['items'] as typeof node
    else {
      required &&= ((node['required'] as string[] | undefined) ?? []).includes(name)
      node = (node['properties'] as Record<string, typeof node> | undefined)?.[name]
    }
  }
  const { maxLength } = (node ?? {}) as { maxLength?: number }
  return { ...(maxLength !== undefined && { maxLength }), required: required && node !== undefined }
}

/** A form for one operation. A second click sends the same request id, and changes nothing. */
export function form(parts: FormParts): Html {
  const { name, action, fields, button, danger, follows, seen, typed, refusal, kept, instead = [] } = parts
  const issues = new Map<string, Issue>()
  for (const issue of refusal?.details ?? []) if (issue.field !== undefined) issues.set(issue.field, issue)
  const placed = new Set<string>()
  const drawn = fields.map((field) => draw(parts, field, issues, placed))
  const unplaced = (refusal?.details ?? []).filter(({ field }) => field === undefined || !placed.has(field))
  return html`<form class="stack" method="post" action="${action}" enctype="multipart/form-data" id="${name}">
<input type="hidden" name="request-id" value="${typed?.['request-id'] && !refusal ? typed['request-id'] : newRequestId()}">${
    seen !== undefined && html`<input type="hidden" name="seen" value="${seen}">`
  }
${refusal && refusalBox(refusal, unplaced)}${drawn}${kept}
${follows && html`<div class="then">${icon('request')}<p>${follows}</p></div>`}
<div class="buttons"><button class="button${danger && ' danger'}">${button}</button>${instead.map(
    (other) =>
      html`<button class="button quiet" name="instead" value="${other.name}"${other.loose && html` formnovalidate`}>${other.label}</button>`,
  )}</div></form>`
}

export const newRequestId = () => `console-${randomBytes(12).toString('base64url')}`

/** Stands in place of the debug id in a refusal of the console's own, behind which there is no request to look up. */
const NO_REQUEST = '–'

/** What is said above a form whose fields are marked, for readers who hear the page and do not see the marks. */
export const markedBelow: Refusal = { name: '', message: 'Look at what is marked below.', debug_id: NO_REQUEST }

/** Says first of all why nothing happened. What belongs to a field stands beside that field. */
export function refusalBox({ message, debug_id, details = [] }: Refusal, unplaced: readonly Issue[] = details): Html {
  const said = unplaced.length > 0 ? unplaced : [{ description: details.length > 0 ? markedBelow.message : message }]
  return html`<div class="problem-box" role="alert" tabindex="-1" autofocus><p><b>Nothing was changed.</b> ${said
    .map(({ description }) => description)
    .join(' ')}</p>${debug_id !== NO_REQUEST && html`<p class="hint">Debug id ${debug_id}</p>`}</div>`
}

function draw(parts: FormParts, field: Field, issues: ReadonlyMap<string, Issue>, placed: Set<string>): Content {
  if (field.kind === 'fixed') return html`<input type="hidden" name="${field.at}" value="${field.value}">`
  if (field.kind === 'pair')
    return html`<div class="pair"${field.label !== undefined && html` role="group" aria-label="${field.label}"`}>${field.fields.map((one) => draw(parts, one, issues, placed))}</div>`
  const id = `${parts.name}-${field.kind === 'files' ? 'files' : field.at.slice(1).replaceAll('/', '-')}`
  if (field.kind === 'files')
    return html`<div><label for="${id}">${field.label}</label><input class="upload" type="file" id="${id}" name="file" multiple accept=".jpg,.jpeg,.gif,.png,.pdf" data-bytes-max="${multipartLimits.totalFileBytes}"><p class="hint">${field.hint ?? `jpg, gif, png or pdf, under ${sizeInWords(multipartLimits.fileBytes)} each`}</p></div>`
  const at = field.kind === 'money' ? `${field.at}/value` : field.at
  // A refusal may be about the place itself or about what holds it.
  const wrong = [at, field.at, `${field.at}/currency_code`].find((place) => issues.has(place))
  const problem = wrong === undefined ? undefined : issues.get(wrong)
  if (wrong !== undefined) placed.add(wrong)
  const { maxLength, required } = known(parts.route, at)
  const value = (parts.typed && typedIn(parts.typed, field, at)) ?? field.value ?? ''
  const there = parts.isOutdated && !isSame(value, field.value) ? thereNow(field) : undefined
  const below = html`${problem && html`<p class="problem" id="${id}-problem">${problem.description}</p>`}${
    there && html`<p class="there" id="${id}-there">There now: <b>${paragraphs(there)}</b></p>`
  }${field.hint && html`<p class="hint" id="${id}-hint">${field.hint}</p>`}`
  const described = [problem && `${id}-problem`, there && `${id}-there`, field.hint && `${id}-hint`]
    .filter(Boolean)
    .join(' ')
  const facts = html` id="${id}" name="${at}"${maxLength !== undefined && html` maxlength="${maxLength}"`}${
    required && html` required`
  }${problem && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`
  const label = html`<label for="${id}">${field.label}</label>`
  switch (field.kind) {
    case 'long':
      return html`<div>${label}<textarea class="boxed"${facts}>
${value}</textarea>${below}</div>`
    case 'money':
      return html`<div>${label}<div class="field"><span aria-hidden="true">${field.currency}</span><input${facts} inputmode="decimal" autocomplete="off" value="${value}"></div>${below}<input type="hidden" name="${field.at}/currency_code" value="${field.currency}"></div>`
    case 'select':
      return html`<div>${label}<select class="boxed"${facts}>${field.choices.map(
        (one) => html`<option value="${one.value}"${one.value === value && html` selected`}>${one.label}</option>`,
      )}</select>${below}</div>`
    case 'choice':
    case 'chips':
      return radios(field, at, value, below, described)
    case 'tick':
      return within(
        described !== '',
        html`<label class="tick"><input type="checkbox" name="${at}" value="true"${value === 'true' && html` checked`}${described !== '' && html` aria-describedby="${described}"`}><span>${field.label}</span></label>${below}`,
      )
    default:
      return html`<div>${label}<input class="boxed" type="${field.kind}"${facts} value="${value}">${below}</div>`
  }
}

/** A tick with nothing below it stands by itself, close to the next one. */
const within = (isBoxed: boolean, content: Html): Html => (isBoxed ? html`<div>${content}</div>` : content)

type Held = Exclude<Field, { readonly kind: 'files' | 'fixed' | 'pair' }>

/** What was sent for a field. For a tick that was taken away, a browser sends nothing at all. */
const typedIn = (typed: Typed, { kind }: Held, at: string): string | undefined =>
  kind === 'tick' ? (typed[at] ?? 'false') : typed[at]

/** Whether two values are the same. Figures may be written in several ways. */
const isSame = (typed = '', value = ''): boolean => {
  const text = typed.trim()
  return text === value || (text !== '' && value !== '' && Number(text) === Number(value))
}

/** What a field holds, in words. */
function thereNow(field: Held): string {
  const { value = '' } = field
  if (field.kind === 'tick') return value === 'true' ? 'ticked' : 'not ticked'
  const chosen = 'choices' in field ? field.choices.find((one) => one.value === value)?.label : undefined
  return chosen ?? (value === '' ? 'nothing' : value)
}

/** Whether the fields already hold all that was typed. In that case a form was sent twice, and nobody else was faster. */
export const isSaid = (fields: readonly Field[], typed: Typed): boolean =>
  fields.every((field) => {
    if (field.kind === 'pair') return isSaid(field.fields, typed)
    return field.kind === 'files' || field.kind === 'fixed' || isSame(typedIn(typed, field, field.at), field.value)
  })

function radios(
  { kind, label, choices, isOpen }: Chosen,
  at: string,
  value: string,
  below: Html,
  described: string,
): Html {
  const first = isOpen ? undefined : choices[0]?.value
  const chosen = choices.some((one) => one.value === value) ? value : first
  return html`<fieldset${described !== '' && html` aria-describedby="${described}"`}><legend>${label}</legend><div class="${kind === 'chips' ? 'dials' : 'choices'}">${choices.map(
    (one) => {
      const input = html`<input type="radio" name="${at}" value="${one.value}"${one.value === chosen && html` checked`}${isOpen && html` required`}>`
      return kind === 'chips'
        ? html`<label class="chip">${input}${one.label}</label>`
        : html`<label class="choice">${input}<span><b>${one.label}</b>${one.note && html`<small>${one.note}</small>`}</span>${
            one.end && html`<span>${one.end}</span>`
          }</label>`
    },
  )}</div>${below}</fieldset>`
}

type Node = { [name: string]: Node | string } | (Node | string)[]

/**
 * The body that the fields of a form stand for: each field is named by the place it has there. Empty fields are left out, and
 * so is space around a value.
 */
export function bodyFrom(typed: Typed): Record<string, unknown> {
  const body: Node = {}
  for (const [name, value] of Object.entries(typed)) {
    const text = value.trim()
    if (!name.startsWith('/') || text === '') continue
    const path = name.slice(1).split('/')
    // A currency is sent only with an amount.
    if (path.at(-1) === 'currency_code' && path.length > 1 && isEmptyMoney(typed, name)) continue
    place(body, path, text)
  }
  return body as Record<string, unknown>
}

const isEmptyMoney = (typed: Typed, currencyAt: string) => {
  const value = typed[currencyAt.replace(/currency_code$/, 'value')]
  return value !== undefined && value.trim() === ''
}

/** What places of a list are called, and below that what places of an object are called; our forms have no others. */
const ofList = /^(?:0|[1-9]\d{0,2})$/
const ofObject = /^(?!constructor$|prototype$)[a-z]\w*$/

/**
 * Puts a value at its place. Names that the sender of a form made up are passed over: such a name could lead to what all
 * objects have in common, make a list of any length, or go through something that is a text already.
 */
function place(body: Node, path: readonly string[], value: string): void {
  if (!path.every((name) => ofList.test(name) || ofObject.test(name))) return
  let node: Node | string = body
  for (const [i, name] of path.entries()) {
    if (typeof node === 'string' || Array.isArray(node) !== ofList.test(name)) return
    const within = node as Record<string, Node | string>
    if (i === path.length - 1) within[name] = value
    else if (!Object.hasOwn(within, name)) within[name] = ofList.test(path[i + 1]!) ? [] : {}
    node = within[name]!
  }
}
