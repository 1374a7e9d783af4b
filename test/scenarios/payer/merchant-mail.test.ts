import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/schema.ts'
import { findAccount, saveAccount } from '../../../src/accounts/store.ts'
import { invoiceBody, PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { INVOICES, recipient } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
})
afterAll(() => world.close())

interface Mail {
  subject: string
  text: string
  html: string
}

/** The newest mails to an address, oldest first, without what was there before. */
const newMails = async (to: string, action: () => Promise<unknown>) => {
  const read = async () => {
    await world.settle()
    const query = { to, limit: '100' }
    return (await world.call<{ mails: Mail[] }>('GET', '/sandbox/mail', undefined, { query })).body.mails
  }
  const before = (await read()).length
  await action()
  const mails = await read()
  return mails.slice(0, mails.length - before).reverse()
}

const change = (id: string, changes: Partial<Account>) =>
  world.app.transact(async (tx) => {
    const account = (await findAccount(tx, id))!
    saveAccount(tx, account, { ...account, ...changes })
  })

/** Everything that a merchant is told about invoices, one after the other. */
async function everything(): Promise<void> {
  const customer = { primary_recipients: [recipient('buyer@example.com', { name: { full_name: 'Sample Customer' } })] }
  const made = await world.merchant.post<{ id: string }>(INVOICES, invoiceBody(customer))
  const invoice = `${INVOICES}/${made.body.id}`
  await world.merchant.post(`${invoice}/send`, { send_to_invoicer: true })
  await world.merchant.put(invoice, invoiceBody(customer), { query: { send_to_invoicer: 'true' } })
  await world.merchant.post(`${invoice}/remind`, { send_to_invoicer: true })
  for (const outcome of ['DENIED', 'PENDING'])
    await world.call('POST', `/sandbox/invoices/${made.body.id}/pay`, { outcome })
  const paid = await sentInvoice(world, customer)
  await world.call('POST', `/sandbox/invoices/${paid.id}/pay`, {})
  const cancelled = await sentInvoice(world, customer)
  await world.merchant.post(`${INVOICES}/${cancelled.id}/cancel`, { send_to_invoicer: true })
}

const told = {
  de: [
    ['Kopie: Rechnung # an Sample Customer', 'Sie haben die Rechnung # über 74,21\u00a0$ an Sample Customer gesendet.'],
    ['Kopie: Rechnung # wurde geändert', 'Sie beläuft sich jetzt auf 74,21\u00a0$.'],
    ['Kopie: Erinnerung an Rechnung #', 'Sie haben Sample Customer daran erinnert'],
    ['Eine Zahlung für Rechnung # wurde abgelehnt', 'Es ist kein Geld eingegangen.'],
    ['Eine Zahlung für Rechnung # steht aus', 'Führen Sie die Bestellung noch nicht aus.'],
    ['Sample Customer hat 74,21 $ für Rechnung # bezahlt', 'Das Geld ist Ihrem Guthaben gutgeschrieben.'],
    ['Kopie: Rechnung # wurde storniert', 'Sie haben die Rechnung # an Sample Customer storniert.'],
  ],
  ja: [
    ['控え: Sample Customer 宛の請求書 #', 'Sample Customer 宛に$74.21の請求書 # を送信しました。'],
    ['控え: 請求書 # を更新しました', '現在の金額は$74.21です。'],
    ['控え: 請求書 # のお支払いのお願い', '未払い額$74.21について'],
    ['請求書 # のお支払いが拒否されました', '入金はありません。'],
    ['請求書 # のお支払いは処理中です', '商品やサービスの提供はお待ちください。'],
    ['Sample Customer が請求書 # に$74.21を支払いました', '代金は残高に入金されました。'],
    ['控え: 請求書 # を取り消しました', 'Sample Customer 宛の請求書 # を取り消しました。'],
  ],
} as const

