import { sqlProblem } from '../../database/errors.ts'
import type { Tx } from '../../database/transaction.ts'
import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { type Agreed, agreed, payableRange, type Wish } from '../../invoices/payable.ts'
import { type Money, minorDigits, toMoney } from '../../kernel/money.ts'
import { conflict, Problem } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Service } from '../../room.ts'
import { isOwnOrigin } from '../page/form-token.ts'
import { formsOf } from '../page/forms.ts'
import { answerPage, type Opened, openByCode, takesPayments } from '../page/open-page.ts'
import { seeOther } from '../page/respond.ts'
import { paymentSheet } from '../page/small-pages.ts'
import { Code, lang, shared } from '../page-routes.ts'
import { browserOf, findOpenAttempt, insertAttempt, standingOf } from './attempts.ts'
import { applyReport, startCharge } from './gateway.ts'
import { approve, conclude, payerOf } from './pay.ts'

const figures = Type.Optional(Type.String({ maxLength: 32 }))
const Wanted = Type.Object({ amount: figures, tip: figures, lang })
const PayForm = Type.Object({
  token: Type.String({ maxLength: 300 }),
  amount: figures,
  tip: figures,
  lang,
  outcome: Type.Optional(Type.Enum(['COMPLETED', 'PENDING', 'DENIED'])),
})

/** What it means to a payer when a constraint of the table of tries is violated. */
export const attemptConstraints = {
  payment_attempts_nonce: () =>
    new Problem(403, 'NOT_AUTHORIZED', [
      { issue: 'NONCE_USED', description: 'This form was sent before; open the invoice again.' },
    ]),
  payment_attempts_open: () => conflict('PAYMENT_UNDER_WAY', 'Another payment of this invoice is under way.'),
}

/** From the button on the page to a payment: the page that asks once more, and the form that it sends. */
export function payRoutes(service: Service, ledger: Ledger): AnyRoute[] {
  const forms = formsOf(service)
  const parts = { service, ledger }
  const isSandbox = service.environment === 'sandbox'

  return [
    route({
      ...shared,
      method: 'GET',
      url: '/invoice/p/:code/pay',
      operation: 'showPaymentSheet',
      summary: 'Show what is about to be paid',
      params: Code,
      query: Wanted,
      handle: ({ transact, params, query, headers }) =>
        transact(async (tx) => {
          const opened = await openByCode(tx, params.code, headers, query.lang)
          if (!opened || !takesPayments(service)) return forms.missing(headers, query.lang)
          const paying = tryAgreed(opened, query)
          if (paying instanceof Problem) return answerPage(service, tx, opened, refusalOf(opened, paying, query))
          const { sheet, path: address, inLanguage } = opened
          return forms.page(tx, headers, purposeOf(opened, paying), (token) =>
            paymentSheet({ sheet, address, back: address + inLanguage, token, paying, isTest: isSandbox }),
          )
        }),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/invoice/p/:code/pay',
      operation: 'payInvoice',
      summary: 'Pay an invoice from its page',
      params: Code,
      accepts: ['application/x-www-form-urlencoded'],
      body: PayForm,
      success: { 303: null },
      async handle({ transact, params, body, headers }) {
        const refusal = () => forms.refusal(headers, body.lang, `/invoice/p/${encodeURIComponent(params.code)}`)
        if (!isOwnOrigin(headers, service)) return refusal()
        const tryToPay = () =>
          transact(async (tx) => {
            const opened = await openByCode(tx, params.code, headers, body.lang)
            if (!opened || !takesPayments(service)) return forms.missing(headers, body.lang)
            const nonce = forms.nonce(tx, headers, purposeOf(opened, wishOf(opened, body)), body.token)
            if (nonce === undefined) return refusal()
            const paying = tryAgreed(opened, body)
            if (paying instanceof Problem) return answerPage(service, tx, opened, refusalOf(opened, paying, body))
            if (!isSandbox)
              return startPaying(tx, opened, { ...paying, nonce, browser: browserOf(forms.session(headers)) })
            const id = await payAtOnce(tx, opened, { ...paying, nonce }, body.outcome ?? 'COMPLETED')
            return seeOther(`${opened.path}?attempt=${id}${opened.inLanguage.replace('?', '&')}`)
          })
        try {
          const first = await tryToPay()
          if (first instanceof Answer) return first
          await transact((tx) => applyReport(parts, tx, first.replaces, { status: 'REPLACED' }))
          const second = await tryToPay()
          if (second instanceof Answer) return second
          throw attemptConstraints.payment_attempts_open()
        } catch (thrown) {
          const error = thrown instanceof Problem ? thrown : sqlProblem(thrown, attemptConstraints)
          if (!error) throw thrown
          if (error.details[0]?.issue === 'NONCE_USED') return refusal()
          return transact(async (tx) => {
            const opened = await openByCode(tx, params.code, headers, body.lang)
            return opened
              ? answerPage(service, tx, opened, refusalOf(opened, error, body))
              : forms.missing(headers, body.lang)
          })
        }
      },
    }),
  ]

  /** In a sandbox, the payer has chosen what becomes of the payment. */
  async function payAtOnce(
    tx: Tx,
    { stored }: Opened,
    paying: Agreed & { nonce: string },
    outcome: 'COMPLETED' | 'PENDING' | 'DENIED',
  ): Promise<string> {
    const approved = approve(service, tx, stored, { ...paying, buyer: await payerOf(tx, stored) })
    const { attempt } = await conclude(parts, tx, stored, approved, outcome)
    insertAttempt(tx, attempt)
    return attempt.id
  }

  /** In live, a job asks the gateway while the payer waits on a page. If another try must make way first, says which one. */
  async function startPaying(
    tx: Tx,
    { stored, path }: Opened,
    paying: Agreed & { nonce: string; browser: string },
  ): Promise<Answer | { replaces: string }> {
    const buyer = await payerOf(tx, stored)
    const open = await findOpenAttempt(tx, stored.account.id, stored.invoice.id)
    const standing = open && standingOf(open, paying, tx.now)
    if (standing === 'same') return seeOther(`${path}/paying/${open!.id}`)
    if (standing === 'other') throw attemptConstraints.payment_attempts_open()
    if (standing === 'past') return { replaces: open!.id }
    const attempt = approve(service, tx, stored, { ...paying, buyer })
    insertAttempt(tx, attempt)
    startCharge(tx, attempt)
    return seeOther(`${path}/paying/${attempt.id}`)
  }
}

