import { type Content, type Html, html } from '../../../http/html.ts'
import { accountRoles, roleNames } from '../../roles.ts'
import type { ListedGrant, ListedPerson } from '../../sign-in/people.ts'
import type { Visit } from '../../visit.ts'
import { known, options, placeOf } from './inviting.ts'

/** The account that somebody belongs to, for those who see the people of all accounts. */
const whose = ({ account_id, account_name }: ListedGrant, ofAccount: boolean): Content =>
  account_id !== null &&
  !ofAccount &&
  html` of <a href="/console/operator/accounts/${account_id}">${account_name ?? account_id}</a>`

const describe = (grants: readonly ListedGrant[], ofAccount: boolean): Content =>
  grants.length === 0
    ? 'nothing any more'
    : grants.map((grant, i) => html`${i > 0 && ', '}${roleNames[grant.role]}${whose(grant, ofAccount)}`)

const act = (at: string, label: string, name: string): Html =>
  html`<form method="post" action="${at}">${known()}<button class="button small quiet">${label}<span class="seen-not"> ${name}</span></button></form>`

/** One of the people, with what can be done about them. */
export function row(one: ListedPerson, visit: Visit, isOutside: boolean): Html {
  const { id, name, email, issuer, roles: held, passkeys, logins, seen_time } = one
  const at = `/console/people/${id}`
  const isSelf = id === visit.who.person?.id
  const ofAccount = placeOf(visit) !== undefined
  const ways = issuer !== null ? 'by single sign-on' : passkeys === 1 ? 'one passkey' : `${passkeys || 'no'} passkeys`
  const [only] = held
  return html`<tr><td class="fill second"><b>${name}</b>${isSelf && html` <span class="soft">you</span>`}<small>${email}, ${ways}${logins > 0 && `, ${logins === 1 ? 'one login' : `${logins} logins`} open`}</small></td>
<td class="whole">${
    isSelf || issuer !== null || held.length !== 1
      ? describe(held, ofAccount)
      : html`<form class="inline" method="post" action="${at}/role">${known()}<label class="seen-not" for="role-${id}">Role of ${name}</label><select class="boxed" id="role-${id}" name="role">${options(only!.account_id === null ? ['agent', 'operator'] : accountRoles, only!.role)}</select><button class="button small quiet">Change<span class="seen-not"> the role of ${name}</span></button></form><small>${whose(only!, ofAccount)}</small>`
  }</td><td class="nowrap soft gone">${seen_time ? visit.times.at(seen_time) : 'never'}</td>
<td class="num right">${!isSelf && html`<div class="buttons">${isOutside && act(`${at}/invite`, 'Invite again', name)}${act(`${at}/sign-out`, 'Sign out', name)}<a class="button small danger" href="${at}/remove">Remove<span class="seen-not"> ${name}</span></a></div>`}</td></tr>`
}
