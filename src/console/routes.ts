import type { Database } from '../database/open.ts'
import { type AnyRoute, route } from '../http/route.ts'
import type { Caller } from '../kernel/caller.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { notFound } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import { countUnread } from '../payer/mail/store.ts'
import { isDisturbable } from '../sandbox/watch/faults.ts'
import { backIn } from './back.ts'
import { LiveStreams } from './live.ts'
import { makeOperations, type OperationParts, type Operations } from './operate.ts'
import { accountPages } from './operator/accounts.ts'
import { auditPages } from './operator/audit.ts'
import { decisionPages } from './operator/decisions.ts'
import { deliveryHealthPages } from './operator/deliveries.ts'
import { jobPages } from './operator/jobs.ts'
import { keyPages } from './operator/keys.ts'
import { overviewPages } from './operator/overview.ts'
import { operatorWebhookPages } from './operator/webhook.ts'
import { appPages } from './pages/apps.ts'
import { clockPages } from './pages/clock.ts'
import { disputeDeskPages } from './pages/disputes/desk-pages.ts'
import { disputePages, drawNoted } from './pages/disputes/dispute.ts'
import { disputeListPages } from './pages/disputes/list.ts'
import { disputeOpeningPages } from './pages/disputes/opening.ts'
import { dueOf } from './pages/due.ts'
import { forkPages } from './pages/forks.ts'
import { bulkPages } from './pages/invoices/bulk-pages.ts'
import { invoicePages } from './pages/invoices/invoice.ts'
import { invoiceListPages } from './pages/invoices/list.ts'
import { templatePages } from './pages/invoices/templates.ts'
import { invoiceWritingPages } from './pages/invoices/writing.ts'
import { mailPages } from './pages/mail/mail.ts'
import { moneyPages } from './pages/money/money.ts'
import { peoplePages } from './pages/people/people.ts'
import { countFaults, faultPages } from './pages/requests/faults.ts'
import { requestPages } from './pages/requests/requests.ts'
import { drawUnforked, scenarioPages } from './pages/scenarios.ts'
import { searchPages } from './pages/search.ts'
import { timelinePages } from './pages/timeline.ts'
import { deliveryPages } from './pages/webhooks/deliveries.ts'
import { eventPages } from './pages/webhooks/event.ts'
import { inboxPages } from './pages/webhooks/inbox.ts'
import { webhookListPages } from './pages/webhooks/list.ts'
import { webhookPages } from './pages/webhooks/webhook.ts'
import { span } from './parts/time.ts'
import { assetAnswer, assetDigest, assets, seeOther } from './respond.ts'
import { homes } from './roles.ts'
import { makeLiveOnlooker } from './sign-in/onlooker.ts'
import { selfPages } from './sign-in/self.ts'
import { makeSignIn } from './sign-in/sign-in.ts'
import { signInRoutes } from './sign-in/ways-in.ts'
import { themeCookie } from './theme.ts'
import { makePages, tag } from './visit.ts'
import { countFailing, countParked, waitingAt, waitingFor } from './waiting.ts'
import { eyesCookie, eyesIn, eyesNames, onlookerAs } from './who.ts'

export interface ConsoleRoutesParts extends OperationParts {
  readonly sandboxClock: Clock & { readonly frozen: boolean }
  /** The clock that sign-ins live on. */
  readonly realTime: Clock
  readonly db: Database
  /** Whether the service ends, and with it the connections that are held open. */
  isEnding(): boolean
  /** Comes back when every process has forgotten what it believed of tokens. */
  onAccessChange(): Promise<void>
}

