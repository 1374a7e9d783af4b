import type { SettingsOf } from '../config.ts'
import { ProcessorShare } from '../http/limits/processor-share.ts'
import { networkOf, RateLimit } from '../http/limits/rate-limit.ts'
import type { ServerParts } from '../http/server.ts'
import type { Caller } from '../kernel/caller.ts'
import { clientIdOf } from './authenticate-client.ts'
import type { accountSettings } from './settings.ts'

/**
 * Several apps may share an address, and one address can change the client id that it asks with at will. So it may ask for this
 * many times as many tokens as one client id.
 */
const TOKENS_OF_ADDRESS = 10
/** A body counts as one more request for every so many bytes: what it takes to read, compute and store grows with its size. */
const REQUEST_BYTES = 16_384

/** How much processor time an address without a token may take, as a part of what an account may take. */
const SHARE_OF_ADDRESS = 0.5

type AccountSettings = SettingsOf<typeof accountSettings>

/** How many tokens one address may ask for in a minute, and how many tokens that nobody holds it may bring in that time. */
export const tokensOfAddress = ({ tokenRateLimitPerMinute }: AccountSettings): number =>
  tokenRateLimitPerMinute * TOKENS_OF_ADDRESS

/** The name under which the requests of a caller are counted: that of the person where there is one, else that of the app. */
const nameOf = ({ appId, personId }: Caller): string => personId ?? appId

/** How much one caller may ask for: an app, a person at the console, a client id that wants a token, or an address that looks at pages. */
export function makeAdmission(settings: AccountSettings): Pick<ServerParts, 'admit' | 'charge' | 'takeTurn'> {
  const requests = new RateLimit(settings.rateLimitPerMinute, settings.rateLimitBurst)
  const tokens = new RateLimit(settings.tokenRateLimitPerMinute, settings.tokenRateLimitPerMinute)
  const addresses = new RateLimit(tokensOfAddress(settings), tokensOfAddress(settings))
  const pages = new RateLimit(settings.pageRateLimitPerMinute, settings.pageRateLimitPerMinute)
  const share = new ProcessorShare()
  const msPerSecond = settings.processorSharePercent * 10
  return {
    ...(msPerSecond > 0 && {
      takeTurn({ always, errors, limitedBy }, { caller, ip }) {
        if (caller) return share.take(caller.accountId, msPerSecond)
        if (always || (limitedBy !== 'address' && errors !== 'oauth')) return undefined
        return share.take(networkOf(ip), msPerSecond * SHARE_OF_ADDRESS)
      },
    }),
    admit({ errors, limitedBy }, { caller, headers, ip }) {
      if (caller) return requests.take(nameOf(caller))
      if (limitedBy === 'address') return pages.take(networkOf(ip))
      if (errors !== 'oauth') return {}
      // Counted by address and client id together, so that a stranger who guesses cannot keep the owner of a client id out.
      const network = networkOf(ip)
      addresses.take(network)
      return tokens.take(`${network} ${clientIdOf(headers)}`)
    },
    charge: (caller, bytes) => requests.charge(nameOf(caller), Math.floor(bytes / REQUEST_BYTES)),
  }
}
