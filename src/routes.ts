import { type TokenParts, tokenRoutes } from './accounts/tokens.ts'
import { type ConsoleRoutesParts, consoleRoutes } from './console/routes.ts'
import type { AnyRoute } from './http/route.ts'
import { type StatusParts, statusRoutes } from './http/status.ts'
import { referenceRoutes } from './reference/routes.ts'
import type { Service } from './room.ts'
import { rooms } from './rooms.ts'
import type { SandboxParts } from './sandbox/parts.ts'
import { sandboxRoutes } from './sandbox/routes.ts'

export interface RouteParts {
  readonly console: ConsoleRoutesParts
  readonly sandbox: SandboxParts
  readonly status: StatusParts
  readonly tokens: TokenParts
}

/** Every operation of the service; those of a sandbox only there. */
export function routesOf(
  service: Service,
  ofRooms: readonly AnyRoute[],
  { console, sandbox, status, tokens }: RouteParts,
): AnyRoute[] {
  const routes = [
    ...tokenRoutes(service, tokens),
    ...ofRooms,
    ...sandboxRoutes(sandbox),
    ...statusRoutes(status),
    ...referenceRoutes(console),
    ...consoleRoutes(console),
  ]
  const isHidden = ({ environment, url, onlyStatusPort }: AnyRoute) =>
    (environment !== undefined && environment !== service.environment && /^\/(sandbox|console|$)/.test(url)) ||
    (onlyStatusPort && service.settings.statusPort !== undefined)
  return routes.filter((route) => !isHidden(route))
}

/** The operations as data, without anything that runs: what the printed documents and the tests of them read. */
export function describedRoutes(service: Service): AnyRoute[] {
  // Handlers keep what they are given for later and are never called here.
  const unused = {} as never
  const ofRooms = rooms.flatMap((open) => open(service).routes ?? [])
  const console = { service } as never
  return routesOf(service, ofRooms, { console, sandbox: unused, status: unused, tokens: unused })
}
