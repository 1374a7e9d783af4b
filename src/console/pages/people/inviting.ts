import { findAccount } from '../../../accounts/store.ts'
import { type Content, type Html, html } from '../../../http/html.ts'
import type { Service } from '../../../room.ts'
import { markedBelow, newRequestId, refusalBox, type Typed } from '../../forms/fields.ts'
import { sheet, taken } from '../../parts/parts.ts'
import { accountRoles, isOfAccount, isRole, type Role, roleNames, roles } from '../../roles.ts'
import { LINK_SECONDS } from '../../sign-in/links.ts'
import type { Grant } from '../../sign-in/people.ts'
import type { Sent, Visit } from '../../visit.ts'

/** What is wrong with an invitation, and in which field. */
export interface Wrong {
  readonly field: 'email' | 'name' | 'role' | 'account'
  readonly text: string
}

export interface Left {
  /** A link that was made a moment ago; it is shown now and never again. */
  readonly made?: { readonly name: string; readonly link: string }
  readonly problem?: Wrong
  readonly typed?: Typed
}

/** The account whose people the onlooker manages; undefined for those who manage everybody. */
export const placeOf = ({ who }: Pick<Visit, 'who'>): string | undefined => who.person?.account?.id

/** The roles that the onlooker can give: those of an account, or any role when they manage everybody. */
export const rolesOpenTo = (visit: Pick<Visit, 'who'>): readonly Role[] =>
  placeOf(visit) === undefined ? roles : accountRoles

export const options = (list: readonly Role[], chosen: string | undefined): Content =>
  list.map((role) => html`<option value="${role}"${role === chosen && html` selected`}>${roleNames[role]}</option>`)

/** An id by which a form is recognised when it is sent twice. */
export const known = (): Html => html`<input type="hidden" name="request-id" value="${newRequestId()}">`

/** Marks the field that a refusal is about, and names the sentence below it. */
function invalid(field: Wrong['field'], problem: Wrong | undefined, hint = ''): Content {
  const isWrong = problem?.field === field
  const described = [isWrong && `invite-${field}-problem`, hint].filter(Boolean).join(' ')
  return html`${isWrong && html` aria-invalid="true"`}${described !== '' && html` aria-describedby="${described}"`}`
}

const said = (field: Wrong['field'], problem: Wrong | undefined): Content =>
  problem?.field === field && html`<p class="problem" id="invite-${field}-problem">${problem.text}</p>`

export const inviting = (visit: Visit, { smtpUrl }: Service['settings'], { problem, typed = {} }: Left): Html =>
  sheet(
    'Invite somebody',
    html`<form class="stack" method="post" action="/console/people" id="invite">${known()}${problem && refusalBox(markedBelow)}
<div><label for="invite-email">E-mail address</label><input class="boxed" type="email" id="invite-email" name="email" required maxlength="254" value="${typed['email']}"${invalid('email', problem)}>${said('email', problem)}</div>
<div><label for="invite-name">Name</label><input class="boxed" id="invite-name" name="name" required maxlength="300" value="${typed['name']}"${invalid('name', problem)}>${said('name', problem)}</div>
<div><label for="invite-role">Role</label><select class="boxed" id="invite-role" name="role"${invalid('role', problem)}>${options(rolesOpenTo(visit), typed['role'])}</select>${said('role', problem)}</div>
${placeOf(visit) === undefined && html`<div><label for="invite-account">Account</label><input class="boxed" id="invite-account" name="account" maxlength="30" value="${typed['account']}"${invalid('account', problem, 'invite-account-hint')}>${said('account', problem)}<p class="hint" id="invite-account-hint">The id of the account that a viewer, support or admin works for.</p></div>`}
${smtpUrl !== undefined && html`<label class="tick"><input type="checkbox" name="mail" value="true"${(typed['email'] === undefined || typed['mail'] === 'true') && html` checked`}><span>Send the link by mail</span></label>`}
<div class="then"><p>The link signs them in once, within ${LINK_SECONDS / 60} minutes, and lets them make a passkey.</p></div><div class="buttons"><button class="button">Invite</button></div></form>`,
  )

export const shownOnce = ({ name, link }: NonNullable<Left['made']>): Html =>
  html`<section class="sheet secret" role="status"><header class="sheet-head"><h2>A link for ${name}</h2></header><p>Hand it over now: it is shown this once, works once, and for ${LINK_SECONDS / 60} minutes.</p><p class="below">${taken(link, 'link')}</p></section>`

/** Who is to be invited and as what, or why they cannot be. */
export async function invitedBy(visit: Sent): Promise<{ email: string; name: string; grant: Grant } | Wrong> {
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
