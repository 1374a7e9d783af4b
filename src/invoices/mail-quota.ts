import type { SettingsOf } from '../config.ts'
import { requireQuota, useQuota } from '../database/quota.ts'
import type { Tx } from '../database/transaction.ts'
import type { MailPayload } from '../kernel/mail.ts'
import type { Decision } from './action.ts'
import type { InvoiceAction } from './lifecycle.ts'
import type { invoiceSettings } from './settings.ts'

const DAY_SECONDS = 86_400

type Settings = SettingsOf<typeof invoiceSettings>

const ofInvoice = ({ mailPerInvoicePerDay }: Settings, invoiceId: string) => ({
  quota: { name: 'mail-invoice', max: mailPerInvoicePerDay, seconds: DAY_SECONDS },
  key: invoiceId,
})
const ofAccount = ({ mailPerAccountPerDay }: Settings, amount: number) => ({
  quota: { name: 'mail-account', max: mailPerAccountPerDay, seconds: DAY_SECONDS },
  amount,
})

export interface About {
  readonly accountId: string
  readonly invoiceId: string
}

/** Counts the mails that a merchant's call sends, or refuses the call, so that no merchant can flood anybody's mailbox. */
export async function requireMailQuota(
  settings: Settings,
  tx: Tx,
  { accountId, invoiceId }: About,
  { jobs = [], mailedLater = 0 }: Pick<Decision<InvoiceAction>, 'jobs' | 'mailedLater'>,
): Promise<void> {
  // A job of this name carries such a payload. Mails to the merchants themselves do not count.
  const mails = jobs
    .filter(({ name }) => name === 'send-mail')
    .map(({ payload }) => payload as unknown as MailPayload)
    .filter(({ to }) => to === 'recipient')
  if (mails.length > 0)
    await requireQuota(tx, accountId, [ofInvoice(settings, invoiceId)], 'Calls that mail about one invoice')
  const addresses = mails.reduce((count, { recipients }) => count + recipients.length, mailedLater)
  if (addresses > 0) await requireQuota(tx, accountId, [ofAccount(settings, addresses)], 'Mails of one merchant')
}

/** Counts one mail that follows from what a merchant did. Says whether there is room for it. */
export const hasMailQuota = async (settings: Settings, tx: Tx, { accountId, invoiceId }: About): Promise<boolean> =>
  (await useQuota(tx, accountId, [ofInvoice(settings, invoiceId), ofAccount(settings, 1)])) === undefined
