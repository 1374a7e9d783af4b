import type { Reader, Tx } from '../../../database/transaction.ts'
import { forbidden, notFound } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { askTwice } from '../../forms/ask-twice.ts'
import { onceOnly } from '../../once.ts'
import type { Operations } from '../../operate.ts'
import { isOfAccount, isRole } from '../../roles.ts'
import { invitationJob } from '../../sign-in/invitation.ts'
import { addLink, consoleUrl, linkAddress } from '../../sign-in/links.ts'
import { listPasskeys } from '../../sign-in/passkeys.ts'
import {
  addPerson,
  findInvited,
  findPerson,
  type Grant,
  grantRole,
  holdPerson,
  listRoles,
  type Person,
  removePerson,
  revokeRole,
  signOutEverywhere,
} from '../../sign-in/people.ts'
import type { SignIn } from '../../sign-in/sign-in.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { invitedBy, placeOf } from './inviting.ts'
import { ListQuery, listPage } from './list.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Z0-9-]+$' }) })

const LINK_SHOWN_BEFORE =
  'They were invited already. Where the link was to be handed over and you did not see it, invite them again.'

const once = (tx: Tx, { who, typed }: Pick<Sent, 'who' | 'typed'>) => onceOnly(tx, who.caller.accountId, typed)

/** Somebody whom the visitor may manage. Others are not found, and neither is the visitor. */
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

export function peoplePages({ page, form }: Pages, operations: Operations, signIn: SignIn) {
  const { service, now } = signIn
  const { settings } = service
  const draw = listPage(operations, signIn)
  const access = { may: ['manage', 'operate'], liveOnly: true } as const

  /** Makes a link for somebody to hand over; returns an empty text when a link goes out by mail. */
  function letIn(tx: Tx, id: string, account: string | null, byMail: boolean): string {
    if (!byMail) return addLink(tx, id, now()).code
    tx.enqueue(invitationJob(id, account))
    return ''
  }

  async function afterInviting(sent: Sent, { name, email }: Pick<Person, 'name' | 'email'>, code: string) {
    if (code === '') return sent.lead('/console/people', `A link goes to ${email}.`)
    return sent.again(await draw(sent, { made: { name, link: linkAddress(consoleUrl(service), code) } }))
  }

  return [
    page({
      url: '/console/people',
      operation: 'consolePeople',
      summary: 'List people',
      ...access,
      query: ListQuery,
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
        const wish = await invitedBy(sent)
        if ('field' in wish) return sent.again(await draw(sent, { problem: wish, typed: sent.typed }))
        const byMail = settings.smtpUrl !== undefined && sent.typed['mail'] === 'true'
        const code = await sent.change(async (tx) => {
          await once(tx, sent)
          for (const { id } of await findInvited(tx, wish.email))
            if ((await listRoles(tx, id)).some(({ account_id }) => account_id === wish.grant.account_id))
              return undefined
          // This is always a new person: a link for somebody with another role elsewhere would open that role as well.
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
        const [person, code] = await sent.change(
          async (tx) => {
            await once(tx, sent)
            await holdPerson(tx, sent.params.id)
            const { person, held, isManaged } = await theirs(tx, sent)
            const [only, elsewhere] = held
            if (isManaged || !only || !settings.consolePasskeys) throw notFound('The invitation')
            // A link opens every role that somebody has. Whoever has a passkey can come in without one.
            if (elsewhere || (await listPasskeys(tx, person.id)).length > 0)
              throw forbidden('They can sign in already, or are somebody at another account too.')
            tx.about(only.account_id, person.id)
            return [person, letIn(tx, person.id, only.account_id, settings.smtpUrl !== undefined)] as const
          },
          { locks: true },
        )
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
