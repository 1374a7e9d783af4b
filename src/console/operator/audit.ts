import { type AuditEntry, findEntries } from '../../audit/store.ts'
import type { Reader } from '../../database/transaction.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { placeOf } from '../../http/keyset.ts'
import { Type } from '../../kernel/type.ts'
import { heading, mono, nothing, pager } from '../parts/parts.ts'
import type { Deed } from '../sign-in/deeds.ts'
import { namesOfThings, type Things, thing } from '../things.ts'
import type { Pages, Visit } from '../visit.ts'
import { namesOf } from './figures.ts'
import { ofOperators } from './parts.ts'

const PAGE_SIZE = 50
const text = Type.Optional(Type.String({ maxLength: 255 }))
const Query = Type.Object({
  actor: text,
  resource: text,
  account: text,
  cause: text,
  after: Type.Optional(Type.String({ maxLength: 64 })),
})

const PERSON = 'person:'
const personsIn = (list: readonly AuditEntry[]) =>
  list.flatMap(({ actor }) => (actor.startsWith(PERSON) ? [actor.slice(PERSON.length)] : []))

const APP = 'app:'

const whoDid = (actor: string, names: ReadonlyMap<string, string>, things: Things): Content => {
  if (actor.startsWith(PERSON)) return html`<b>${names.get(actor.slice(PERSON.length)) ?? actor}</b>`
  return actor.startsWith(APP) ? thing(actor.slice(APP.length), things, { face: 'operator', isLinked: false }) : actor
}

/** What was done, in the words of the operation: `consoleRotateKey` is "rotate key". */
const deed = (action: string) =>
  action
    .replace(/^console(?=[A-Z])/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()

const thingsIn = (db: Reader, list: readonly AuditEntry[]) =>
  namesOfThings(
    db,
    list.flatMap(({ account_id, resource_id: id, actor }) => [
      { account_id, id },
      ...(actor.startsWith(APP) ? [{ account_id: null, id: actor.slice(APP.length) }] : []),
    ]),
  )

/** What people did lately. */
export async function doings(list: readonly Deed[], { db, times }: Visit): Promise<Html> {
  const things = await namesOfThings(
    db,
    list.map(({ account_id, resource_id: id }) => ({ account_id, id })),
  )
  return html`<ol class="story slim">${list.map(
    (one) =>
      html`<li><span class="bead"></span><div class="by"><span><b>${one.name ?? 'Somebody who is gone'}</b> ${deed(one.action)}${one.resource_id && html`<br>${thing(one.resource_id, things, { face: 'operator' })}`}</span>${times.at(one.create_time)}</div></li>`,
  )}</ol>`
}

const addressOf = (query: Readonly<Record<string, string | undefined>>) => {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
  return `/console/operator/audit${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}

export const auditPages = ({ page }: Pages) => [
  page({
    url: '/console/operator/audit',
    operation: 'consoleAudit',
    summary: 'Show who did what',
    ...ofOperators,
    query: Query,
    async draw(visit) {
      const { after, ...asked } = visit.query
      const { actor, resource, account, cause } = asked
      const filter = {
        ...(actor && { actor }),
        ...(resource && { resource_id: resource }),
        ...(account && { account_id: account }),
        ...(cause && { cause }),
      }
      const read = await findEntries(visit.db, filter, PAGE_SIZE + 1, placeOf(after))
      const list = read.slice(0, PAGE_SIZE)
      const [names, things] = await Promise.all([namesOf(visit.db, personsIn(list)), thingsIn(visit.db, list)])
      const last = read.length > PAGE_SIZE ? list.at(-1) : undefined
      const narrow = (more: Readonly<Record<string, string>>, label: Content) =>
        html`<a class="plainly" href="${addressOf({ ...asked, ...more })}">${label}</a>`
      return {
        title: 'Audit log',
        content: html`${heading('Audit log', { sub: 'Who did what to what, the newest first: people, apps, commands, jobs and payers.' })}
<section class="sheet flush"><form class="sieve inside" role="search" aria-label="Search the audit log" action="/console/operator/audit"><input class="boxed" name="resource" maxlength="255" value="${resource}" aria-label="Id of what it was done to" placeholder="Id of what it was done to"><input class="boxed" name="account" maxlength="255" value="${account}" aria-label="Account" placeholder="Account"><input class="boxed" name="actor" maxlength="255" value="${actor}" aria-label="Who" placeholder="Who: app:…, person:…"><input class="boxed" name="cause" maxlength="255" value="${cause}" aria-label="Debug id" placeholder="Debug id"><button class="button quiet small">Search</button></form>${
          list.length === 0
            ? nothing('Nothing was done', 'Nothing in the log fits.')
            : html`<table class="rows audit"><thead><tr><th>When</th><th>Who</th><th>What</th><th>To what</th><th class="gone">From where</th></tr></thead><tbody>${list.map(
                (one) =>
                  html`<tr><td class="nowrap soft">${visit.times.at(one.create_time)}</td><td class="second">${narrow({ actor: one.actor }, whoDid(one.actor, names, things))}</td><td class="second">${deed(one.action)}<small>${one.arguments?.join(' ')}</small></td><td class="second">${one.resource_id && narrow({ resource: one.resource_id }, thing(one.resource_id, things, { face: 'operator', isLinked: false }))}<small>${one.account_id && html`<a href="/console/operator/accounts/${one.account_id}">${one.account_id}</a>`}</small></td><td class="gone soft">${one.address}<small>${narrow({ cause: one.cause }, mono(one.cause))}</small></td></tr>`,
              )}</tbody></table>${pager('Newest first', { newer: after ? addressOf(asked) : undefined, older: last ? addressOf({ ...asked, after: `${last.create_time}.${last.seq}` }) : undefined })}`
        }</section>`,
      }
    },
  }),
]
