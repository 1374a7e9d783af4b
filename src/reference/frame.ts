import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { icon } from '../console/parts/icons.ts'
import { assets as consoleAssets, withoutComments } from '../console/respond.ts'
import { type Content, type Html, html } from '../http/html.ts'
import type { Catalogue } from './catalogue.ts'

const read = (name: string) => withoutComments(readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8'))

/** What browsers load beside the pages: the style of the console with ours behind it, and our script with what it shares with that. */
export const assets: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  [
    'reference.css',
    { type: 'text/css; charset=utf-8', text: consoleAssets.get('console.css')!.text + read('reference.css') },
  ],
  ['reference.js', { type: 'text/javascript; charset=utf-8', text: read('reference.js') }],
  ['copy.js', consoleAssets.get('copy.js')!],
])

export const digest = createHash('sha256')
  .update([...assets].map(([name, { text }]) => `${name}\0${text}`).join('\0'))
  .digest('hex')
  .slice(0, 16)
const base = `/docs/assets/${digest}`
const font = '/invoice/assets/fonts/ibm-plex-sans-latin'

export interface Sheet {
  readonly title: string
  readonly content: Content
  /** The operation that is open, for the list beside the page. */
  readonly here?: string
  readonly searched?: string
}

export interface Surroundings {
  readonly catalogue: Catalogue
  readonly isSandbox: boolean
  /** Added to every address of an operation, so that a chosen dialect stays chosen. */
  readonly search: string
}

/** The group of the page is open; the others wait to be. */
function navigation({ here }: Sheet, { catalogue, isSandbox, search }: Surroundings): Html {
  const isHere = (id: string) => id === here
  return html`<nav id="nav" popover aria-label="API reference"><ul class="first"><li><a href="/docs${search}"${here === 'overview' && html` aria-current="page"`}>Overview</a></li><li><a href="/docs/errors${search}"${here === 'errors' && html` aria-current="page"`}>Errors</a></li></ul>
${catalogue.groups.map(({ tag, operations }) => {
  const isAlone = (words: string) => operations.filter(({ summary }) => short(summary) === words).length === 1
  return html`<details name="group"${operations.some(({ id }) => isHere(id)) && html` open`}><summary>${icon('right')}${tag}<span class="count">${operations.length}</span></summary><ul>${operations.map(
    ({ id, summary }) =>
      html`<li><a href="/docs/${id}${search}"${isHere(id) && html` aria-current="page"`}>${short(summary)}${!isAlone(short(summary)) && ` (${id})`}</a></li>`,
  )}</ul></details>`
})}
<ul class="minor"><li><a href="/openapi.json">openapi.json ${icon('out')}</a></li>${isSandbox && html`<li><a href="/console">Console ${icon('out')}</a></li>`}</ul></nav>`
}

/** As much of a summary as a narrow list has room for. */
const short = (summary: string) => summary.split(/[;:]/)[0]!

/** The frame around every page of the reference: that of the console, with other things at its side. */
export function frame(sheet: Sheet, around: Surroundings): string {
  const { isSandbox } = around
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${sheet.title} · Quittance API</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="preload" href="${font}-400-normal.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${base}/reference.css">
<script type="module" src="${base}/reference.js"></script>
</head>
<body class="console reference">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="brand"><a href="/docs">Quittance</a><span class="env ${isSandbox ? 'sandbox' : 'live'}">API</span></div>
<form class="find" role="search" action="/docs/search">${icon('search')}<input type="search" name="q" value="${sheet.searched ?? ''}" maxlength="200" aria-label="Search operations, fields and errors" placeholder="Search operations, fields, errors" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd><div class="found" id="found" hidden></div><p class="seen-not" id="counted" role="status"></p></form>
${isSandbox && html`<a class="over" href="/console">Console</a>`}
<button class="burger" type="button" popovertarget="nav">${icon('menu')}<span class="seen-not">Menu</span></button>
</header>
<div class="side">${navigation(sheet, around)}</div>
<main id="main">
${sheet.content}
</main>
</body>
</html>
`.text
}
