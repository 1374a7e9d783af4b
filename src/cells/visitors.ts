import type { IncomingHttpHeaders } from 'node:http'
import type { AnyRoute } from '../http/route.ts'
import type { Caller } from '../kernel/caller.ts'
import { invalidToken } from '../kernel/problem.ts'
import { ruleOf } from './routing.ts'

/** What an account can have in a cell that it does not live in, because it concerns those who do. All else of it is at home. */
const hadAbroad = /^\/v1\/(customer|apis|notifications|operator)\//

/**
 * Refuses an account of another cell what is found by the account that calls: the map of the balancer is older than a move, say, and
 * what would be made or listed here nobody looks for here. What it can have here it asks for at the name of this cell.
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
