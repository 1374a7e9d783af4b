import { html } from '../../../http/html.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import type { Operations } from '../../operate.ts'
import { heading, nothing, pager } from '../../parts/parts.ts'
import { listDeeds } from '../../sign-in/deeds.ts'
import { needsLink } from '../../sign-in/links.ts'
import { type ListedPerson, listPeople } from '../../sign-in/people.ts'
import type { SignIn } from '../../sign-in/sign-in.ts'
import { namesOfThings } from '../../things.ts'
import type { Visit } from '../../visit.ts'
import { deedsSheet } from './deeds.ts'
import { inviting, type Left, placeOf, shownOnce } from './inviting.ts'
import { row } from './rows.ts'

const PAGE_SIZE = 50
const PLACE_BETWEEN = '~'
export const ListQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 254 })),
  after: Type.Optional(Type.String({ maxLength: 300, pattern: `^.+${PLACE_BETWEEN}[A-Z0-9-]+$` })),
})

const addressOf = (q: string | undefined, after?: ListedPerson) => {
  const place = after && { after: `${after.email}${PLACE_BETWEEN}${after.id}` }
  const query = new URLSearchParams({ ...(q && { q }), ...place })
  return `/console/people${query.size > 0 ? `?${query}` : ''}`
}

/** The page with those who may sign in, ordered by address, and with what they did. */
export function listPage(operations: Operations, { service: { settings }, now }: SignIn) {
  return async (visit: Visit, left: Left = {}, { q = '', after: place }: Static<typeof ListQuery> = {}) => {
    const account = placeOf(visit)
    // An e-mail address may contain a `~` too, so the last one separates it from the id.
    const [, email, id] = /^(.+)~([^~]+)$/.exec(place ?? '') ?? []
    const [read, deeds] = await Promise.all([
      listPeople(visit.db, now(), account, {
        limit: PAGE_SIZE + 1,
        beginning: q.trim(),
        after: email !== undefined && id !== undefined ? { email, id } : undefined,
      }),
      listDeeds(visit.db, account),
    ])
    const things = await namesOfThings(
      visit.db,
      deeds.map(({ account_id, resource_id: id }) => ({ account_id, id })),
    )
    const canBeInvited = (one: ListedPerson) =>
      settings.consolePasskeys && one.roles.length === 1 && needsLink(one, now())
    const people = read.slice(0, PAGE_SIZE)
    const last = read.length > PAGE_SIZE ? people.at(-1) : undefined
    const isLong = last !== undefined || q !== '' || place !== undefined
    return {
      title: 'People',
      ...(left.problem && { status: 422 }),
      content: html`${heading('People', { sub: account === undefined ? 'Who may sign in, to all accounts and to the service.' : 'Who may sign in for this account.' })}${left.made && shownOnce(left.made)}
<div class="two"><div class="column"><section class="sheet flush">${isLong && html`<form class="sieve inside" role="search" aria-label="Search people" action="/console/people"><input class="boxed" type="search" name="q" maxlength="254" value="${q}" aria-label="Beginning of an address" placeholder="Beginning of an address"><button class="button quiet small">Search</button></form>`}${
        people.length === 0
          ? nothing('Nobody by that name', 'Search by the beginning of an address.')
          : html`<table class="rows people"><thead><tr><th>Who</th><th>Role</th><th class="gone">Last seen</th><th class="num"><span class="seen-not">Actions</span></th></tr></thead><tbody>${people.map((one) => row(one, visit, canBeInvited(one)))}</tbody></table>${isLong && pager('By address', { newer: place ? addressOf(q) : undefined, older: last && addressOf(q, last) })}`
      }</section>${deedsSheet(deeds, things, operations, visit)}</div>
<aside>${settings.consolePasskeys && inviting(visit, settings, left)}</aside></div>`,
    }
  }
}
