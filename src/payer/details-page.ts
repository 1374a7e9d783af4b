import type { Tx } from '../database/transaction.ts'
import { html } from '../http/html.ts'
import type { Answer } from '../http/route.ts'
import { linksOf } from '../invoices/present.ts'
import { recipientCode } from '../invoices/schema/codes.ts'
import { findByRecipientCode } from '../invoices/store.ts'
import type { Service } from '../room.ts'
import { showLogo } from './logo/store.ts'
import { pagePath } from './page/open-page.ts'
import { invoicePage } from './page/page.ts'
import { pageAnswer } from './page/respond.ts'
import { messagePage } from './page/small-pages.ts'
import { sheetOf } from './sheet/sheet.ts'
import type { Locale } from './words/languages.ts'

/**
 * The page at the seller's address of an invoice. Nobody signs in here, and the address can be made from the customer's, so
 * it shows nothing that the customer's page does not show: the same document, and the calls that the API takes now. It has
 * no forms, and does not record that the customer was here.
 */
export async function detailsPage(service: Service, tx: Tx, id: string, locale: Locale): Promise<Answer> {
  const found = await findByRecipientCode(tx, recipientCode(id))
  if (found?.invoice.id !== id || found.invoice.base_status !== 'SENT')
    return pageAnswer(404, messagePage(locale, { title: 'notFound', text: 'sellerNotFoundText' }))
  const { invoice, account } = found
  const sheet = sheetOf({ invoice, account, now: tx.now }, locale)
  const { say } = sheet
  const calls = linksOf(service, invoice).map(
    ({ method, href }) => html`<li><code>${method} ${href.slice(service.publicUrl.length)}</code></li>`,
  )
  const markup = invoicePage({
    sheet,
    address: pagePath(id),
    logo: await showLogo(tx, found, pagePath(id)),
    aside: html`<section class="notice seller"><h2>${say('sellerView')}</h2>
<p>${say('sellerViewText')}</p>
<p>${say('sellerSteps', { status: invoice.status })}</p>
<ul>${calls}</ul></section>`,
  })
  return pageAnswer(200, markup, { isSecure: service.publicUrl.startsWith('https:') })
}
