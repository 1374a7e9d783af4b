import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { SettingsOf } from '../config.ts'
import { Problem } from '../kernel/problem.ts'
import type { httpSettings } from './settings.ts'

/** Endings that no public name server answers for. */
const privateEndings = ['localhost', 'test', 'internal', 'local', 'home.arpa']

type VisitorSettings = Pick<SettingsOf<typeof httpSettings>, 'host' | 'publicUrl' | 'allowedHosts'>

/**
 * Refuses what web pages of strangers send through a developer's browser. A sandbox has public credentials, and some
 * operations need none at all. So its only protection is that no page may talk to it: neither openly from another origin,
 * nor under a name of the stranger's own that was pointed at this machine.
 */
export function makeVisitorCheck({
  host,
  publicUrl,
  allowedHosts,
}: VisitorSettings): (request: IncomingMessage) => void {
  if (allowedHosts.includes('*')) return () => {}
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isOurs = (name: string) =>
    isPrivate(name) || name === host.toLowerCase() || name === publicOrigin?.hostname || allowedHosts.includes(name)
  const isWelcome = (origin: string) =>
    origin === publicOrigin?.origin || (URL.canParse(origin) && allowedHosts.includes(new URL(origin).hostname))

  return ({ method, headers }) => {
    const name = nameOf(headers.host ?? '')
    if (name !== undefined && !isOurs(name)) throw notThisHost(name)

    const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
    if (site === undefined ? origin === undefined || isSame(origin, headers.host) : isOwn(site)) return
    if (origin !== undefined && isWelcome(origin)) return
    // Links lead here from mails and from payment pages. They change nothing.
    if (mode === 'navigate' && (method === 'GET' || method === 'HEAD')) return
    throw notThisOrigin(origin)
  }
}

/** Browsers set this by themselves, and no page can make them lie. `none` is what a person typed or opened. */
const isOwn = (site: string | string[]) => site === 'same-origin' || site === 'none'

const isSame = (origin: string, host: string | undefined) => URL.canParse(origin) && new URL(origin).host === host

/**
 * Whether a stranger cannot point this name at us. An address is no name at all, and no public name server answers for a
 * single word or a reserved ending, such as the names of a container or of a machine in the office.
 */
const isPrivate = (name: string) =>
  isIP(name) > 0 || !name.includes('.') || privateEndings.some((ending) => name.endsWith(`.${ending}`))

/** The name in `name:port` or `[address]:port`, in lower case; undefined when there is none. */
function nameOf(host: string): string | undefined {
  const name = /^(?:\[([^\]]*)\]|([^:/]+))(?::\d*)?$/.exec(host)
  return (name?.[1] ?? name?.[2])?.toLowerCase().replace(/\.$/, '')
}

const refusal = (issue: string, field: string, description: string) =>
  new Problem(403, 'NOT_AUTHORIZED', [{ issue, field, location: 'header', description }])

const notThisHost = (name: string) =>
  refusal(
    'HOST_NOT_ALLOWED',
    'Host',
    `This sandbox does not answer to the name ${name.slice(0, 100)}, which a web page could have pointed at it: call it by its address, localhost or a name without dots, or add the name to the setting ALLOWED_HOSTS.`,
  )

const notThisOrigin = (origin: string | undefined) =>
  refusal(
    'ORIGIN_NOT_ALLOWED',
    'Origin',
    `This sandbox takes no requests from web pages of other origins${origin === undefined ? '' : ` (${origin.slice(0, 100)})`}: call it from a server, or add the host of the page to the setting ALLOWED_HOSTS.`,
  )
