import { findAccount } from '../../accounts/store.ts'
import { type Quota, useQuota } from '../../database/quota.ts'
import type { Reader } from '../../database/transaction.ts'
import { disputePageUrl, disputeUrl } from '../../disputes/links.ts'
import { disputeLifecycle } from '../../disputes/machine/lifecycle.ts'
import { totalCovered, totalRefunded } from '../../disputes/machine/payments.ts'
import { dueDates, wonOrLost } from '../../disputes/machine/state.ts'
import { type News, type NewsKind, toBoth } from '../../disputes/news.ts'
import type { Dispute, Party, Side } from '../../disputes/schema/dispute.ts'
import { findDispute } from '../../disputes/store.ts'
import { findStored, type StoredInvoice } from '../../invoices/store.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { PartOf } from '../../kernel/mail.ts'
import { toMoney } from '../../kernel/money.ts'
import { findTransaction } from '../../ledger/store.ts'
import type { Service } from '../../room.ts'
import { simpleMail } from '../mail/mail.ts'
import { mailRetries, type ReadyMail, type SendMail } from '../mail/send.ts'
import { recipientLocale } from '../page/open-page.ts'
import { formatOf } from '../sheet/format.ts'
import { sheetOf } from '../sheet/sheet.ts'
import { type DisputeOutcomePhrase, disputePhrases } from '../words/dispute-mail.ts'
import { fill, sayCaseIn } from '../words/index.ts'
import { accountLocale, chooseLocale, type Locale } from '../words/languages.ts'
import { casePath } from './link.ts'
import { returnToSend } from './returns.ts'

interface DisputeNews {
  readonly account_id: string
  readonly dispute_id: string
  readonly event: string
  /** What each side is told. Decided when it happened, because the dispute may have moved on since. */
  readonly news?: News
  /** Set when the payer asked for the link once more. */
  readonly to?: 'buyer'
  readonly part_of?: PartOf
}

/** Keeps a mail from being counted again when it is retried because the server was busy. */
const counted: Quota = { name: 'mail-counted', max: 1, seconds: 3 * 86_400 }

/** Tells the payer, with their private link, and the merchant what became of a dispute. */
export function caseJobs(service: Service, sendMail: SendMail): JobDefinition[] {
  const ofCase: Quota = { name: 'mail-case', max: service.settings.mailPerCasePerDay, seconds: 86_400 }
  return [
    job<DisputeNews>({
      name: 'dispute-notice',
      foretell: ({ dispute_id }) => `Mail about dispute ${dispute_id} goes out.`,
      retryAfter: mailRetries,
      async run({ account_id, dispute_id, event, to, news = newsOfEvent(event), part_of }, context) {
        const { db, now, transact } = context
        const { label, part } = part_of ?? { label: context.label, part: 0 }
        // Each side gets a job of its own: if the mail server refuses one side, the other is neither told again nor left out.
        if (service.settings.smtpUrl !== undefined && to === undefined && news.buyer && news.seller) {
          const sides: News[] = [{ buyer: news.buyer }, { seller: news.seller }]
          return transact(async (tx) => {
            for (const [part, news] of sides.entries())
              tx.enqueue({
                name: 'dispute-notice',
                payload: { account_id, dispute_id, event, news, part_of: { label, part } },
                key: `dispute-notice:${label}:${part}`,
              })
          })
        }
        const found = await findDispute(db, dispute_id)
        if (!found) return
        const { dispute } = found
        const { buyer, seller } = dispute
        const stored = await invoiceOf(db, dispute)
        const mails: ReadyMail[] = []
        if (buyer.email !== undefined && news.buyer)
          mails.push(
            stored
              ? toBuyer(service, stored, dispute, { kind: news.buyer, now, email: buyer.email })
              : inShort(
                  service,
                  dispute,
                  { kind: news.buyer, side: 'buyer', email: buyer.email },
                  await readerOf(db, buyer),
                ),
          )
        if (to === undefined && seller.email !== undefined && news.seller)
          mails.push(
            inShort(
              service,
              dispute,
              { kind: news.seller, side: 'seller', email: seller.email },
              await readerOf(db, seller),
            ),
          )
        const isNews = event === 'CUSTOMER.DISPUTE.UPDATED'
        for (const [i, mail] of mails.entries()) {
          const key = `${dispute_id} ${mail.to.join()}`
          const uses = [
            { quota: counted, key: `${label} ${part + i}` },
            { quota: ofCase, key },
          ]
          const usedUp = isNews ? await transact((tx) => useQuota(tx, account_id, uses)) : undefined
          if (usedUp?.quota !== ofCase) await sendMail(account_id, mail, { label, transact }, part + i)
        }
      },
    }),
  ]
}

interface MailReader {
  readonly locale: Locale
  readonly zone: string
}

