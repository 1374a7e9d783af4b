import { type Content, type Html, html, linkable, paragraphs } from '../../http/html.ts'
import type { ShownLogo } from '../logo/store.ts'
import type { Sheet } from '../sheet/sheet.ts'
import { type Locale, languageNames, languages } from '../words/languages.ts'
import { styleAddress } from './style.ts'

/** What the reader may do on the page besides reading. */
export interface PayOptions {
  /** Where the amount is sent. Absent if there is nothing to pay, or no way to pay it here. */
  readonly action?: string
  readonly partial?: { readonly minimum: string; readonly smallest: string }
  readonly tip: boolean
  /** What was typed and refused, to be corrected. */
  readonly typed?: TypedAmounts
}

/** What the reader typed into the fields. */
export interface TypedAmounts {
  readonly amount?: string
  readonly tip?: string
  /** The field that the refusal is about. */
  readonly wrong?: 'amount' | 'tip'
}

export interface PageParts {
  readonly sheet: Sheet
  /** The address of the page, without a query. */
  readonly address: string
  readonly logo?: ShownLogo | undefined
  readonly qr?: Html
  readonly pay?: PayOptions
  /** Whether the invoice is due but cannot be paid here. */
  readonly offline?: boolean
  /** Whether the merchant cannot be paid at the moment. */
  readonly closed?: boolean
  readonly notice?: Notice
  readonly problemLink?: { readonly href: string; readonly label: string }
  /** What else stands above the document. */
  readonly aside?: Html
}

export interface Notice {
  readonly text: string
  readonly tone: 'good' | 'bad' | 'wait'
}

/**
 * The first thing on a page. A refusal has the focus, because otherwise somebody who only hears the page would not learn of
 * it.
 */
export const noticeOn = ({ notice }: { readonly notice?: Notice }): Content =>
  notice &&
  html`<p class="notice ${notice.tone === 'good' ? '' : notice.tone}" id="notice"${
    notice.tone === 'bad' ? html` role="alert" tabindex="-1" autofocus` : html` role="status"`
  }>${notice.text}</p>`

/** The frame of every page we serve to payers. */
export function frame(
  { title, locale, head, className = '' }: { title: string; locale: Locale; head?: Content; className?: string },
  content: Content,
): string {
  return html`<!doctype html>
<html lang="${locale.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<link rel="stylesheet" href="${styleAddress}">
${locale.language === 'ja' && html`<link rel="stylesheet" href="/invoice/assets/ja.css">`}
${head}
</head>
<body>
<main class="${className}">
${content}
</main>
</body>
</html>
`.text
}

export function invoicePage(parts: PageParts): string {
  const { sheet, address } = parts
  const { say, locale } = sheet
  return frame(
    { title: `${say('invoiceNumber', { number: sheet.number })} · ${sheet.seller}`, locale },
    html`${till(parts)}
${noticeOn(parts)}
${parts.aside}
${invoicePaper(parts, html`<h1>${say('invoice')}</h1>`)}
<footer>
<ul><li><a href="${`${address}/pdf?lang=${locale.tag}`}">${say('downloadPdf')}</a></li>
${parts.problemLink && html`<li><a href="${parts.problemLink.href}">${parts.problemLink.label}</a></li>`}</ul>
<ul>${languages.map(
      (language) =>
        html`<li><a href="?lang=${language}" lang="${language}" hreflang="${language}"${
          language === locale.language && html` aria-current="true"`
        }>${languageNames[language]}</a></li> `,
    )}</ul>
</footer>`,
  )
}

/** The document itself, under a title that fits the page it lies on. */
export const invoicePaper = (parts: Pick<PageParts, 'sheet' | 'logo' | 'qr'>, title: Html): Html =>
  html`<article class="paper" aria-label="${parts.sheet.say('invoiceNumber', { number: parts.sheet.number })}">
${head(parts, title)}
${parties(parts.sheet)}
${items(parts.sheet)}
${sums(parts)}
${history(parts.sheet)}
${words(parts.sheet)}
</article>`

/** The part of the page that is not printed: the amount, how it stands, and the button. */
function till({ sheet, pay, offline, closed }: PageParts): Html {
  const { say, standing } = sheet
  return html`<section class="till ${standing}">
<p class="who">${sheet.seller} · ${say('invoiceNumber', { number: sheet.number })}</p>
<div><p class="sum ${lengthOf(sheet.headlineAmount)}">${sheet.headlineAmount}</p>
<p class="standing">${sheet.headline}</p></div>
${pay?.action && payForm(sheet, pay, pay.action)}
${standing === 'pending' && html`<p class="more">${say('pendingText')}</p>`}
${standing === 'cancelled' && html`<p class="more">${say('cancelledText')}</p>`}
${closed && html`<p class="more">${say('closedText')}</p>`}
${
  offline &&
  html`<div class="more"><p>${say('payOfflineText', { business: sheet.seller, number: sheet.number })}
${sheet.sellerEmail && say('payOfflineContact', { email: sheet.sellerEmail })}</p></div>`
}
</section>`
}

/** Figures must not be broken, so they stand on one line. Long figures get smaller type, and the longest a line of their own. */
export function lengthOf(figures: string): '' | 'long' | 'long longest' {
  if (figures.length <= 14) return ''
  return figures.length <= 20 ? 'long' : 'long longest'
}

