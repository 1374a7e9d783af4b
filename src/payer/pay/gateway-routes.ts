import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { forbidden, notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { chargeStatuses, REDIRECT_LENGTH_MAX, readResult } from '../../outbound/gateway.ts'
import type { Service } from '../../room.ts'
import { formsOf } from '../page/forms.ts'
import { openByCode } from '../page/open-page.ts'
import { pageAnswer, seeOther } from '../page/respond.ts'
import { payingPage } from '../page/small-pages.ts'
import { Code, lang, shared } from '../page-routes.ts'
import { findAttempt } from './attempts.ts'
import { applyReport } from './gateway.ts'
import { isSigned } from './gateway-signature.ts'

const Callback = Type.Object({
  charge_id: Type.String({ minLength: 1, maxLength: 40 }),
  status: Type.Enum([...chargeStatuses]),
  reference: Type.Optional(Type.String({ maxLength: 200 })),
  redirect_url: Type.Optional(Type.String({ maxLength: REDIRECT_LENGTH_MAX })),
})

/** The page where the payer waits while the gateway works, and the address at which the gateway says how it went. */
export const gatewayRoutes = (service: Service, ledger: Ledger): AnyRoute[] => [
  route({
    ...shared,
    method: 'GET',
    url: '/invoice/p/:code/paying/:attempt',
    operation: 'showPaymentUnderWay',
    summary: 'Show how a payment is getting on',
    params: Type.Object({ ...Code.properties, attempt: Type.String({ minLength: 1, maxLength: 40 }) }),
    query: Type.Object({ lang }),
    handle: ({ transact, params, query, headers }) =>
      transact(async (tx) => {
        const opened = await openByCode(tx, params.code, headers, query.lang)
        const found = opened && (await findAttempt(tx, params.attempt))
        if (!opened || found?.attempt.invoice_id !== opened.stored.invoice.id)
          return formsOf(service).missing(headers, query.lang)
        const { status, redirect_url, id } = found.attempt
        if (status !== 'OPEN') return seeOther(`${opened.path}?attempt=${id}`)
        const redirect = redirect_url === undefined ? {} : { redirect: redirect_url }
        return pageAnswer(200, payingPage(opened.sheet.locale, { address: opened.path, ...redirect }))
      }),
  }),
  route({
    method: 'POST',
    url: '/gateway/callback',
    operation: 'gatewayCallback',
    summary: 'Hear from the payment gateway what became of a charge',
    tag: 'Payment gateway',
    scopes: 'public',
    stranger: 'gateway',
    environment: 'live',
    body: Callback,
    success: { 204: null },
    async handle({ tx, body, raw, headers }) {
      const secrets = service.settings.gatewaySecrets ?? []
      const signature = headers['quittance-signature']
      const text = raw?.toString() ?? ''
      const isBy = (secret: string) => isSigned(secret, text, String(signature), tx.now)
      if (!secrets.some(isBy)) throw forbidden('The callback is not signed by the gateway, or too old.')
      if (!(await applyReport({ service, ledger }, tx, body.charge_id, readResult(body)))) throw notFound('The charge')
      return new Answer(204)
    },
  }),
]
