import { type Content, type Html, html } from '../http/html.ts'
import { newRequestId } from './forms/fields.ts'
import { icon } from './parts/icons.ts'
import { mark, notice } from './parts/parts.ts'
import { reading } from './parts/time.ts'
import { assetBase, type Notice } from './respond.ts'
import { type Capability, roleNames } from './roles.ts'
import { type Eyes, eyes, eyesNames, type Onlooker, type SignedIn } from './who.ts'

/** What a page puts into the frame. */
export interface Drawn {
  /** The title that the browser is told, with our name behind it. */
  readonly title: string
  readonly content: Content
  readonly status?: number
  /** Whether the page brings its own clock. */
  readonly ownClock?: boolean
  readonly className?: string
}

/** The clock of a sandbox, as the bar above every page shows it. */
export interface Timepiece {
  readonly now: string
  readonly frozen: boolean
  /** How far it is from real time, in words. */
  readonly apart: string
  /** The next thing that falls due, and in how long. */
  readonly next?: { readonly at: string; readonly in: string } | undefined
}

export interface Surroundings {
  readonly who: Onlooker
  readonly path: string
  /** The address that leads to the same page again. */
  readonly back: string
  readonly timepiece?: Timepiece | undefined
  /** How many disputes wait for each of those through whose eyes one can look. */
  readonly waiting: Readonly<Partial<Record<Eyes, number>>>
  /** How many mails of a sandbox nobody has read. */
  readonly unread?: number
  /** How many webhooks of the onlooker fail or are slow. */
  readonly failing?: number
  /** How many jobs failed for good, for those who run the service. */
  readonly parked?: number
  /** How many faults of a sandbox can still come about. */
  readonly faults?: number
  readonly theme?: Theme
  readonly notice?: Notice | undefined
  /** The name by which the console calls itself. */
  readonly name: string
}

/** The letters that lead to a page after `g`, by its address. */
const letters: Readonly<Record<string, string>> = {
  '/console': 't',
  '/console/invoices': 'i',
  '/console/disputes': 'd',
  '/console/webhooks': 'w',
  '/console/mail': 'm',
  '/console/requests': 'r',
  '/console/clock': 'c',
  '/console/scenarios': 's',
}

const sandboxPages = [
  ['Timeline', '/console'],
  ['Invoices', '/console/invoices'],
  ['Disputes', '/console/disputes'],
  ['Webhooks', '/console/webhooks'],
  ['Mail', '/console/mail'],
  ['Requests', '/console/requests'],
  ['Money', '/console/money'],
  ['Apps', '/console/apps'],
  ['Clock', '/console/clock'],
  ['Scenarios', '/console/scenarios'],
  ['Faults', '/console/faults'],
] as const

/** The pages that a live console leads to, and what each takes. */
const livePages: readonly (readonly [label: string, href: string, may: readonly Capability[]])[] = [
  ['Invoices', '/console/invoices', ['see']],
  ['Overview', '/console/operator', ['operate']],
  ['Decisions', '/console/operator/decisions', ['review']],
  ['Disputes', '/console/disputes', ['see']],
  ['Webhooks', '/console/webhooks', ['see']],
  ['Money', '/console/money', ['see']],
  ['Apps', '/console/apps', ['manage']],
  ['Accounts', '/console/operator/accounts', ['operate']],
  ['Deliveries', '/console/operator/deliveries', ['operate']],
  ['Parked jobs', '/console/operator/jobs', ['operate']],
  ['Signing keys', '/console/operator/keys', ['operate']],
  ['Audit log', '/console/operator/audit', ['operate']],
  ['People', '/console/people', ['manage', 'operate']],
]

const pagesFor = ({ face, may }: Onlooker): readonly (readonly [label: string, href: string])[] =>
  face === 'sandbox'
    ? sandboxPages
    : livePages.filter(([, , wanted]) => wanted.some(may)).map(([label, href]) => [label, href])

const count = (n: number | undefined, words: string) =>
  n !== undefined &&
  n > 0 &&
  html`<span class="count"><span class="seen-not">, </span>${n > 99 ? '99+' : n}<span class="seen-not"> ${words}</span></span>`

