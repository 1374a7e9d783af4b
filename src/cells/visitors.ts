import type { IncomingHttpHeaders } from 'node:http'
import type { AnyRoute } from '../http/route.ts'
import type { Caller } from '../kernel/caller.ts'
import { invalidToken } from '../kernel/problem.ts'
import { ruleOf } from './routing.ts'

/** What an account can have in a cell that it does not live in, because it concerns those that do. All else of it is at home. */
const hadAbroad = /^\/v1\/(customer|apis|notifications|operator)\//

/**
 * Refuses calls by an account of another cell that are about the caller's own things. They may come here because the balancer's
 * map is older than a move, and nobody would look here for what they make or list. What the account can have in this cell it
 * must ask for at this cell's own host name.
 */
export const makeCellCheck =
  (cell: string | undefined) =>
  (route: AnyRoute, { elsewhere }: Caller, { host = '' }: IncomingHttpHeaders): void => {
    if (elsewhere === undefined || ruleOf(route)?.by !== 'account') return
    if (!hadAbroad.test(route.url)) throw invalidToken(elsewhere)
    const name = `cell-${cell?.toLowerCase()}.`
    if (!host.toLowerCase().startsWith(name))
      throw invalidToken(
        `${elsewhere} What it has in cell ${cell} is found at the name of that, ${name} before the domain.`,
      )
  }
