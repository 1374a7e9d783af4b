import { findAccount } from '../../accounts/store.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Dispute, Party } from '../../disputes/schema/dispute.ts'
import { findDispute } from '../../disputes/store.ts'
import { findStored, type StoredInvoice } from '../../invoices/store.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'
import type { Instant } from '../../kernel/clock.ts'
import { findTransaction } from '../../ledger/store.ts'
import type { Service } from '../../room.ts'
import type { Deliver, ReadyMail } from '../mail/deliver.ts'
import { fill, simpleMail } from '../mail/mail.ts'
import { recipientLocale } from '../page/open-page.ts'
import { formatOf } from '../sheet/format.ts'
import { sheetOf } from '../sheet/sheet.ts'
import { sayProblemIn } from '../words/case.ts'
import { type DisputeNews, disputePhrases } from '../words/dispute-mail.ts'
import { accountLocale, chooseLocale, type Locale } from '../words/languages.ts'
import { problemPath } from './link.ts'

interface Notice {
  readonly account_id: string
  readonly dispute_id: string
  readonly event: string
  readonly to?: 'buyer'
}

const minutes = 60

/** Tells the payer, with their private link, and the merchant what became of a dispute. */
export const problemJobs = (service: Service, deliver: Deliver): JobDefinition[] => [
  job<Notice>({
    name: 'dispute-notice',
    retryAfter: [5, 1 * minutes, 5 * minutes, 30 * minutes, 120 * minutes],
    async run({ account_id, dispute_id, event, to }, context) {
      const { db, now } = context
      const found = await findDispute(db, dispute_id)
      if (!found) return
      const { dispute } = found
      const { buyer, seller } = dispute
      const stored = await invoiceOf(db, dispute)
      const mails: ReadyMail[] = []
      if (buyer.email !== undefined && concernsBuyer(dispute, event))
        mails.push(
          stored
            ? toBuyer(service, stored, dispute, { event, now, email: buyer.email })
            : inShort(dispute, event, buyer.email, await localeOf(db, buyer)),
        )
      if (to === undefined && seller.email !== undefined && concernsSeller(dispute, event))
        mails.push(inShort(dispute, event, seller.email, await localeOf(db, seller)))
      for (const [i, mail] of mails.entries()) await deliver(account_id, mail, context, i)
    },
  }),
]

/** The language of a party with an account here; that of nobody in particular otherwise. */
async function localeOf(db: Reader, { account_id }: Party): Promise<Locale> {
  const account = account_id === undefined ? undefined : await findAccount(db, account_id)
  return account ? accountLocale(account) : chooseLocale()
}

const openedEvent = 'CUSTOMER.DISPUTE.CREATED'
const resolvedEvent = 'CUSTOMER.DISPUTE.RESOLVED'

const newsOf = (event: string): DisputeNews =>
  event === openedEvent ? 'opened' : event === resolvedEvent ? 'resolved' : 'updated'

/** Nobody is told what they did themselves: only beginnings, ends, and what the other side or an agent asks for. */
const concernsBuyer = ({ status, messages = [] }: Dispute, event: string): boolean =>
  event === openedEvent ||
  event === resolvedEvent ||
  status === 'WAITING_FOR_BUYER_RESPONSE' ||
  messages.at(-1)?.posted_by === 'SELLER'

const concernsSeller = ({ status, messages = [], create_time, update_time }: Dispute, event: string): boolean =>
  event === openedEvent ||
  event === resolvedEvent ||
  (create_time !== update_time && status === 'WAITING_FOR_SELLER_RESPONSE') ||
  (create_time !== update_time && messages.at(-1)?.posted_by === 'BUYER')

async function invoiceOf(db: Reader, { seller, disputed_transactions }: Dispute): Promise<StoredInvoice | undefined> {
  const capture = disputed_transactions[0]?.seller_transaction_id
  const payment = capture === undefined ? undefined : await findTransaction(db, seller.account_id, capture)
  const invoiceId = payment?.transaction.invoice_id
  return invoiceId === undefined ? undefined : findStored(db, seller.account_id, invoiceId)
}

function toBuyer(
  service: Service,
  stored: StoredInvoice,
  { dispute_id, dispute_amount }: Dispute,
  { event, now, email }: { event: string; now: Instant; email: string },
) {
  const sheet = sheetOf({ ...stored, now }, recipientLocale(stored.invoice))
  const say = sayProblemIn(sheet.locale.language)
  const news = newsOf(event)
  const values = { business: sheet.seller, number: sheet.number }
  const mail = simpleMail({
    language: sheet.locale.language,
    business: sheet.seller,
    subject: say(`${news}Subject`, values),
    lead: say(`${news}Lead`, values),
    matter: {
      name: say('caseNumber', { number: dispute_id }),
      amount: sheet.format.money(dispute_amount),
      standing: undefined,
    },
    link: { address: service.publicUrl + problemPath(service, dispute_id), label: say('follow') },
  })
  return { ...mail, to: [email], fromName: sheet.seller }
}

/** To the merchant, and to a buyer whose payment was for no invoice of ours: they have the API, and no page. */
function inShort({ dispute_id, dispute_amount }: Dispute, event: string, email: string, locale: Locale): ReadyMail {
  const { language } = locale
  const words = disputePhrases[language][newsOf(event)]
  const values = { number: dispute_id, amount: formatOf(locale).money(dispute_amount) }
  const [subject, lead] = [fill(words.subject, values), fill(words.lead, values)]
  return { ...simpleMail({ language, business: 'Quittance', subject, lead }), to: [email], fromName: 'Quittance' }
}
