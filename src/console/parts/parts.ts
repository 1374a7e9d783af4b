import { type Content, type Html, html } from '../../http/html.ts'
import { lengthOf } from '../../payer/page/page.ts'
import { type Eyes, eyes } from '../who.ts'
import { type Glyph, icon } from './icons.ts'

/** A mark for a person: sellers square, buyers round, a partner dashed, agents and time solid. */
export const mark = (who: Eyes | 'time'): Html =>
  html`<span class="mark ${who}" aria-hidden="true">${who === 'time' ? 'T' : eyes[who].letter}</span>`

export const mono = (text: string): Html => html`<code class="mono">${text}</code>`

/** A value to copy: one click selects all of it, and where scripts run there is a button that copies it. */
export const taken = (text: string, label: string): Html =>
  html`<span class="taken"><code class="mono" data-value>${text}</code><button class="copy" type="button" data-copy>${icon('copy')}<span class="seen-not">Copy ${label}</span></button></span>`

/** A name in capitals, which may break behind its underscores and points. */
export const broken = (name: string): Html =>
  html`${name.split(/(?<=[_.])/).map((word, i) => html`${i > 0 && html`<wbr>`}${word}`)}`

export const status = (code: number): Html =>
  html`<span class="status ${code >= 500 ? 'broken' : code >= 400 ? 'refused' : 'fine'}">${code}</span>`

interface LinkOptions {
  readonly kind?: 'quiet' | 'danger' | ''
  readonly glyph?: Glyph
}
export const linkButton = (label: Content, href: string, { kind = 'quiet', glyph }: LinkOptions = {}): Html =>
  html`<a class="button ${kind}" href="${href}">${glyph && icon(glyph)}${label}</a>`

/** Whether figures are so long that they would break in the room that the others have. */
const isLong = (value: Content): boolean =>
  html`${value}`.text
    .replace(/<[^>]*>/g, '')
    .split(' ')
    .some((word) => lengthOf(word) !== '')

/** The sum that a page is about, in smaller type where it is long. */
export const headline = (sum: string): Html => html`<h1 class="${`sum ${lengthOf(sum)}`.trim()}">${sum}</h1>`

type Fact = readonly [label: Content, value: Content, note?: Content]
export const facts = (entries: readonly Fact[], more = ''): Html =>
  html`<dl class="facts ${more}">${entries.map(
    ([label, value, note]) =>
      html`<div${more === 'figures' && isLong(value) && html` class="long"`}><dt>${label}</dt><dd>${value}${note !== undefined && html`<small>${note}</small>`}</dd></div>`,
  )}</dl>`

export const lines = (entries: readonly (readonly [label: Content, value: Content, kind?: string])[]): Html =>
  html`<dl class="lines">${entries.map(
    ([label, value, kind = '']) => html`<div class="${kind}"><dt>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`

export interface Tab {
  readonly label: string
  readonly href: string
  readonly here: boolean
  readonly count?: number | string | undefined
}
export const tabs = (label: string, entries: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}"><ul>${entries.map(
    ({ label: text, href, here, count }) =>
      html`<li><a href="${href}"${here && html` aria-current="page"`}>${text}${
        count !== undefined && html` <span class="count">${count}</span>`
      }</a></li>`,
  )}</ul></nav>`

export const pager = (
  text: string,
  { newer, older }: { newer?: string | undefined; older?: string | undefined },
): Html =>
  html`<nav class="pager" aria-label="Pages"><p>${text}</p><p>${
    newer ? html`<a href="${newer}" rel="prev">Newer</a>` : html`<span>Newer</span>`
  }${older ? html`<a href="${older}" rel="next">Older</a>` : html`<span>Older</span>`}</p></nav>`

export const sheet = (
  title: Content,
  content: Content,
  { aside, className = '' }: { aside?: Content; className?: string } = {},
): Html =>
  html`<section class="sheet ${className}"><header class="sheet-head"><h2>${title}</h2>${
    aside && html`<div class="aside">${aside}</div>`
  }</header>${content}</section>`

/** Something to say before everything else. A refusal has the focus, as refusals beside forms do. */
export const notice = (tone: 'good' | 'bad' | 'hold' | 'plain', content: Content): Html =>
  html`<div class="notice ${tone}"${tone === 'bad' ? html` role="alert" tabindex="-1" autofocus` : html` role="status"`}>${content}</div>`

export const nothing = (title: string, text: Content, below?: Content): Html =>
  html`<div class="empty"><h2>${title}</h2><p>${text}</p>${below && html`<p class="below">${below}</p>`}</div>`

interface HeadingParts {
  readonly sub?: Content
  readonly actions?: Content
  readonly back?: readonly [label: string, href: string]
}
export const heading = (title: Content, { sub, actions, back }: HeadingParts = {}): Html =>
  html`<div class="heading">${back && backTo(...back)}<div><h1>${title}</h1>${sub && html`<p class="sub">${sub}</p>`}</div>${
    actions && html`<div class="actions">${actions}</div>`
  }</div>`

export const backTo = (label: string, href: string): Html =>
  html`<p class="back"><a href="${href}">${icon('back')}${label}</a></p>`

export const folded = (summary: Content, content: Content, aside?: Content, isOpen = false): Html =>
  html`<details class="folded"${isOpen && html` open`}><summary>${icon('right')}<span>${summary}</span>${
    aside !== undefined && html`<span class="aside">${aside}</span>`
  }</summary>${content}</details>`

const stages = ['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION']
const stageNames = ['Inquiry', 'Claim', 'First appeal', 'Second appeal']

/** Where a dispute stands among its four stages. */
export function stageOf(stage: string): Html {
  const at = stages.indexOf(stage)
  return html`<span class="stage"><svg viewBox="0 0 34 6" aria-hidden="true">${stages.map(
    (_, i) =>
      html`<rect x="${i * 9}" y="0" width="7" height="6" class="${i === at ? 'here' : i < at ? 'past' : 'yet'}"/>`,
  )}</svg>${stageNames[at] ?? stage}</span>`
}

/** How much of the time until a deadline is gone. */
export const spent = (share: number, tone: string): Html =>
  html`<svg class="spent ${tone || 'soft'}" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true"><rect class="span" width="100" height="3"/><rect class="used" width="${Math.round(Math.min(1, Math.max(0, share)) * 100)}" height="3"/></svg>`