describe('Mail to a merchant', () => {
  it.each(['de', 'ja'] as const)('speaks the language of the account: %s', async (language) => {
    await change(world.people.merchant.id, { language })

    const mails = await newMails('merchant@example.com', everything)

    const plain = (text: string) => text.replace(/\b\d{4}\b/g, '#')
    expect(mails.map(({ subject }) => plain(subject))).toEqual(told[language].map(([subject]) => subject))
    for (const [i, [, lead]] of told[language].entries()) expect(plain(mails[i]!.text)).toContain(lead)
    for (const { html } of mails) expect(html).toContain(`<html lang="${language}">`)
  })

  it('speaks the language of the country when the account names none, and English where we have neither', async () => {
    const { merchant } = world.people
    const subjectIn = async (country_code: string) => {
      // What an account has no word for is absent in its document.
      await change(merchant.id, { country_code, language: undefined as never })
      const made = await world.merchant.post<{ id: string }>(INVOICES, invoiceBody())
      const send = () => world.merchant.post(`${INVOICES}/${made.body.id}/send`, { send_to_invoicer: true })
      return (await newMails(merchant.email, send)).at(-1)!.subject.replace(/\d+/, '#')
    }

    expect(await subjectIn('FR')).toBe('Copie : facture # à Sample Customer')
    expect(await subjectIn('MX')).toBe('Copia: factura # a Sample Customer')
    expect(await subjectIn('AT')).toBe('Kopie: Rechnung # an Sample Customer')
    expect(await subjectIn('PL')).toBe('Copy: invoice # to Sample Customer')
    expect(await subjectIn('C2')).toBe('Copy: invoice # to Sample Customer')
    expect(await subjectIn('US')).toBe('Copy: invoice # to Sample Customer')
  })

  it('leaves no gap where the customer has no name', async () => {
    await change(world.people.merchant.id, { language: 'es' })
    const made = await world.merchant.post<{ id: string }>(INVOICES, invoiceBody({ primary_recipients: [] }))

    const [mail] = await newMails('merchant@example.com', () =>
      world.merchant.post(`${INVOICES}/${made.body.id}/send`, { send_to_invoicer: true }),
    )

    expect(mail!.subject).toMatch(/^Copia: factura \d+ a su cliente$/)
  })
})

describe('Mail about a dispute', () => {
  it.each([
    ['fr', 'de 9,00\u00a0$US a été ouvert.', [/^Le litige \S+ a été ouvert$/, /attend votre réponse$/, /est résolu$/]],
    [
      'de',
      'über 9,00\u00a0$ wurde eröffnet.',
      [/^Beanstandung \S+ wurde eröffnet$/, /braucht Ihre Antwort$/, /ist geklärt$/],
    ],
  ])('speaks the language of each side: %s', async (language, lead, subjects) => {
    for (const { id } of [world.people.merchant, world.people.buyer]) await change(id, { language })
    const { body } = await world.call<{ buyer_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: usd('9.00'),
    })
    const dispute = async () => {
      const made = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
        disputed_transactions: [{ buyer_transaction_id: body.buyer_transaction_id }],
        reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      })
      const address = `/v1/customer/disputes/${/disputes\/([^/]+)/.exec(made.body.links[0]!.href)![1]!}`
      await world.pass('PT1M')
      await world.buyer.post(`${address}/send-message`, { message: 'Where is it?' })
      await world.settle()
      await world.merchant.post(`${address}/accept-claim`, { note: 'Sorry.' })
    }

    let toSeller: Mail[] = []
    const toBuyer = await newMails('buyer@example.com', async () => {
      toSeller = await newMails('merchant@example.com', dispute)
    })

    expect(toSeller.map(({ subject }) => subject)).toEqual(subjects.map((subject) => expect.stringMatching(subject)))
    expect(toSeller[0]!.text).toContain(lead)
    expect(toBuyer[0]!.subject).toMatch(subjects[0]!)
    expect(toBuyer.at(-1)!.subject).toMatch(subjects[2]!)
  })
})