/** Every page of the console, and what it is made of. */
export function consoleRoutes(parts: ConsoleRoutesParts): AnyRoute[] {
  const { service, clock, sandboxClock, realTime } = parts
  const isSandbox = service.environment === 'sandbox'
  const operations = makeOperations(parts)
  const signIn = makeSignIn(parts)
  const pages = makePages({
    service,
    operations,
    now: () => clock.now(),
    realNow: () => realTime.now(),
    onlooker: isSandbox
      ? (db, { headers }) => onlookerAs(db, eyesIn(headers['cookie'] as string | undefined))
      : makeLiveOnlooker(service, realTime),
    async surroundings(db, { caller, may }) {
      const { accountId } = caller
      const failing = await countFailing(db, accountId)
      if (!isSandbox)
        return { waiting: await waitingAt(db, accountId), failing, parked: may('operate') ? await countParked(db) : 0 }
      const next = await nextDue(operations, caller, clock.now())
      const [waiting, unread] = await Promise.all([waitingFor(db), countUnread(db)])
      const faults = await countFaults({ look: (operation, asked) => operations.look(caller, operation, asked) })
      return { waiting, unread, failing, faults, timepiece: { ...timepiece(sandboxClock), next } }
    },
  })
  const open = { tag, scopes: 'public', reads: 'free', watches: true, success: { 200: Type.String() } } as const
  return [
    route({
      ...open,
      method: 'GET',
      environment: 'sandbox',
      url: '/',
      operation: 'leadToConsole',
      summary: 'Lead to the console',
      produces: ['text/html', '*/*'],
      handle: async () => seeOther('/console'),
    }),
    route({
      ...open,
      method: 'GET',
      url: '/console/assets/:digest/:name',
      operation: 'consoleAsset',
      summary: 'Style and scripts of the console',
      produces: ['text/css', 'text/javascript', '*/*'],
      params: Type.Object({ digest: Type.String({ maxLength: 64 }), name: Type.String({ maxLength: 100 }) }),
      async handle({ params }) {
        const asset = assets.get(params.name)
        if (!asset) throw notFound('The file')
        return assetAnswer(asset, params.digest === assetDigest)
      },
    }),
    pages.form({
      url: '/console/eyes',
      operation: 'consoleEyes',
      summary: 'Choose through whose eyes to look',
      async take({ typed }) {
        const chosen = eyesNames.find((name) => name === typed['as']) ?? 'merchant'
        return seeOther(backIn(typed), eyesCookie(chosen))
      },
    }),
    pages.form({
      url: '/console/theme',
      operation: 'consoleTheme',
      summary: 'Choose light or dark',
      may: 'self',
      take: async ({ typed }) => seeOther(backIn(typed), themeCookie(typed['theme'])),
    }),
    pages.page({
      url: '/console',
      operation: 'consoleHome',
      summary: 'Lead to where somebody works',
      may: 'self',
      liveOnly: true,
      draw: async ({ who: { person } }) => seeOther(person!.isLooking ? homes.viewer : homes[person!.role]),
    }),
    ...signInRoutes(signIn),
    ...selfPages(pages, signIn),
    ...peoplePages(pages, operations, signIn),
    ...timelinePages(pages, () => service.publicUrl, new LiveStreams(parts.isEnding)),
    ...invoiceListPages(pages),
    ...invoiceWritingPages(pages, operations, service),
    ...templatePages(pages, operations),
    ...bulkPages(pages),
    ...invoicePages(pages, operations),
    ...disputeListPages(pages),
    ...disputeOpeningPages(pages, operations),
    ...disputePages(pages, { operations, service }),
    ...disputeDeskPages(pages, drawNoted({ operations, service })),
    ...clockPages(pages, () => timepiece(sandboxClock)),
    ...searchPages(pages),
    ...requestPages(pages, operations, () => service.publicUrl),
    ...mailPages(pages),
    ...webhookListPages(pages, operations),
    ...webhookPages(pages, operations),
    ...inboxPages(pages),
    ...deliveryPages(pages),
    ...eventPages(pages),
    ...moneyPages(pages),
    ...appPages(pages, parts),
    ...scenarioPages(pages, operations),
    ...forkPages(pages, drawUnforked(operations)),
    ...faultPages(pages, {
      operations,
      disturbable: () => disturbable(parts.routes()),
      header: `${service.dialect.headerPrefix}-Fault`,
      publicUrl: () => service.publicUrl,
    }),
    ...overviewPages(pages),
    ...decisionPages(pages),
    ...accountPages(pages, parts),
    ...deliveryHealthPages(pages),
    ...operatorWebhookPages(pages),
    ...jobPages(pages),
    ...keyPages(pages, service),
    ...auditPages(pages),
  ]
}

const disturbable = (routes: readonly AnyRoute[]): string[] =>
  routes
    .filter(isDisturbable)
    .map(({ operation }) => operation)
    .sort()

/** The next thing that falls due, for the button that goes there. */
async function nextDue(operations: Operations, caller: Caller, now: string) {
  const { due } = await dueOf({ look: (operation, asked) => operations.look(caller, operation, asked) }, 1)
  return due[0] && { at: due[0].at, in: span(Math.max(0, Date.parse(due[0].at) - Date.parse(now))) }
}

const MINUTE_MS = 60_000

function timepiece(clock: Clock & { readonly frozen: boolean }) {
  const now = clock.now()
  const apart = Date.parse(now) - Date.parse(systemClock.now())
  const words =
    Math.abs(apart) < MINUTE_MS
      ? 'in step with real time'
      : `${span(Math.abs(apart))} ${apart > 0 ? 'ahead' : 'behind'}`
  return { now, frozen: clock.frozen, apart: words }
}