/** A number in any notation: the last point or comma comes before the decimals, if the currency has them. */
function withPoint(text: string, decimals: number): string {
  const figures = text.replace(/[\s\u00a0\u202f’']/g, '')
  if (decimals === 0 && /^\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3})+)$/.test(figures)) return figures.replace(/[,.]/g, '')
  const thousands = figures.lastIndexOf(',') > figures.lastIndexOf('.') ? '.' : ','
  return (figures.includes(',') && figures.includes('.') ? figures.replaceAll(thousands, '') : figures).replace(
    ',',
    '.',
  )
}

/** Whether the text is kept for the payer to correct. Text that is not made of figures is not. */
const isFigures = (text: string | undefined): text is string => text !== undefined && /^[\d\s.,’'-]*$/.test(text)

/** What the fields of the form say, as money in the invoice's currency. An empty field says nothing. */
function wishOf({ stored }: Opened, { amount, tip }: Static<typeof Wanted>): Wish {
  const currency = stored.invoice.detail.currency_code
  const decimals = minorDigits(currency)
  const read = (text: string | undefined, field: string): Money | undefined => {
    const written = withPoint(text ?? '', decimals)
    if (written === '') return undefined
    if (!/^\d+(\.\d{1,4})?$/.test(written) || (written.split('.')[1] ?? '').length > decimals)
      throw new Problem(422, 'UNPROCESSABLE_ENTITY', [
        { issue: 'INVALID_AMOUNT', description: 'Not an amount.', field },
      ])
    return { currency_code: currency, value: written }
  }
  const [wantedAmount, wantedTip] = [read(amount, '/amount'), read(tip, '/tip')]
  return { ...(wantedAmount && { amount: wantedAmount }), ...(wantedTip && { tip: wantedTip }) }
}

function tryAgreed(opened: Opened, wanted: Static<typeof Wanted>): Agreed | Problem {
  try {
    return agreed(opened.stored, wishOf(opened, wanted))
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

const purposeOf = ({ stored }: Opened, { amount, tip }: Wish) =>
  `pay ${stored.invoice.id} ${amount?.value ?? ''} ${tip?.value ?? ''}`

/** A refusal in words for the payer, on the page itself. */
function refusalOf({ stored, sheet }: Opened, problem: Problem, { amount, tip }: Static<typeof Wanted>) {
  const { say, format } = sheet
  const { least, most } = payableRange(stored.invoice)
  const money = (minor: bigint) => format.money(toMoney(minor, stored.invoice.detail.currency_code))
  const issue = problem.details[0]?.issue ?? ''
  const field = problem.details[0]?.field ?? ''
  const text = () => {
    if (issue === 'PAYEE_SUSPENDED') return say('closedText')
    if (issue === 'CANNOT_PROCESS_PAYMENTS') return say('nothingDue')
    if (field.startsWith('/tip')) return say('invalidTip')
    if (field.startsWith('/amount')) return say('invalidAmount', { minimum: money(least), due: money(most) })
    return problem.status === 409 ? say('busy') : (problem.details[0]?.description ?? say('problemTitle'))
  }
  const wrong = (['amount', 'tip'] as const).find((name) => field.startsWith(`/${name}`))
  const typed = { ...(isFigures(amount) && { amount }), ...(isFigures(tip) && { tip }), ...(wrong && { wrong }) }
  return { status: problem.status, notice: { text: text(), tone: 'bad' as const }, typed }
}
