import { type JobContext, type JobDefinition, job } from '../jobs/job-definition.ts'
import type { LogoPayload } from '../kernel/logo.ts'
import { openOutbound } from '../outbound/http.ts'
import type { Service } from '../room.ts'
import { LOGO_BYTES_MAX, type LogoImage } from './logo-image.ts'
import { isLogoFresh, saveLogo } from './logo-store.ts'
import { developLogo } from './press.ts'

const FETCH_TIMEOUT_MS = 5_000

/** Makes sure that there is a copy of a logo no older than a day, if its server has one to give. Never fails for it. */
export type KeepLogo = (logo: LogoPayload, context: Pick<JobContext, 'db' | 'now' | 'transact'>) => Promise<void>

/** Fetches merchants' logos, through the same guard as webhooks: both are addresses that merchants write. */
export function openLogos({ settings }: Service): { keep: KeepLogo; close(): Promise<void> } {
  const { webhookAllowHttp: allowHttp, webhookAllowPrivate: allowPrivate } = settings
  const outbound = openOutbound({ allowHttp, allowPrivate, totalTimeoutMs: FETCH_TIMEOUT_MS })
  const underWay = new Map<string, Promise<void>>()

  async function take(url: string): Promise<LogoImage> {
    const headers = { accept: 'image/png, image/jpeg' }
    const { status, body } = await outbound.download({ url, headers, bytesMax: LOGO_BYTES_MAX })
    if (status !== 200) throw new Error(`The server of the logo answered ${status}.`)
    return developLogo(body)
  }

  async function fetchLogo(
    { account_id, url }: LogoPayload,
    { transact }: Pick<JobContext, 'transact'>,
  ): Promise<void> {
    // Whatever is wrong with it is between the merchant and their server; an invoice looks well without a logo.
    const image = await take(url).catch(() => undefined)
    await transact(async (tx) => saveLogo(tx, account_id, url, image))
  }

  return {
    async keep(logo, context) {
      if (await isLogoFresh(context.db, logo.account_id, logo.url, context.now)) return
      const key = `${logo.account_id} ${logo.url}`
      const fetching = underWay.get(key) ?? fetchLogo(logo, context).finally(() => underWay.delete(key))
      underWay.set(key, fetching)
      await fetching
    },
    close: () => outbound.close(),
  }
}

export const logoJobs = (keep: KeepLogo): JobDefinition[] => [
  job<LogoPayload>({ name: 'fetch-logo', retryAfter: [5, 60], run: (logo, context) => keep(logo, context) }),
]
