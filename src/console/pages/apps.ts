import { type AppShown, appsOf, consentsBy, type GivenConsent, makeApp, rotateAppSecret } from '../../accounts/apps.ts'
import { features } from '../../accounts/schema.ts'
import { isFeature } from '../../accounts/scopes.ts'
import { changeAppStatus, findAccount, revokeConsent } from '../../accounts/store.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import { type Html, html } from '../../http/html.ts'
import type { Answer } from '../../http/route.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { addLookup, removeLookup } from '../../webhooks/subscriptions/store.ts'
import { askTwice } from '../forms/ask-twice.ts'
import { markedBelow, newRequestId, refusalBox } from '../forms/fields.ts'
import { onceOnly } from '../once.ts'
import { facts, folded, heading, nothing, sheet, taken } from '../parts/parts.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { sentence } from '../words.ts'

/** What apps need of the house. */
export interface AppParts {
  readonly service: Service
  /** Comes back when every process has forgotten what it believed of tokens. */
  onAccessChange(): Promise<void>
}

const ClientId = Type.Object({ client: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_-]+$' }) })
const NAME_MAX = 100
const CONSENT_TAKEN = 'The consent was taken back.'

/** A secret that was made a moment ago; it is shown now and never again. */
interface Made {
  readonly clientId: string
  readonly secret: string
}

const shownOnce = ({ clientId, secret }: Made): Html =>
  html`<section class="sheet secret" role="status"><header class="sheet-head"><h2>The new secret</h2></header><p>Take it along now: it is shown this once, and only its digest is kept.</p>${facts(
    [
      ['Client id', taken(clientId, 'client id')],
      ['Secret', taken(secret, 'secret')],
    ],
  )}</section>`

const SHOWN_BEFORE =
  'It was made already, and its secret is shown this once. If you did not see it, make a new secret of the app.'

/** One button, whose form is recognised when it is sent twice. */
const act = (app: AppShown, name: string, label: string, kind = 'quiet'): Html =>
  html`<form method="post" action="/console/apps/${app.client_id}/${name}"><input type="hidden" name="request-id" value="${newRequestId()}"><button class="button small ${kind}">${label}<span class="seen-not">: ${app.name}</span></button></form>`

function one(app: AppShown, { times, who }: Visit): Html {
  const [newest, before] = app.secrets
  const isOn = app.status === 'ENABLED'
  return html`<section class="sheet app" id="${app.client_id}"><header class="sheet-head"><h2>${app.name}</h2><div class="aside">${
    isOn ? html`<span class="soft">enabled</span>` : html`<b class="warn">disabled</b>`
  }</div></header>
${facts([
  ['Client id', taken(app.client_id, 'client id')],
  [
    'Secret',
    newest ? html`since ${times.at(newest)}` : 'none',
    before && html`the one of ${times.at(before)} is valid too`,
  ],
  [
    'Acts for',
    app.consents === 0
      ? 'its own account'
      : app.consents === 1
        ? 'one other account'
        : `${app.consents} other accounts`,
  ],
  ['Hears of', app.lookup === null ? 'what its own calls cause' : 'all of the account'],
])}
${folded('Scopes', html`<ul class="scopes">${app.scopes.map((scope) => html`<li><code class="mono">${scope}</code></li>`)}</ul>`, app.scopes.length)}
${
  who.caller.accountId === app.account_id &&
  html`<div class="buttons below">${act(app, 'rotate', 'New secret')}${before !== undefined && act(app, 'revoke', 'New secret, revoke the earlier')}${
    app.lookup === null ? act(app, 'hear', 'Hear of everything') : act(app, 'hear-not', 'Hear of its own alone')
  }${isOn ? act(app, 'disable', 'Disable', 'danger') : act(app, 'enable', 'Enable')}</div>`
}</section>`
}

const given = (list: readonly GivenConsent[], { times }: Visit): Html =>
  html`<section class="sheet flush"><header class="sheet-head"><h2>Consents</h2></header>${
    list.length === 0
      ? nothing('Nobody acts for you', 'Apps of partners that you let act for you stand here.')
      : html`<table class="rows"><tbody>${list.map(
          (consent) =>
            html`<tr><td class="second fill">${consent.name}<small>${consent.owner}, since ${times.at(consent.create_time)}: ${consent.scopes.join(', ')}</small></td><td class="num right"><a class="button small danger" href="/console/consents/${consent.client_id}/revoke">Take it back<span class="seen-not">: ${consent.name}</span></a></td></tr>`,
        )}</tbody></table>`
  }</section>`

/** What is wrong with a new app: its name, or what it is for. */
interface Wrong {
  readonly isName: boolean
  readonly text: string
}

const said = ({ text }: Wrong): Html => html`<p class="problem" id="app-problem">${text}</p>`

const writing = (problem?: Wrong, typed: Readonly<Record<string, string>> = {}): Html =>
  sheet(
    'New app',
    html`<form class="stack" method="post" action="/console/apps" id="new-app"><input type="hidden" name="request-id" value="${newRequestId()}">${
      problem && refusalBox(markedBelow)
    }<div><label for="app-name">Name</label><input class="boxed" id="app-name" name="name" required maxlength="${NAME_MAX}" value="${typed['name']}"${problem?.isName && html` aria-invalid="true" aria-describedby="app-problem"`}>${problem?.isName && said(problem)}</div>
<fieldset${problem && !problem.isName && html` aria-describedby="app-problem"`}><legend>What it is for</legend>${features.map(
      (feature) =>
        html`<label class="tick"><input type="checkbox" name="feature-${feature}" value="true"${(typed['name'] === undefined || typed[`feature-${feature}`] === 'true') && html` checked`}><span>${sentence(feature)}</span></label>`,
    )}${problem && !problem.isName && said(problem)}</fieldset><div class="then"><p>It gets the scopes that an account of your kind needs for these. Its secret is shown once.</p></div><div class="buttons"><button class="button">Make the app</button></div></form>`,
  )

async function draw(
  visit: Visit,
  { made, problem, typed }: { made?: Made; problem?: Wrong; typed?: Sent['typed'] } = {},
) {
  const title = 'Apps'
  const { accountId } = visit.who.caller
  if (accountId === '')
    return {
      title,
      content: html`${heading(title)}<section class="sheet flush">${nothing(`An ${visit.who.name.toLowerCase()} has no apps`, 'Look as somebody with an account to see some.')}</section>`,
    }
  const [apps, consents] = [await appsOf(visit.db, accountId), await consentsBy(visit.db, accountId)]
  return {
    title,
    ...(problem && { status: 422 }),
    content: html`${heading(title, { sub: 'What a client id and a secret stand for, and what each may do.' })}${made && shownOnce(made)}
<div class="two"><div class="column">${apps.map((app) => one(app, visit))}${given(consents, visit)}</div><aside>${writing(problem, typed)}</aside></div>`,
  }
}

/** A consent that the onlooker's account gave to an app of somebody else. */
async function ownConsent(db: Reader, { who, params }: Pick<Visit<typeof ClientId>, 'who' | 'params'>) {
  const consent = (await consentsBy(db, who.caller.accountId)).find(({ client_id }) => client_id === params.client)
  if (!consent) throw notFound('The consent')
  return consent
}

/** An app of the onlooker's account; an app of anybody else is not found. */
async function ownApp(tx: Tx, { who, params }: Sent<typeof ClientId>): Promise<AppShown> {
  const app = (await appsOf(tx, who.caller.accountId)).find(({ client_id }) => client_id === params.client)
  if (!app) throw notFound('The app')
  tx.about(app.account_id, app.id)
  return app
}

export function appPages({ page, form }: Pages, { service, onAccessChange }: AppParts) {
  const ring = () => service.settings.secrets!
  type Change = (tx: Tx, app: AppShown) => string | undefined

  /** A change of one app. Each is done once, and every process knows of it when the page comes back. */
  const changing = (name: string, summary: string, done: string, change: Change) =>
    form({
      url: `/console/apps/:client/${name}`,
      operation: `console${name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}App`,
      summary,
      may: 'manage',
      // A new secret is shown, and the earlier ones may end.
      isGrave: name === 'rotate' || name === 'revoke',
      twice: done === '' ? SHOWN_BEFORE : done,
      params: ClientId,
      async take(sent): Promise<Answer> {
        const secret = await sent.change(async (tx) => {
          await onceOnly(tx, sent.who.caller.accountId, sent.typed)
          const app = await ownApp(tx, sent)
          return change(tx, app)
        })
        await onAccessChange()
        if (secret === undefined) return sent.lead('/console/apps', done)
        return sent.again(await draw(sent, { made: { clientId: sent.params.client, secret } }))
      },
    })

  return [
    page({
      url: '/console/apps',
      operation: 'consoleApps',
      summary: 'List apps and consents',
      may: 'manage',
      draw: (visit) => draw(visit),
    }),
    form({
      url: '/console/apps',
      operation: 'consoleNewApp',
      summary: 'Make an app',
      may: 'manage',
      isGrave: true,
      twice: SHOWN_BEFORE,
      async take(sent) {
        const { typed, who } = sent
        const name = (typed['name'] ?? '').trim()
        const refuse = async (problem: Wrong) => sent.again(await draw(sent, { problem, typed }))
        const chosen = features.filter((feature) => isFeature(feature) && typed[`feature-${feature}`] === 'true')
        if (name === '' || name.length > NAME_MAX)
          return refuse({ isName: true, text: `Give it a name of at most ${NAME_MAX} characters.` })
        const made = await sent.change(async (tx) => {
          const account = await findAccount(tx, who.caller.accountId)
          if (!account) throw notFound('The account')
          await onceOnly(tx, account.id, typed)
          return makeApp(tx, account, { name, features: chosen }, ring())
        })
        if (!made) return refuse({ isName: false, text: 'Choose something that your kind of account uses.' })
        return sent.again(await draw(sent, { made: { clientId: made.app.client_id, secret: made.secret } }))
      },
    }),
    changing('rotate', 'Make a new secret of an app', '', (tx, app) => rotateAppSecret(tx, app, false, ring())),
    changing('revoke', 'Make a new secret and revoke the earlier ones', '', (tx, app) =>
      rotateAppSecret(tx, app, true, ring()),
    ),
    changing('disable', 'Disable an app', 'The app was disabled, and its access tokens ended.', (tx, app) => {
      changeAppStatus(tx, app.client_id, 'DISABLED')
      return undefined
    }),
    changing('enable', 'Enable an app', 'The app was enabled.', (tx, app) => {
      changeAppStatus(tx, app.client_id, 'ENABLED')
      return undefined
    }),
    changing('hear', 'Let an app hear of everything', 'It hears of all that happens in the account.', (tx, app) => {
      if (app.lookup === null) addLookup(tx, app.id)
      return undefined
    }),
    changing('hear-not', 'Let an app hear of its own alone', 'It hears of what its own calls cause.', (tx, app) => {
      if (app.lookup !== null) removeLookup(tx, app.id, app.lookup)
      return undefined
    }),
    page({
      url: '/console/consents/:client/revoke',
      operation: 'consoleAskRevokeConsent',
      summary: 'Ask before the consent to an app is taken back',
      may: 'manage',
      params: ClientId,
      async draw(visit) {
        const { name, owner, client_id } = await ownConsent(visit.db, visit)
        return askTwice({
          title: `Take the consent to ${name} back?`,
          back: ['Apps', '/console/apps'],
          text: `This app of ${owner} can act for you no more, at once. You cannot undo this here: those who run the service note a new consent.`,
          action: `/console/consents/${client_id}/revoke`,
          button: 'Take it back',
        })
      },
    }),
    form({
      url: '/console/consents/:client/revoke',
      operation: 'consoleRevokeConsent',
      summary: 'Take the consent to an app back',
      may: 'manage',
      twice: CONSENT_TAKEN,
      twiceAt: '/console/apps',
      params: ClientId,
      async take(sent) {
        const { accountId } = sent.who.caller
        await sent.change(async (tx) => {
          await onceOnly(tx, accountId, sent.typed)
          revokeConsent(tx, accountId, (await ownConsent(tx, sent)).app_id)
        })
        await onAccessChange()
        return sent.lead('/console/apps', CONSENT_TAKEN)
      },
    }),
  ]
}
