import { findAccount } from '../../accounts/store.ts'
import { isOfAccount, isRole, roles } from '../../console/roles.ts'
import { addLink, linkAddress } from '../../console/sign-in/links.ts'
import {
  addPerson,
  findInvited,
  findPerson,
  grantRole,
  holdPerson,
  listEverybody,
  listRoles,
  type Person,
  removePerson,
  shutOut,
  signOutEverywhere,
} from '../../console/sign-in/people.ts'
import type { Reader } from '../../database/transaction.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type Command, CommandError, type CommandInput, type StoreInput, UsageError } from '../command.ts'
import { publicUrlOf } from '../public-url.ts'

/** The people who sign in to the console of a live service, and the first of them. */
export const consoleCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'console invite',
    summary: 'Let a person sign in to the console, and print a link that works once',
    options: {
      role: {
        type: 'string',
        value: '<role>',
        description: `What they are to be: ${roles.join(', ')}`,
        choices: () => roles,
      },
      email: { type: 'string', value: '<address>', description: 'Their e-mail address', personal: true },
      name: {
        type: 'string',
        value: '<name>',
        description: 'What to call them; the address by default',
        personal: true,
      },
      account: {
        type: 'string',
        value: '<id>',
        description: 'The account that a viewer, support or admin works for',
      },
    },
    examples: [
      ['console invite --role operator --email jon@example.com', 'print a link for the first operator'],
      ['console invite --role admin --account 8KB4X… --email ann@example.com', 'and for an admin of an account'],
    ],
    check: readInvited,
    run: invite,
  },
  {
    kind: 'store',
    name: 'console people',
    summary: 'List who may sign in to the console',
    examples: [
      ['console people', 'shows all of them'],
      ['console people --account 5D7AXM9OKD1Q6', 'those of one account'],
    ],
    options: { account: { type: 'string', value: '<id>', description: 'Only those of this account' } },
    async run({ db, options }) {
      const account = options['account']
      const people = await listEverybody(db, systemClock.now(), typeof account === 'string' ? account : undefined)
      return people.map(({ id, name, email, issuer, roles: held, passkeys, logins, seen_time }) => ({
        person_id: id,
        name,
        email,
        roles: held.map(({ role, account_id }) => (account_id === null ? role : `${role}@${account_id}`)),
        passkeys,
        signed_in: logins,
        last_seen: seen_time,
        ...(issuer !== null && { issuer }),
      }))
    },
  },
  {
    kind: 'store',
    name: 'console sign-out',
    summary: 'End every sign-in of a person, and their links',
    arguments: ['e-mail address or person id'],
    examples: [['console sign-out jon@example.com', 'they may sign in again']],
    run: (input) => changePerson(input, 'SIGNED_OUT', (tx, { id }) => signOutEverywhere(tx, id)),
  },
  {
    kind: 'store',
    name: 'console remove',
    summary: 'Revoke everything that lets a person sign in',
    arguments: ['e-mail address or person id'],
    examples: [['console remove jon@example.com', 'they may not sign in again']],
    run: (input) => changePerson(input, 'REMOVED', (tx, { id }) => removePerson(tx, id)),
  },
]

function readInvited({ settings, options: { role, email, account } }: CommandInput) {
  if (settings.environment !== 'live')
    throw new CommandError('The console of a sandbox needs no sign-in: open /console.')
  if (!settings.consolePasskeys)
    throw new CommandError('People sign in here by single sign-on only: give the person a group that has a role.')
  if (typeof role !== 'string' || !isRole(role)) throw new UsageError(`--role must be one of ${roles.join(', ')}.`)
  if (typeof email !== 'string' || !/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email))
    throw new UsageError('--email must be an e-mail address.')
  if (!isOfAccount(role) && account !== undefined) throw new UsageError(`--account does not go with --role ${role}.`)
  if (isOfAccount(role) && typeof account !== 'string') throw new UsageError(`--role ${role} needs --account <id>.`)
  return { role, email, account: account as string | undefined }
}

async function invite(input: StoreInput) {
  const { db, transact, settings, options } = input
  const { role, email, account } = readInvited(input)
  const address = settings.consoleUrl ?? publicUrlOf(settings, 'the link leads there')
  const accountId = account === undefined ? null : await requireAccount(db, account)
  const called =
    String(options['name'] ?? '')
      .trim()
      .slice(0, 300) || email
  const now = systemClock.now()
  const { id, code, expires } = await transact(
    async (tx) => {
      const [known, another] = await findInvited(tx, email)
      if (known && another)
        throw new CommandError(`Several people have this address (${known.id}, ${another.id}, …); remove all but one.`)
      if (known) await holdPerson(tx, known.id)
      // Admins invite under any address, and may hold the passkey that was made then: it must not open another place.
      const held = known ? await listRoles(tx, known.id) : []
      if (known && !held.some(({ account_id }) => account_id === accountId)) shutOut(tx, known.id)
      const person = known?.id ?? addPerson(tx, { name: called, email })
      grantRole(tx, person, { role, account_id: accountId })
      return { id: person, ...addLink(tx, person, now) }
    },
    { locks: true },
  )
  return { person_id: id, role, link: linkAddress(address, code), expires }
}

/** The account of a role that goes with one. */
async function requireAccount(db: Reader, account: string): Promise<string> {
  const found = await findAccount(db, account)
  if (!found) throw new CommandError(`There is no account ${account}.`)
  if (found.kind !== 'BUSINESS') throw new CommandError('The console is for the people of business accounts.')
  return found.id
}

async function changePerson(
  { db, transact, arguments: [name] }: StoreInput,
  status: string,
  change: (tx: Parameters<Parameters<StoreInput['transact']>[0]>[0], person: Person) => void,
) {
  const people = name!.includes('@') ? await findInvited(db, name!) : [await findPerson(db, name!)]
  const found = people.filter((person) => person !== undefined)
  if (found.length === 0) throw new CommandError(`There is no person ${name}; "quittance console people" lists them.`)
  for (const person of found) await transact(async (tx) => change(tx, person))
  return found.map(({ id }) => ({ person_id: id, status }))
}
