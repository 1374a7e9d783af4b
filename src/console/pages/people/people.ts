import { findAccount } from '../../../accounts/store.ts'
import type { Reader, Tx } from '../../../database/transaction.ts'
import { html } from '../../../http/html.ts'
import { forbidden, notFound } from '../../../kernel/problem.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import { askTwice } from '../../forms/ask-twice.ts'
import { onceOnly } from '../../once.ts'
import type { Operations } from '../../operate.ts'
import { heading, nothing, pager } from '../../parts/parts.ts'
import { isOfAccount, isRole } from '../../roles.ts'
import { listDeeds } from '../../sign-in/deeds.ts'
import { invitationJob } from '../../sign-in/invitation.ts'
import { addLink, consoleUrl, linkAddress, needsLink } from '../../sign-in/links.ts'
import { listPasskeys } from '../../sign-in/passkeys.ts'
import {
  addPerson,
  findInvited,
  findPerson,
  type Grant,
  grantRole,
  type ListedPerson,
  listPeople,
  listRoles,
  type Person,
  removePerson,
  revokeRole,
  signOutEverywhere,
} from '../../sign-in/people.ts'
import type { SignIn } from '../../sign-in/sign-in.ts'
import { namesOfThings } from '../../things.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { deedsSheet } from './deeds.ts'
import { inviting, type Left, placeOf, rolesOpenTo, shownOnce, type Wrong } from './inviting.ts'
import { row } from './rows.ts'

const PAGE_SIZE = 50
const PLACE_BETWEEN = '~'
const Query = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 254 })),
  after: Type.Optional(Type.String({ maxLength: 300, pattern: `^.+${PLACE_BETWEEN}[A-Z0-9-]+$` })),
})

const addressOf = (q: string | undefined, after?: ListedPerson) => {
  const place = after && { after: `${after.email}${PLACE_BETWEEN}${after.id}` }
  const query = new URLSearchParams({ ...(q && { q }), ...place })
  return `/console/people${query.size > 0 ? `?${query}` : ''}`
}

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Z0-9-]+$' }) })

const LINK_SHOWN_BEFORE =
  'They were invited already. Where the link was to be handed over and you did not see it, invite them again.'

const once = (tx: Tx, { who, typed }: Pick<Sent, 'who' | 'typed'>) => onceOnly(tx, who.caller.accountId, typed)