/** The language and the time zone of a party that has an account here. For anybody else, the usual ones. */
async function readerOf(db: Reader, { account_id }: Party): Promise<MailReader> {
  const account = account_id === undefined ? undefined : await findAccount(db, account_id)
  return account ? { locale: accountLocale(account), zone: account.time_zone } : { locale: chooseLocale(), zone: 'UTC' }
}

/** What a job tells that does not say it: a job of an earlier version, or one that sends the payer's link. */
const newsOfEvent = (event: string): News =>
  event === 'CUSTOMER.DISPUTE.CREATED'
    ? toBoth('opened')
    : event === 'CUSTOMER.DISPUTE.RESOLVED'
      ? toBoth('resolved')
      : {}

async function invoiceOf(db: Reader, { seller, disputed_transactions }: Dispute): Promise<StoredInvoice | undefined> {
  const capture = disputed_transactions[0]?.seller_transaction_id
  const payment = capture === undefined ? undefined : await findTransaction(db, seller.account_id, capture)
  const invoiceId = payment?.transaction.invoice_id
  return invoiceId === undefined ? undefined : findStored(db, seller.account_id, invoiceId)
}

function toBuyer(
  service: Service,
  stored: StoredInvoice,
  dispute: Dispute,
  { kind, now, email }: { kind: NewsKind; now: Instant; email: string },
) {
  const sheet = sheetOf({ ...stored, now }, recipientLocale(stored.invoice))
  const say = sayCaseIn(sheet.locale.language)
  const news = kind === 'message' ? 'updated' : kind
  const values = { business: sheet.seller, number: sheet.number }
  const { dispute_id, dispute_amount } = dispute
  const zone = stored.account.time_zone
  const agreed = news === 'updated' ? returnToSend(dispute, sheet, zone) : undefined
  const appealBy = disputeLifecycle.allows(dispute, ['buyer'], 'appeal') ? dispute.timer?.due : undefined
  const mail = simpleMail({
    language: sheet.locale.language,
    business: sheet.seller,
    subject: say(`${news}Subject`, values),
    lead: [
      say(`${news}Lead`, values),
      ...(agreed ? [say('returnLead', agreed.values)] : []),
      ...(appealBy ? [say('appealLead', { date: sheet.format.until(appealBy, zone) })] : []),
    ].join(' '),
    note: agreed?.lines.join('\n'),
    matter: {
      name: say('caseNumber', { number: dispute_id }),
      amount: sheet.format.money(dispute_amount),
      standing: undefined,
    },
    link: { address: service.publicUrl + casePath(service, dispute_id), label: say('follow') },
  })
  return { ...mail, to: [email], fromName: sheet.seller }
}

/**
 * A short mail for the merchant, who has the console, and for a buyer who has no page here, because no invoice of ours was
 * paid.
 */
function inShort(
  service: Service,
  dispute: Dispute,
  { kind, side, email }: { kind: NewsKind; side: Side; email: string },
  { locale, zone }: MailReader,
): ReadyMail {
  const { dispute_id, dispute_amount, reason } = dispute
  const { language } = locale
  const format = formatOf(locale)
  const words = disputePhrases[language]
  const values = { number: dispute_id, amount: format.money(dispute_amount) }
  const due = dueDates(dispute)[`${side}_response_due_date`]
  const facts = [
    fill(words.because, { reason: words.reasons[reason] }),
    ...(due === undefined ? [] : [fill(words.answerBy, { date: format.until(due, zone) })]),
  ]
  const ending = kind === 'resolved' ? outcomeFor(dispute, side) : []
  const said = ending.map(({ phrase, amount = 0n }) =>
    fill(words.outcomes[phrase], { amount: format.money(toMoney(amount, dispute_amount.currency_code)) }),
  )
  const { publicUrl, settings } = service
  const address =
    side === 'seller' ? disputePageUrl(settings.consoleUrl ?? publicUrl, dispute_id) : disputeUrl(publicUrl, dispute_id)
  const mail = simpleMail({
    language,
    business: 'Quittance',
    subject: fill(words[kind].subject, values),
    lead: [fill(words[kind].lead, values), ...said].join(' '),
    matter: { name: fill(words.name, values), amount: values.amount, standing: facts.join(' · ') },
    link: { address, label: words.open },
  })
  return { ...mail, to: [email], fromName: 'Quittance' }
}

/** How it ended for a side, and the money that goes with it. */
function outcomeFor(dispute: Dispute, side: Side): { phrase: DisputeOutcomePhrase; amount?: bigint }[] {
  const result = wonOrLost(dispute.dispute_outcome?.outcome_code ?? 'NONE', side)
  const [refunded, covered] = [totalRefunded(dispute), totalCovered(dispute)]
  const borne = refunded - covered
  return [
    ...(result === undefined ? [] : [{ phrase: result === 'WON' ? ('won' as const) : ('lost' as const) }]),
    ...(borne > 0n ? [{ phrase: 'refunded' as const, amount: borne }] : []),
    ...(covered > 0n
      ? [{ phrase: side === 'seller' ? ('returned' as const) : ('kept' as const), amount: covered }]
      : []),
  ]
}
