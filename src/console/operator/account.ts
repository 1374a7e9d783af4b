import { appsOf, consentsBy } from '../../accounts/apps.ts'
import { type Account, features } from '../../accounts/schema.ts'
import { findAccount } from '../../accounts/store.ts'
import { sql } from '../../database/sql.ts'
import { html } from '../../http/html.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { languages } from '../../payer/words/languages.ts'
import { form as drawForm, type Field, type Typed } from '../forms/fields.ts'
import type { Refusal } from '../operate.ts'
import { facts, folded, heading, lines, linkButton, nothing, sheet, taken } from '../parts/parts.ts'
import type { Visit } from '../visit.ts'
import { sentence } from '../words.ts'
import { act } from './parts.ts'

export const ACCOUNTS = '/console/operator/accounts'
export const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 30, pattern: '^[A-Za-z0-9-]+$' }) })

/** Stands for a route that says nothing about the lengths of fields: whoever takes the form checks them. */
export const unchecked = { body: undefined } as never

const figuresOf = sql`
  select
    (select count(*)::int from (select from invoices where account_id = $1 limit $2) i) as invoices,
    (select count(*)::int from (select from disputes where account_id = $1 limit $2) d) as disputes,
    (select count(*)::int from (
      select from disputes where account_id = $1 and seller_state = 'REQUIRED_ACTION' limit $2) w) as waiting,
    (select count(*)::int from webhooks where account_id = $1) as webhooks`
const webhooksOf = sql`
  select id, url, enabled from webhooks where account_id = $1 order by create_time, id limit 100`

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })

const COUNTED_MAX = 1_000
const counted = (n: number) => (n > COUNTED_MAX ? `more than ${COUNTED_MAX}` : String(n))

export async function account(visit: Pick<Visit<typeof Id>, 'db' | 'params'>): Promise<Account> {
  const found = await findAccount(visit.db, visit.params.id)
  if (!found) throw notFound('The account')
  return found
}

/** A form as it was left, and why it was refused. */
export interface Left {
  readonly typed: Typed
  readonly refusal: Refusal
}

interface Drawing {
  /** The secret of an app that was made a moment ago. */
  readonly secret?: { readonly clientId: string; readonly secret: string }
  /** The form of an app that was not made. */
  readonly left?: Left
}

/** Everything about an account. */
export async function drawAccount(visit: Visit<typeof Id>, { secret, left }: Drawing = {}) {
  const one = await account(visit)
  const { db } = visit
  const told = (await db.row<Record<'invoices' | 'disputes' | 'waiting' | 'webhooks', number>>(figuresOf, [
    one.id,
    COUNTED_MAX + 1,
  ]))!
  const [apps, consents] = [await appsOf(db, one.id), await consentsBy(db, one.id)]
  const webhooks = await db.rows<{ id: string; url: string; enabled: boolean }>(webhooksOf, [one.id])
  const here = `${ACCOUNTS}/${one.id}`
  const isActive = one.status === 'ACTIVE'
  return {
    title: one.name,
    ...(left && { status: 422 }),
    content: html`${heading(one.name, {
      back: ['Accounts', ACCOUNTS],
      sub: html`${one.email} · ${sentence(one.kind)} · ${isActive ? 'active' : html`<b class="warn">suspended</b>`}`,
      actions: html`${act('/console/look-as', 'Look as', 'quiet', { account: one.id })}${isActive ? linkButton('Suspend', `${here}/suspend`, { kind: 'danger' }) : act(`${here}/activate`, 'Lift the suspension', '')}`,
    })}${
      secret &&
      html`<section class="sheet secret" role="status"><header class="sheet-head"><h2>The new secret</h2></header><p>It is shown this once.</p>${facts(
        [
          ['Client id', taken(secret.clientId, 'client id')],
          ['Secret', taken(secret.secret, 'secret')],
        ],
      )}</section>`
    }
${facts([
  ['Id', taken(one.id, 'id')],
  ['Invoices', counted(told.invoices)],
  ['Disputes', counted(told.disputes), told.waiting > 0 ? `${counted(told.waiting)} wait for its answer` : undefined],
  ['Webhooks', String(told.webhooks)],
  ['Since', visit.times.at(one.create_time)],
])}
<div class="two"><div class="column"><section class="sheet flush"><header class="sheet-head"><h2>Apps</h2></header>${
      apps.length === 0
        ? nothing('No app', 'Without one, nothing can call for this account.')
        : html`<table class="rows"><tbody>${apps.map(
            (app) =>
              html`<tr><td class="second fill"><b>${app.name}</b><small class="mono">${app.client_id}</small>${folded('Scopes', html`<ul class="scopes">${app.scopes.map((scope) => html`<li><code class="mono">${scope}</code></li>`)}</ul>`, app.scopes.length)}</td><td class="num right">${app.status === 'ENABLED' ? html`<span class="soft">enabled</span>` : html`<b class="warn">disabled</b>`}</td></tr>`,
          )}</tbody></table>`
    }</section>
<section class="sheet flush"><header class="sheet-head"><h2>Webhooks</h2></header>${
      webhooks.length === 0
        ? nothing('Nobody listens', 'Addresses that are subscribed stand here.')
        : html`<table class="rows"><tbody>${webhooks.map((hook) => html`<tr><td class="fill"><a class="open mono plainly" href="/console/operator/webhooks/${hook.id}">${hook.url}</a></td><td class="num right">${hook.enabled ? html`<span class="soft">enabled</span>` : html`<b class="warn">disabled</b>`}</td></tr>`)}</tbody></table>`
    }</section>
<section class="sheet flush"><header class="sheet-head"><h2>Consents</h2></header>${
      consents.length === 0
        ? nothing('Nobody acts for it', 'Apps of partners that it lets act for it stand here.')
        : html`<table class="rows"><tbody>${consents.map((consent) => html`<tr><td class="second fill">${consent.name}<small>${consent.owner}: ${consent.scopes.join(', ')}</small></td></tr>`)}</tbody></table>`
    }</section></div>
<aside>${sheet(
      'Details',
      html`${lines([
        ['Time zone', one.time_zone],
        ['Currency', one.currency_code],
        ['Country', one.country_code],
        ['Language', one.language ? languageNames.of(one.language) : 'as in its country'],
      ])}<form class="stack below" method="post" action="${here}/language"><div><label for="language">Mails to it are written in</label><select class="boxed" id="language" name="language" required>${!one.language && html`<option value="" selected>As in its country</option>`}${languages.map((tag) => html`<option value="${tag}"${one.language?.startsWith(tag) && html` selected`}>${languageNames.of(tag)}</option>`)}</select></div><div class="buttons"><button class="button quiet">Set the language</button></div></form>`,
    )}${sheet(
      'New app',
      drawForm({
        name: 'new-app',
        action: `${here}/apps`,
        route: unchecked,
        fields: [
          { kind: 'text', at: '/name', label: 'Name' },
          ...features.map(
            (feature): Field => ({ kind: 'tick', at: `/${feature}`, label: sentence(feature), value: 'true' }),
          ),
        ],
        button: 'Make the app',
        follows: 'Its secret is shown once; hand it over.',
        ...left,
      }),
    )}<p class="soft"><a class="link" href="/console/operator/audit?account=${one.id}">What was done with this account</a></p></aside></div>`,
  }
}