export function peoplePages({ page, form }: Pages, operations: Operations, { service, now }: SignIn) {
  const { settings } = service
  const access = { may: ['manage', 'operate'], liveOnly: true } as const

  async function draw(visit: Visit, left: Left = {}, { q = '', after: place }: Static<typeof Query> = {}) {
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

  /** Somebody whom the visitor may manage. Others, and oneself, are not found. */
  async function theirs(
    db: Reader,
    { who, params }: Pick<Visit<typeof Id>, 'who' | 'params'>,
  ): Promise<{ person: Person; held: Grant[]; isManaged: boolean }> {
    const [person, held] = [await findPerson(db, params.id), await listRoles(db, params.id)]
    const account = placeOf({ who })
    const isHere = account === undefined || held.some(({ account_id }) => account_id === account)
    if (!person || !isHere || person.id === who.person?.id) throw notFound('The person')
    return { person, held, isManaged: person.issuer !== null }
  }

  /** A link for somebody to hand over; empty where one goes out by mail. */
  function letIn(tx: Tx, id: string, account: string | null, byMail: boolean): string {
    if (!byMail) return addLink(tx, id, now()).code
    tx.enqueue(invitationJob(id, account))
    return ''
  }

  async function afterInviting(sent: Sent, { name, email }: Pick<Person, 'name' | 'email'>, code: string) {
    if (code === '') return sent.lead('/console/people', `A link goes to ${email}.`)
    return sent.again(await draw(sent, { made: { name, link: linkAddress(consoleUrl(service), code) } }))
  }

  /** What is asked for, or why it cannot be. */
  async function invited(visit: Sent): Promise<{ email: string; name: string; grant: Grant } | Wrong> {
    const { typed } = visit
    const [email, name, role] = [typed['email']?.trim() ?? '', typed['name']?.trim() ?? '', typed['role'] ?? '']
    if (!/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email)) return { field: 'email', text: 'Give an e-mail address.' }
    if (name === '' || name.length > 300) return { field: 'name', text: 'Give a name of at most 300 characters.' }
    if (!isRole(role) || !rolesOpenTo(visit).includes(role)) return { field: 'role', text: 'Choose a role.' }
    const named = placeOf(visit) ?? typed['account']?.trim()
    if (!isOfAccount(role)) return { email, name, grant: { role, account_id: null } }
    const account = named ? await findAccount(visit.db, named) : undefined
    if (account?.kind !== 'BUSINESS') return { field: 'account', text: 'Name the business account that they work for.' }
    return { email, name, grant: { role, account_id: account.id } }
  }

  return [
    page({
      url: '/console/people',
      operation: 'consolePeople',
      summary: 'List people',
      ...access,
      query: Query,
      draw: (visit) => draw(visit as Visit, {}, visit.query),
    }),
    form({
      url: '/console/people',
      operation: 'consoleInvite',
      summary: 'Invite a person',
      ...access,
      isGrave: true,
      twice: LINK_SHOWN_BEFORE,
      async take(sent) {
        const wish = await invited(sent)
        if ('field' in wish) return sent.again(await draw(sent, { problem: wish, typed: sent.typed }))
        const byMail = settings.smtpUrl !== undefined && sent.typed['mail'] === 'true'
        const code = await sent.change(async (tx) => {
          await once(tx, sent)
          for (const { id } of await findInvited(tx, wish.email))
            if ((await listRoles(tx, id)).some(({ account_id }) => account_id === wish.grant.account_id))
              return undefined
          // Always a new person: a link for somebody with another role elsewhere would open that as well.
          const id = addPerson(tx, wish)
          grantRole(tx, id, wish.grant)
          return letIn(tx, id, wish.grant.account_id, byMail)
        })
        if (code === undefined) {
          const text = 'Somebody with this address is in the list already; change their role there.'
          const problem = { field: 'email', text } as const
          return sent.again(await draw(sent, { problem, typed: sent.typed }))
        }
        return afterInviting(sent, wish, code)
      },
    }),
    form({
      url: '/console/people/:id/invite',
      operation: 'consoleInviteAgain',
      summary: 'Invite a person again',
      params: Id,
      ...access,
      isGrave: true,
      twice: LINK_SHOWN_BEFORE,
      async take(sent) {
        const [person, code] = await sent.change(async (tx) => {
          await once(tx, sent)
          const { person, held, isManaged } = await theirs(tx, sent)
          const [only, elsewhere] = held
          if (isManaged || !only || !settings.consolePasskeys) throw notFound('The invitation')
          // A link opens every role that somebody has. Whoever has a passkey can come in without one.
          if (elsewhere || (await listPasskeys(tx, person.id)).length > 0)
            throw forbidden('They can sign in already, or are somebody at another account too.')
          tx.about(only.account_id, person.id)
          return [person, letIn(tx, person.id, only.account_id, settings.smtpUrl !== undefined)] as const
        })
        return afterInviting(sent, person, code)
      },
    }),
    form({
      url: '/console/people/:id/role',
      operation: 'consoleChangeRole',
      summary: 'Change the role of a person',
      params: Id,
      ...access,
      isGrave: true,
      twice: 'The role was changed; they sign in anew.',
      async take(sent) {
        const role = sent.typed['role'] ?? ''
        await sent.change(async (tx) => {
          await once(tx, sent)
          const { held, isManaged } = await theirs(tx, sent)
          const [only] =
            placeOf(sent) === undefined ? held : held.filter(({ account_id }) => account_id === placeOf(sent))
          const fits = isRole(role) && only && isOfAccount(role) === (only.account_id !== null)
          if (!fits || isManaged) throw notFound('The role')
          grantRole(tx, sent.params.id, { role, account_id: only.account_id })
          signOutEverywhere(tx, sent.params.id, only.account_id)
        })
        return sent.lead('/console/people', 'The role was changed; they sign in anew.')
      },
    }),
    form({
      url: '/console/people/:id/sign-out',
      operation: 'consoleSignOutPerson',
      summary: 'Sign a person out everywhere',
      params: Id,
      ...access,
      async take(sent) {
        await sent.change(async (tx) => {
          await theirs(tx, sent)
          signOutEverywhere(tx, sent.params.id, placeOf(sent) ?? null)
        })
        return sent.lead('/console/people', 'They are signed out everywhere.')
      },
    }),
    page({
      url: '/console/people/:id/remove',
      operation: 'consoleAskRemovePerson',
      summary: 'Ask before a person is removed',
      params: Id,
      ...access,
      async draw(visit) {
        const { id, name, email } = (await theirs(visit.db, visit)).person
        return askTwice({
          title: `Remove ${name}?`,
          back: ['People', '/console/people'],
          text: `${email} is signed out and may not sign in ${placeOf(visit) ? 'for this account ' : ''}any more. This cannot be undone; the audit log keeps what they did.`,
          action: `/console/people/${id}/remove`,
          button: 'Remove the person',
        })
      },
    }),
    form({
      url: '/console/people/:id/remove',
      operation: 'consoleRemovePerson',
      summary: 'Remove a person',
      params: Id,
      ...access,
      isGrave: true,
      twice: 'They may not sign in any more.',
      twiceAt: '/console/people',
      async take(sent) {
        const account = placeOf(sent)
        await sent.change(async (tx) => {
          await once(tx, sent)
          const { held } = await theirs(tx, sent)
          // Somebody with a role elsewhere keeps it, and loses only the one here.
          if (account === undefined || held.length === 1) return removePerson(tx, sent.params.id, account ?? null)
          revokeRole(tx, sent.params.id, account)
          signOutEverywhere(tx, sent.params.id, account)
        })
        return sent.lead('/console/people', 'They may not sign in any more.')
      },
    }),
  ]
}
