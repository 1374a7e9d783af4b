import { type JobContext, type JobDefinition, job } from '../../jobs/job-definition.ts'
import { after } from '../../kernel/clock.ts'
import { type LogoPayload, logoJob } from '../../kernel/logo.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import { openOutbound } from '../../outbound/http.ts'
import type { Service } from '../../room.ts'
import type { Printer } from '../print/printer.ts'
import { LOGO_BYTES_MAX, type LogoImage } from './image.ts'
import { isLogoFresh, saveLogo } from './store.ts'

const FETCH_TIMEOUT_MS = 5_000
/**
 * Workers serve all merchants. So one merchant may only keep so many waiting at a time, and is left alone for a while if
 * slow.
 */
const FETCHES_PER_ACCOUNT = 2
const SLOW_MS = 1_000
const MOMENT_MS = 100
const LEFT_ALONE_MS = 10 * 60_000
const LEFT_ALONE_MAX = 10_000
const PUT_OFF_SECONDS = 5

/**
 * Makes sure that there is a copy of a logo that is at most a day old, if its server has one to give. Never fails if it has
 * none. Says `busy` and does nothing while the account has as many fetches under way as it may.
 */
export type KeepLogo = (
  logo: LogoPayload,
  context: Pick<JobContext, 'db' | 'now' | 'transact'>,
) => Promise<'done' | 'busy'>

/** Fetches the logos of merchants through the same guard as webhooks, because merchants write both addresses. */
export function openLogos({ settings }: Service, printer: Printer): { keep: KeepLogo; close(): Promise<void> } {
  const { webhookAllowHttp: allowHttp, webhookAllowPrivate: allowPrivate } = settings
  const outbound = openOutbound({ allowHttp, allowPrivate, totalTimeoutMs: FETCH_TIMEOUT_MS })
  /** By account, and then by address. */
  const underWay = new Map<string, Map<string, Promise<void>>>()
  /** Accounts whose servers kept us waiting, and until when their logos are left alone. */
  const leftAlone = new RecentMap<string, number>(LEFT_ALONE_MAX)

  async function take({ account_id, url }: LogoPayload): Promise<LogoImage> {
    let waitedMs = 0
    // Counted in ticks and not by the clock: no tick comes while this process is busy, so the server is not blamed for that.
    const waiting = setInterval(() => {
      waitedMs += MOMENT_MS
    }, MOMENT_MS)
    const headers = { accept: 'image/png, image/jpeg' }
    const answer = outbound.download({ url, headers, bytesMax: LOGO_BYTES_MAX })
    const { status, body } = await answer.finally(() => {
      clearInterval(waiting)
      if (waitedMs < SLOW_MS) return
      leftAlone.set(account_id, performance.now() + LEFT_ALONE_MS)
    })
    if (status !== 200) throw new Error(`The server of the logo answered ${status}.`)
    return printer.readLogo(account_id, body)
  }

  async function fetchLogo(logo: LogoPayload, { transact }: Pick<JobContext, 'transact'>): Promise<void> {
    // What is wrong with a logo is between the merchant and their server. An invoice looks well without it.
    const image = await take(logo).catch(() => undefined)
    await transact(async (tx) => saveLogo(tx, logo.account_id, logo.url, image))
  }

  return {
    async keep(logo, context) {
      const { account_id, url } = logo
      if ((leftAlone.get(account_id) ?? 0) > performance.now()) return 'done'
      if (await isLogoFresh(context.db, account_id, url, context.now)) return 'done'
      const ofAccount = underWay.get(account_id) ?? new Map<string, Promise<void>>()
      let fetching = ofAccount.get(url)
      if (!fetching) {
        if (ofAccount.size >= FETCHES_PER_ACCOUNT) return 'busy'
        fetching = fetchLogo(logo, context).finally(() => {
          ofAccount.delete(url)
          if (ofAccount.size === 0) underWay.delete(account_id)
        })
        ofAccount.set(url, fetching)
        underWay.set(account_id, ofAccount)
      }
      await fetching
      return 'done'
    },
    close: () => outbound.close(),
  }
}

export const logoJobs = (keep: KeepLogo): JobDefinition[] => [
  job<LogoPayload>({
    name: 'fetch-logo',
    foretell: ({ url }) => `The picture at ${url.split('?', 1)[0]} is fetched.`,
    retryAfter: [5, 60],
    async run(logo, context) {
      if ((await keep(logo, context)) === 'done') return
      const again = logoJob(logo.account_id, logo.url)
      await context.transact(async (tx) =>
        tx.enqueue({ ...again, runAt: after(tx.now, PUT_OFF_SECONDS), replace: true }),
      )
    },
  }),
]