function payForm({ say, format, due, locale }: Sheet, { partial, tip, typed = {} }: PayOptions, action: string): Html {
  const lang = html`<input type="hidden" name="lang" value="${locale.tag}">`
  if (!partial && !tip)
    return html`<form class="act" method="get" action="${action}">${lang}<button class="button">${say('pay', { amount: format.money(due) })}</button></form>`
  const field = (name: 'amount' | 'tip', value: string) =>
    html`<div class="field"><span aria-hidden="true">${due.currency_code}</span><input id="${name}" name="${name}" type="text" inputmode="decimal" autocomplete="off" maxlength="32" value="${value}"${
      typed.wrong === name
        ? html` aria-invalid="true" aria-describedby="notice ${name}-hint"`
        : html` aria-describedby="${name}-hint"`
    }></div>`
  return html`<form class="act wide" method="get" action="${action}">${lang}
${
  partial &&
  html`<div class="much"><label for="amount">${say('amountToPay')}</label>${field('amount', typed.amount ?? format.plain(due))}
<p class="hint" id="amount-hint">${say('atLeast', { minimum: partial.minimum, due: format.money(due) })}</p></div>`
}
${
  tip &&
  html`<div><label for="tip">${say('tip')}</label>${field('tip', typed.tip ?? '')}
<p class="hint" id="tip-hint">${say('optional')}</p></div>`
}
<div><button class="button">${partial ? say('payAction') : say('pay', { amount: format.money(due) })}</button></div>
</form>`
}

function head({ sheet, logo }: Pick<PageParts, 'sheet' | 'logo'>, title: Html): Html {
  return html`<header class="head">
<div>${
    logo
      ? html`<img src="${logo.address}" width="${logo.width}" height="${logo.height}" alt="${sheet.seller}">`
      : html`<p class="seller">${sheet.seller}</p>`
  }</div>
${title}
</header>
<dl class="facts">${sheet.facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
}

function parties(sheet: Sheet): Html {
  const { say } = sheet
  const party = (label: string, lines: readonly Content[]) =>
    lines.length > 0 &&
    html`<section><h2>${label}</h2><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`
  const website = linkable(sheet.website)
  const reachable = (line: string): Content => {
    if (line === sheet.sellerEmail && /^[^\s@]+@[^\s@]+$/.test(line))
      return html`<a href="mailto:${encodeURIComponent(line).replace('%40', '@')}">${line}</a>`
    return website && line === sheet.website
      ? html`<a href="${website}" rel="noopener noreferrer nofollow">${line}</a>`
      : line
  }
  return html`<div class="parties">
${party(say('from'), [sheet.seller, ...sheet.sellerLines.map(reachable)])}
${party(say('billTo'), sheet.billTo)}
${party(say('shipTo'), sheet.shipTo)}
</div>`
}

function items({ say, items, quantityLabel }: Sheet): Html {
  return html`<table role="table">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${say('item')}</th>${quantityLabel !== undefined && html`<th scope="col" role="columnheader">${quantityLabel}</th>`}<th scope="col" role="columnheader">${say('unitPrice')}</th><th scope="col" role="columnheader">${say('amount')}</th></tr></thead>
<tbody role="rowgroup">${items.map(
    (item) => html`<tr role="row" class="${lengthOf(item.amount)}"><td role="cell"><strong>${item.name}</strong>
${item.description && html`<small>${paragraphs(item.description)}</small>`}
${noteOf([item.day, item.tax, item.discount])}</td>
${item.quantity !== undefined && html`<td role="cell" class="quantity">${item.quantity}</td>`}<td role="cell" class="price">${item.unitPrice}</td><td role="cell">${item.amount}</td></tr>`,
  )}</tbody>
</table>`
}

const noteOf = (notes: readonly (string | undefined)[]) => {
  const written = notes.filter((note) => note !== undefined)
  return written.length > 0 && html`<small>${written.join(' · ')}</small>`
}

function sums({ sheet, qr }: Pick<PageParts, 'sheet' | 'qr'>): Html {
  return html`<div class="sums">
${qr ? html`<figure>${qr}<figcaption>${sheet.say('scanToPay')}</figcaption></figure>` : html`<span></span>`}
<dl>${sheet.totals.map(
    ({ label, value, kind }) =>
      html`<div class="${kind}"><dt>${label}</dt><dd class="${lengthOf(value)}">${value}</dd></div>`,
  )}</dl>
</div>`
}

function history({ say, history }: Sheet): Content {
  if (history.length === 0) return undefined
  return html`<section class="history"><h2>${say('history')}</h2><ul>${history.map(
    ({ label, day, amount }) => html`<li><span>${label}</span><span>${day}</span><span>${amount}</span></li>`,
  )}</ul></section>`
}

function words({ say, note, terms, sellerNote, attachments }: Sheet): Content {
  const section = (title: string, text: string | undefined) =>
    text && html`<section><h2>${title}</h2><p>${paragraphs(text)}</p></section>`
  return html`<div class="words">
${section(say('note'), note)}
${section(say('terms'), terms)}
${sellerNote && html`<p>${paragraphs(sellerNote)}</p>`}
${
  attachments.length > 0 &&
  html`<section><h2>${say('attachments')}</h2><ul>${attachments.map(
    ({ label, href }) => html`<li><a href="${href}" rel="noopener noreferrer nofollow">${label}</a></li>`,
  )}</ul></section>`
}
</div>`
}
