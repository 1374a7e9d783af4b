import type { AnyRoute } from '../http/route.ts'
import { forbidden } from '../kernel/problem.ts'
import { type Capability, capabilities } from './roles.ts'
import type { Onlooker } from './who.ts'

/** Who may open a page or send a form. */
export interface Access {
  /** In live, it is open to whoever holds one of these. A page or form that names none belongs to the sandbox alone. */
  readonly may?: Capability | readonly Capability[]
  /** Whether it exists only in live. */
  readonly liveOnly?: boolean
}

/** Whether it is something that people do about themselves, wherever they work. */
export const isOwnMatter = (access: Access): boolean => mayOf(access).includes('self')

const declared = new WeakMap<AnyRoute, Access>()

/** What a page or form of the console declared about who may use it; undefined for routes of anything else. */
export const accessOf = (one: AnyRoute): Access | undefined => declared.get(one)

export const mayOf = ({ may = [] }: Access): readonly Capability[] => (typeof may === 'string' ? [may] : may)

/** Makes a route a page or form of the console, with what it declares about who may use it. */
export function declare(access: Access, made: AnyRoute): AnyRoute {
  const environment = access.may === undefined ? 'sandbox' : access.liveOnly ? 'live' : undefined
  const one: AnyRoute = environment === undefined ? made : { ...made, environment }
  declared.set(one, access)
  return one
}

/** Refuses whoever holds none of these capabilities. */
export function requireMay({ person, may }: Onlooker, wanted: readonly Capability[]): void {
  if (wanted.some(may)) return
  if (person?.isLooking) throw forbidden('You only look at this account; nobody acts for it from the outside.')
  throw forbidden(`Your role may not: ${wanted.map((one) => capabilities[one]).join('; ')}.`)
}