const themeNames = ['system', 'light', 'dark'] as const
export type Theme = (typeof themeNames)[number]
export const isTheme = (name: string | undefined): name is Theme => themeNames.some((one) => one === name)

/** Light or dark, as the system says or as somebody chose. */
const themes = (chosen: Theme, back: string): Html =>
  html`<form class="themes" method="post" action="/console/theme" aria-label="Appearance"><input type="hidden" name="back" value="${back}">${themeNames.map(
    (name) =>
      html`<button name="theme" value="${name}"${name === chosen && html` aria-current="true"`}>${name.charAt(0).toUpperCase() + name.slice(1)}</button>`,
  )}</form>`

const keys: readonly (readonly [keys: string, does: string, isOfSandbox?: true])[] = [
  ['/', 'search'],
  ['j k', 'next and previous row'],
  ['Enter', 'open it'],
  ['Esc', 'leave it'],
  ['e, then 1 to 5', 'look through other eyes', true],
  ['f', 'freeze the clock, or let it run', true],
  ['n', 'go to what is due next', true],
  ['p', 'pause the timeline', true],
  ['y', 'copy the request that is chosen as curl', true],
  ['?', 'this list'],
]

/** The keys that lead to those pages that the onlooker has. */
function goingKeys(who: Onlooker): readonly (readonly [keys: string, does: string])[] {
  const led = pagesFor(who).filter(([, href]) => href in letters)
  if (led.length === 0) return []
  const labels = led.map(([label]) => label.toLowerCase())
  return [[`g, then ${led.map(([, href]) => letters[href]).join(' ')}`, labels.join(', ')]]
}

const keysBox = (who: Onlooker): Html =>
  html`<div class="keys" id="keys" popover role="dialog" aria-labelledby="keys-title" tabindex="-1" autofocus><h2 id="keys-title">Keys</h2><dl>${[
    ...keys.filter(([, , isOfSandbox]) => who.face === 'sandbox' || !isOfSandbox),
    ...goingKeys(who),
  ].map(
    ([name, does]) => html`<div><dt><kbd>${name}</kbd></dt><dd>${does}</dd></div>`,
  )}</dl><p class="below"><button class="button quiet small" type="button" data-keys>Turn them off</button></p></div>`

function navigation({
  who,
  path,
  back,
  waiting,
  unread,
  parked,
  failing,
  faults,
  theme = 'system',
}: Surroundings): Html {
  const isHere = (href: string) =>
    href === '/console' || href === '/console/operator' ? path === href : path === href || path.startsWith(`${href}/`)
  return html`<nav id="nav" popover aria-label="Console"><ul>${pagesFor(who).map(
    ([label, href]) =>
      html`<li><a href="${href}"${href in letters && html` data-key="${letters[href]}"`}${isHere(href) && html` aria-current="page"`}>${label}${
        (label === 'Disputes' || label === 'Decisions') && count(waiting[who.mark], 'waiting')
      }${label === 'Mail' && count(unread, 'unread')}${label === 'Parked jobs' && count(parked, 'parked')}${label === 'Webhooks' && count(failing, 'failing')}${label === 'Faults' && count(faults, 'standing')}</a></li>`,
  )}</ul>
<ul class="minor"><li><a href="/docs">API reference ${icon('out')}</a></li><li><button class="keys-button" type="button" popovertarget="keys">Keys <kbd>?</kbd></button></li></ul>${themes(theme, back)}</nav>${keysBox(who)}`
}

const eyesForm = ({ who, back, waiting }: Surroundings): Html =>
  html`<form class="eyes" id="eyes" popover method="post" action="/console/eyes" aria-labelledby="eyes-title"><h2 id="eyes-title">Seen by</h2>
<input type="hidden" name="back" value="${back}"><ul>${eyesNames.map(
    (name) =>
      html`<li><button name="as" value="${name}"${name === who.mark && html` aria-current="true"`}>${mark(name)}<span>${eyes[name].label}</span>${count(waiting[name], 'to answer')}</button></li>`,
  )}</ul></form>`

