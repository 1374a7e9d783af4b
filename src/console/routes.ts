import { type AnyRoute, route } from '../http/route.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { notFound } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import { makeOperations, type OperationParts, type Operations } from './operate.ts'
import { appPages } from './pages/apps.ts'
import { clockPages } from './pages/clock.ts'
import { deliveryPages } from './pages/deliveries.ts'
import { disputePages } from './pages/dispute.ts'
import { disputeOpeningPages } from './pages/dispute-opening.ts'
import { disputeListPages } from './pages/disputes.ts'
import { eventPages } from './pages/event.ts'
import { inboxPages } from './pages/inbox.ts'
import { invoicePages } from './pages/invoice.ts'
import { invoiceWritingPages } from './pages/invoice-writing.ts'
import { invoiceListPages } from './pages/invoices.ts'
import { mailPages } from './pages/mail.ts'
import { moneyPages } from './pages/money.ts'
import { requestPages } from './pages/requests.ts'
import { scenarioPages } from './pages/scenarios.ts'
import { searchPages } from './pages/search.ts'
import { dueOf, timelinePages } from './pages/timeline.ts'
import { webhookPages } from './pages/webhook.ts'
import { webhookListPages } from './pages/webhooks.ts'
import { span } from './parts/time.ts'
import { assetAnswer, assets, seeOther } from './respond.ts'
import { backIn, makePages, tag } from './visit.ts'
import { waitingFor } from './waiting.ts'
import { eyesCookie, eyesIn, eyesNames, onlookerAs } from './who.ts'

export interface ConsoleRoutesParts extends Omit<OperationParts, 'clock'> {
  readonly clock: Clock & { readonly frozen: boolean }
  /** Every process forgets what it believes of tokens. */
  onAccessChange(): void
}

/** Every page of the console, and what it is made of. */
export function consoleRoutes(parts: ConsoleRoutesParts): AnyRoute[] {
  const { service, clock } = parts
  const operations = makeOperations(parts)
  const pages = makePages({
    service,
    operations,
    now: () => clock.now(),
    onlooker: (db, headers) => onlookerAs(db, eyesIn(headers['cookie'] as string | undefined)),
    surroundings: async (db, { caller }) => ({
      waiting: await waitingFor(db),
      timepiece: { ...timepiece(clock), next: await nextDue(operations, caller, clock.now()) },
    }),
  })
  const open = {
    tag,
    scopes: 'public',
    environment: 'sandbox',
    reads: 'free',
    watches: true,
    success: { 200: Type.String() },
  } as const
  return [
    route({
      ...open,
      method: 'GET',
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
        return assetAnswer(asset.type, asset.text)
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
    ...timelinePages(pages, () => service.publicUrl),
    ...invoiceListPages(pages),
    ...invoiceWritingPages(pages, operations),
    ...invoicePages(pages, operations),
    ...disputeListPages(pages),
    ...disputeOpeningPages(pages, operations),
    ...disputePages(pages, { operations, service }),
    ...clockPages(pages, () => timepiece(clock)),
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
  ]
}

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
