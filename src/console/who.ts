import { expandScopes, operatorScope } from '../accounts/scopes.ts'
import { findApp } from '../accounts/store.ts'
import type { Reader } from '../database/transaction.ts'
import { cookieOf } from '../http/cookies.ts'
import type { Caller } from '../kernel/caller.ts'
import { unavailable } from '../kernel/problem.ts'
import { people } from '../sandbox/people.ts'
import type { Capability, Role } from './roles.ts'

/** The people of a sandbox through whose eyes it can be looked at; shape and letter tell them apart, not colour. */
export const eyes = {
  merchant: { label: 'Merchant', letter: 'M', client: 'sandbox-merchant' },
  merchant2: { label: 'Second merchant', letter: '2', client: 'sandbox-merchant-2' },
  buyer: { label: 'Buyer', letter: 'B', client: 'sandbox-buyer' },
  partner: { label: 'Partner', letter: 'P', client: 'sandbox-partner' },
  agent: { label: 'Agent', letter: 'A', client: undefined },
} as const
export type Eyes = keyof typeof eyes
export const eyesNames = Object.keys(eyes) as Eyes[]

/** Whose request it was, by the client id that sent it. */
export const eyesOf = (clientId: string | undefined): Eyes | undefined =>
  clientId === 'console' ? 'agent' : eyesNames.find((name) => clientId !== undefined && eyes[name].client === clientId)

/** Who looks at a page, and as whom the API answers. Pages know nothing else about them. */
export interface Onlooker {
  readonly face: 'sandbox' | 'live'
  readonly mark: Eyes
  readonly name: string
  readonly caller: Caller
  /** The zone in which times are told. */
  readonly zone: string
  /** The zone in which the days of the account begin and end, and with them what is late. */
  readonly accountZone: string
  /** Whether they may do what takes this capability. In a sandbox everybody may do everything. */
  may(capability: Capability): boolean
  /** Who it is, where people must sign in. */
  readonly person?: SignedIn
}

/** Somebody who signed in, at the place they work at now. */
export interface SignedIn {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: Role
  /** The account they work for, or that an operator looks at. */
  readonly account?: { readonly id: string; readonly name: string }
  /** Whether this is an operator who sees an account as its people do, and can change nothing. */
  readonly isLooking: boolean
  /** Their other places: other accounts, or the service. */
  readonly elsewhere: readonly { readonly value: string; readonly label: string }[]
  /** What their cookie holds; forms are bound to it. */
  readonly session: string
  /** Whether they proved who they are a few minutes ago at most. */
  readonly isFresh: boolean
  /** Whether they came by a link a few minutes ago, which lets them make a passkey and nothing else that is grave. */
  readonly isJustIn: boolean
  /** Whether single sign-on vouches for them, and says what they are. */
  readonly isManaged: boolean
}

/** Somebody who decides disputes. In the sandbox no app stands behind them. */
const agent: Caller = {
  appId: 'console',
  clientId: 'console',
  accountId: '',
  onBehalf: false,
  hasConsents: false,
  scopes: new Set([operatorScope]),
  roles: ['agent'],
}

const COOKIE = 'console-eyes'

export const eyesIn = (cookies: string | undefined): Eyes => {
  const chosen = cookieOf(cookies, COOKIE)
  return eyesNames.find((name) => name === chosen) ?? 'merchant'
}

export const eyesCookie = (chosen: Eyes) => `${COOKIE}=${chosen}; Path=/console; HttpOnly; SameSite=Lax`

/**
 * A person of the sandbox. Here parties act only as parties and agents only as agents, although a token of the sandbox opens
 * both: so each sees what is theirs to do.
 */
export async function onlookerAs(db: Reader, mark: Eyes): Promise<Onlooker> {
  const { label, client } = eyes[mark]
  const accountZone = people.merchant.time_zone
  const shared = { face: 'sandbox', mark, name: label, zone: 'utc', accountZone, may: () => true } as const
  if (client === undefined) return { ...shared, caller: agent }
  const app = await findApp(db, client)
  if (!app) throw unavailable('The sandbox is being emptied; look again in a moment.')
  const caller: Caller = {
    appId: app.id,
    clientId: app.client_id,
    accountId: app.account_id,
    onBehalf: false,
    hasConsents: mark === 'partner',
    scopes: expandScopes(app.scopes),
    roles: [],
  }
  return { ...shared, caller }
}
