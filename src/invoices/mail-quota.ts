import type { SettingsOf } from '../config.ts'
import { requireQuota } from '../database/quota.ts'
import type { Tx } from '../database/transaction.ts'
import type { JobRequest } from '../kernel/job.ts'
import type { MailPayload } from '../kernel/mail.ts'
import type { invoiceSettings } from './settings.ts'

const DAY_SECONDS = 86_400

/** Counts the mails that a merchant's call sends, or refuses the call: nobody's mailbox is at a merchant's mercy. */
export async function requireMailQuota(
  { mailPerInvoicePerDay, mailPerAccountPerDay }: SettingsOf<typeof invoiceSettings>,
  tx: Tx,
  { accountId, invoiceId }: { accountId: string; invoiceId: string },
  jobs: readonly JobRequest[],
): Promise<void> {
  // A job of this name carries such a payload. What merchants are sent themselves does not count.
  const mails = jobs
    .filter(({ name }) => name === 'send-mail')
    .map(({ payload }) => payload as unknown as MailPayload)
    .filter(({ to }) => to === 'recipient')
  if (mails.length === 0) return
  const addresses = mails.reduce((count, { recipients }) => count + recipients.length, 0)
  const ofInvoice = { name: 'mail-invoice', max: mailPerInvoicePerDay, seconds: DAY_SECONDS }
  const ofAccount = { name: 'mail-account', max: mailPerAccountPerDay, seconds: DAY_SECONDS }
  await requireQuota(tx, accountId, [{ quota: ofInvoice, key: invoiceId }], 'Calls that mail about one invoice')
  await requireQuota(tx, accountId, [{ quota: ofAccount, amount: addresses }], 'Mails of one merchant')
}
