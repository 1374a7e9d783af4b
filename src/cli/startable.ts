import { SettingError } from '../config.ts'
import type { SecretRing } from '../kernel/secrets.ts'
import type { Settings } from '../settings.ts'

/** Refuses settings that are well written, each by itself, and with which no service could do its work. */
export async function requireStartable(settings: Settings): Promise<void> {
  requireSecrets(settings)
  requireWayIn(settings)
  await requireCallable(settings)
}

/** The service's secrets, which live has no default for. */
export function requireSecrets({ secrets }: Settings): SecretRing {
  if (secrets === undefined)
    throw new SettingError(
      'QUITTANCE_SECRET must be set in live: 32 or more random characters, the same for all processes.',
    )
  return secrets
}

/** Single sign-on needs all of its settings, and somebody must be able to come in. */
function requireWayIn({ consolePasskeys, consoleOidcIssuer, consoleOidcClientId, consoleOidcClientSecret }: Settings) {
  if (consoleOidcIssuer === undefined && !consolePasskeys)
    throw new SettingError('CONSOLE_PASSKEYS=off leaves no way into the console without CONSOLE_OIDC_ISSUER.')
  if (consoleOidcIssuer !== undefined && (consoleOidcClientId === undefined || consoleOidcClientSecret === undefined))
    throw new SettingError('CONSOLE_OIDC_ISSUER needs CONSOLE_OIDC_CLIENT_ID and CONSOLE_OIDC_CLIENT_SECRET.')
}

/** Every call would be refused, so the operator hears of it now rather than from the first customer. */
async function requireCallable(settings: Settings): Promise<void> {
  const { gatewayUrl, smtpUrl, consoleOidcIssuer, gatewayAllowHttp, gatewayAllowPrivate, smtpAllowPrivate } = settings
  if (gatewayUrl === undefined && smtpUrl === undefined && consoleOidcIssuer === undefined) return
  const [{ urlRefusal }, { dialRefusal }] = await Promise.all([
    import('../outbound/egress.ts'),
    import('../outbound/guard.ts'),
  ])
  const gateway =
    gatewayUrl && urlRefusal(gatewayUrl, { allowHttp: gatewayAllowHttp, allowPrivate: gatewayAllowPrivate })
  if (gateway)
    throw new SettingError(
      `GATEWAY_URL cannot be called: ${gateway} GATEWAY_ALLOW_HTTP and GATEWAY_ALLOW_PRIVATE allow one of your own network.`,
    )
  // Without it the page would tell every payer to pay offline.
  if (gatewayUrl !== undefined && settings.gatewaySecrets === undefined)
    throw new SettingError('GATEWAY_URL needs GATEWAY_SECRET, with which the calls to it are signed.')
  const { consoleOidcAllowHttp: allowHttp, consoleOidcAllowPrivate: allowPrivate } = settings
  const issuer = consoleOidcIssuer && urlRefusal(consoleOidcIssuer, { allowHttp, allowPrivate })
  if (issuer)
    throw new SettingError(
      `CONSOLE_OIDC_ISSUER cannot be called: ${issuer} CONSOLE_OIDC_ALLOW_HTTP and CONSOLE_OIDC_ALLOW_PRIVATE allow one of your own network.`,
    )
  const host = smtpUrl && new URL(smtpUrl).hostname.replace(/^\[|\]$/g, '')
  const mail = host && dialRefusal(host, { allowHttp: true, allowPrivate: smtpAllowPrivate })
  if (mail)
    throw new SettingError(`SMTP_URL cannot be called: ${mail} SMTP_ALLOW_PRIVATE allows one of your own network.`)
}