/** Who is signed in, as what, and what they can do about it. */
const personMenu = ({ name, role, account, elsewhere, isLooking }: SignedIn): Html =>
  html`<p class="account"><button type="button" popovertarget="account"><b title="${name}">${name}</b><span${account && html` title="${account.name}"`}>${roleNames[role]}${account && !isLooking && `, ${account.name}`}</span>${icon('down')}</button></p>
<div class="menu-box" id="account" popover><ul><li><a href="/console/passkeys">Passkeys and sign-ins</a></li>${elsewhere.map(
    ({ value, label }) =>
      html`<li><form method="post" action="/console/place"><input type="hidden" name="place" value="${value}"><button>${label}</button></form></li>`,
  )}<li><form method="post" action="/console/sign-out"><button>Sign out</button></form></li></ul></div>`

/** Says on every page that an operator only looks. */
const lookingBar = ({ account }: SignedIn): Html =>
  html`<div class="notice hold looking" role="status"><p>You see <b>${account?.name}</b> as its people do, and can change nothing.</p><form method="post" action="/console/look-as/stop"><button class="button quiet small">Stop looking</button></form></div>`

/** What a form of the clock carries: where it leads back to, and an id by which it is recognised when it is sent twice. */
export const moving = (back: string): Html =>
  html`<input type="hidden" name="back" value="${back}"><input type="hidden" name="request-id" value="${newRequestId()}">`

const clockBar = ({ now, frozen, apart, next }: Timepiece, back: string): Html =>
  html`<form class="timepiece" method="post" action="/console/clock" aria-label="Clock">${moving(back)}
<a class="reading" href="/console/clock"><time datetime="${now}" title="${now}" data-clock${frozen && html` data-frozen`}>${reading(now)[0]} <b>${reading(now)[1]}</b></time><small>${frozen ? 'frozen' : 'running'}, ${apart}</small></a>
<div class="set"><button name="freeze" value="${frozen ? 'false' : 'true'}">${frozen ? 'Run' : 'Freeze'}</button><button name="advance" value="PT1H">+1 h</button><button name="advance" value="P1D">+1 day</button><button name="advance" value="P20D">+20 days</button>${
    next && html`<button class="next" name="to" value="${next.at}">Next due <span>${next.in}</span></button>`
  }</div></form>`

const font = '/invoice/assets/fonts/ibm-plex-sans-latin'

/** The frame around every page. */
export function frame(drawn: Drawn, around: Surroundings): string {
  const { who, timepiece, back, theme } = around
  const { person } = who
  return shell(
    drawn.title,
    `console ${drawn.className ?? ''}`,
    around.name,
    html`<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="brand"><a href="/console">${around.name}</a><span class="env ${who.face}">${who.face === 'sandbox' ? 'Sandbox' : 'Live'}</span></div>
<form class="find" role="search" action="/console/search">${icon('search')}<input type="search" name="q" maxlength="300" aria-label="Search, or paste any id" placeholder="Search, or paste any id" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></form>
${timepiece && !drawn.ownClock && clockBar(timepiece, back)}
${
  who.face === 'sandbox' &&
  html`<button class="seen-by" type="button" popovertarget="eyes">${mark(who.mark)}<span class="seen-not">Seen by </span><span class="name">${who.name}</span>${icon('down')}</button>`
}
${person && personMenu(person)}
<button class="burger" type="button" popovertarget="nav">${icon('menu')}<span class="seen-not">Menu</span></button>
</header>
<div class="side">${navigation(around)}${who.face === 'sandbox' && eyesForm(around)}</div>
<main id="main">
${person?.isLooking && lookingBar(person)}${around.notice && notice(around.notice.tone, html`<p>${around.notice.text}</p>`)}
${drawn.content}
</main>`,
    theme,
  )
}

/** A page without an onlooker and without the frame: this can be drawn even when the frame cannot. */
export const alone = (title: string, content: Content, { name, theme }: Pick<Surroundings, 'name' | 'theme'>): string =>
  shell(title, 'alone', name, html`<main id="main">${content}</main>`, theme)

const shell = (title: string, className: string, name: string, content: Content, theme?: Theme): string =>
  html`<!doctype html>
<html lang="en"${(theme === 'light' || theme === 'dark') && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${name}</title>
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="preload" href="${font}-400-normal.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assetBase}/console.css">
<script type="module" src="${assetBase}/console.js"></script>
</head>
<body class="${className}">
${content}
</body>
</html>
`.text
