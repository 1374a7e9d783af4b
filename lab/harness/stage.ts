import { type FarEnds, openFarEnds } from './far-ends.ts'
import type { Ground } from './ground.ts'
import { Load, tokenOf } from './load.ts'
import {
  liveVariables,
  type Merchant,
  newMerchant,
  presentProgram,
  type ServiceProcess,
  startService,
} from './service.ts'

/** Live services on a database, a merchant, and far ends for what they send. */
export interface Stage {
  readonly services: readonly ServiceProcess[]
  readonly merchant: Merchant
  readonly farEnds: FarEnds
  readonly urls: readonly string[]
  newLoad(options?: ConstructorParameters<typeof Load>[2]): Load
  /** A further service of the same kind. */
  start(name: string, more?: Record<string, string>): Promise<ServiceProcess>
}

interface StageOptions {
  /** One address for each service. */
  readonly databaseUrls: readonly string[]
  readonly variables?: Record<string, string>
  /** Another version of the program. */
  readonly program?: string
}

export async function openStage(
  ground: Ground,
  { databaseUrls, variables = {}, program = presentProgram }: StageOptions,
): Promise<Stage> {
  const farEnds = await openFarEnds()
  ground.onClose(() => farEnds.close())
  const settings = (databaseUrl: string, more: Record<string, string> = {}) =>
    liveVariables(databaseUrl, {
      SMTP_URL: farEnds.smtpUrl,
      SMTP_ALLOW_PRIVATE: 'true',
      SMTP_ALLOW_PLAIN: 'true',
      MAIL_FROM: 'shop@example.com',
      ...variables,
      ...more,
    })
  const merchant = await newMerchant(settings(databaseUrls[0]!), program)
  const services: ServiceProcess[] = []
  for (const [i, url] of databaseUrls.entries())
    services.push(await startService(ground, `service-${i + 1}`, settings(url), program))
  const urls = services.map(({ url }) => url)
  await subscribe(urls[0]!, merchant, farEnds.webhookUrl)
  return {
    services,
    merchant,
    farEnds,
    urls,
    newLoad(options) {
      const load = new Load(urls, merchant, options)
      ground.onClose(() => load.abandon())
      return load
    },
    start: (name, more) => startService(ground, name, settings(databaseUrls[0]!, more)),
  }
}

async function subscribe(target: string, merchant: Merchant, url: string): Promise<void> {
  const response = await fetch(`${target}/v1/notifications/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await tokenOf(target, merchant)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_types: [{ name: '*' }] }),
  })
  if (!response.ok) throw new Error(`The webhook was refused: ${response.status} ${await response.text()}`)
}
