import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMailServer } from '../../../src/outbound/mail.ts'
import { oneLine } from '../../../src/payer/mail/mail.ts'
import { liveShop } from '../../support/live-shop.ts'
import { blueLogo, startLogoServer } from '../../support/logo.ts'
import { invoiceBody, PUBLIC_URL, sentInvoice } from '../../support/payer.ts'
import { INVOICES } from '../../support/shop.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'

interface Mail {
  to: string[]
  subject: string
  text: string
  html: string
  links: string[]
  reply_to?: string
  attachments: { filename: string; href: string }[]
}

const mailsTo = async (world: World, to: string) => {
  await world.settle()
  return (await world.call<{ mails: Mail[] }>('GET', '/sandbox/mail', undefined, { query: { to } })).body.mails
}

describe('Mail in a sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
  })
  afterAll(() => world.close())

  const to = (email: string, language?: string) => ({
    primary_recipients: [{ billing_info: { email_address: email, ...(language && { language }) } }],
  })

  it('is kept to be read, with a link that opens the page without scripts', async () => {
    const { path } = await sentInvoice(world, to('first@example.com'))

    const [mail] = await mailsTo(world, 'First@example.com')

    expect(mail!.subject).toBe('Invoice 0001 from Example Studio')
    expect(mail!.text).toContain(`${PUBLIC_URL}${path}`)
    expect(mail!.text).toContain('$74.21')
    expect(mail!.html).toContain(`href="${PUBLIC_URL}${path}"`)
    expect(mail!.links).toEqual([`${PUBLIC_URL}${path}`])
    expect(mail!.reply_to).toBe('merchant@example.com')
    expect(mail!.attachments).toEqual([
      { filename: 'invoice-0001.pdf', content_type: 'application/pdf', href: `${PUBLIC_URL}${path}/pdf` },
    ])
  })

  it('has a subject that is cut between characters', async () => {
    const { body } = await world.merchant.post<{ id: string }>(INVOICES, invoiceBody(to('cut@example.com')))
    await world.merchant.post(`${INVOICES}/${body.id}/send`, { subject: `${'A'.repeat(199)}😀😀` })

    expect((await mailsTo(world, 'cut@example.com')).map(({ subject }) => subject)).toEqual(['A'.repeat(199)])
  })

  it('speaks the language of its reader', async () => {
    await sentInvoice(world, to('german@example.com', 'de'))

    const [mail] = await mailsTo(world, 'german@example.com')

    expect(mail!.subject).toMatch(/^Rechnung \d+ von Example Studio$/)
    expect(mail!.text).toContain('Rechnung ansehen und bezahlen')
  })

  it('tells of reminders, updates, cancellations, payments and refunds', async () => {
    const { id } = await sentInvoice(world, to('all@example.com'))
    const invoice = `/v2/invoicing/invoices/${id}`
    await world.merchant.post(`${invoice}/remind`, { subject: 'Hello again', note: 'Please look.' })
    const { body } = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${id}/pay`, {})
    await world.merchant.post(`/v2/payments/captures/${body.payment_id}/refund`, { amount: usd('5.00') })
    const second = await sentInvoice(world, to('all@example.com'))
    await world.merchant.post(`/v2/invoicing/invoices/${second.id}/cancel`, {})

    const subjects = (await mailsTo(world, 'all@example.com')).map(({ subject }) => subject)

    expect(subjects).toHaveLength(6)
    expect(subjects).toContain('Hello again')
    expect(subjects.some((subject) => /was cancelled$/.test(subject))).toBe(true)
    expect(subjects).toContain('Your payment to Example Studio')
    expect(subjects).toContain('Refund from Example Studio')
    const merchant = (await mailsTo(world, 'merchant@example.com')).map(({ subject }) => subject)
    expect(merchant.some((subject) => /paid \$74\.21 on invoice/.test(subject))).toBe(true)
  })
})

/** A mail to the payer that brings no PDF, for which a process would be started. */
async function tellOfCancellation(merchant: Person): Promise<void> {
  const { body } = await merchant.post<{ id: string }>(INVOICES, invoiceBody())
  const at = `${INVOICES}/${body.id}`
  expect((await merchant.post(`${at}/send`, { send_to_recipient: false })).status).toBe(200)
  expect((await merchant.post(`${at}/cancel`, { send_to_recipient: true })).status).toBe(204)
}

const NEWS_A_DAY = 3

describe('Mail through a server', () => {
  const received: { from: string; to: string[]; data: string }[] = []
  /** The Message-ID of every mail that was handed over, also of those that were refused. */
  const ids: string[] = []
  let refusals = 0
  /** An address that the server knows nothing of. */
  let unknown = ''
  let passwords = 0
  let server: SMTPServer
  let world: World
  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      onAuth(_auth, _session, done) {
        passwords++
        done(null, { user: 'someone' })
      },
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo({ address }, _session, done) {
        done(address === unknown ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null)
      },
      onData(stream, session, done) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          ids.push(/^Message-ID: (<.+>)/im.exec(Buffer.concat(chunks).toString())?.[1] ?? 'none')
          if (refusals > 0) {
            refusals--
            return done(Object.assign(new Error('try again'), { responseCode: 451 }))
          }
          const { mailFrom, rcptTo } = session.envelope
          received.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            data: Buffer.concat(chunks).toString('utf8'),
          })
          done()
        })
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    world = await newWorld({
      settings: {
        PUBLIC_URL,
        SMTP_URL: `smtp://127.0.0.1:${port}`,
        MAIL_FROM: 'invoices@pay.example',
        MAIL_PER_CASE_PER_DAY: String(NEWS_A_DAY),
      },
    })
  })
  afterAll(async () => {
    await world.close()
    await new Promise<void>((resolve) => server.close(resolve))
  })

  it('arrives with text, markup and the PDF, and replies go to the merchant', async () => {
    await sentInvoice(world)
    await world.settle()

    const mail = received.at(-1)!

    expect(mail.from).toBe('invoices@pay.example')
    expect(mail.to).toEqual(['buyer@example.com'])
    expect(mail.data).toMatch(/^From: Example Studio <invoices@pay\.example>\r\n/m)
    expect(mail.data).toMatch(/^Reply-To: Example Studio <merchant@example\.com>\r\n/m)
    expect(mail.data).toContain('text/plain')
    expect(mail.data).toContain('text/html')
    expect(mail.data).toContain('filename=invoice-0001.pdf')
  })

  it('brings the PDF with the logo of the merchant', async () => {
    const shop = await startLogoServer()
    shop.answers('/logo.png', blueLogo)
    await sentInvoice(world, { invoicer: { business_name: 'Example Studio', logo_url: shop.url('/logo.png') } })
    await world.settle()

    const { data } = received.at(-1)!
    const [, , pdf] = /filename=invoice-(\w+)\.pdf\r\n(?:[^\r]+\r\n)*\r\n([\w+/=\r\n]+)/.exec(data)!

    expect(Buffer.from(pdf!, 'base64').toString('latin1')).toContain('/Subtype /Image')
    expect(shop.asked).toHaveLength(1)
    await shop.close()
  })

  it('cannot be given a header of its own by any field', async () => {
    const evil = 'Evil\r\nBcc: victim@example.com\r\n\r\nnew body'
    const { id } = await sentInvoice(world, {
      invoicer: { business_name: evil, email_address: 'merchant@example.com' },
    })
    await world.merchant.post(`/v2/invoicing/invoices/${id}/remind`, { subject: evil, note: evil })
    await world.settle()

    for (const { data, to } of received.slice(-2)) {
      const head = data.slice(0, data.indexOf('\r\n\r\n'))
      expect(head).not.toMatch(/^Bcc:/im)
      expect(to).toEqual(['buyer@example.com'])
    }
    expect(oneLine(evil)).toBe('Evil Bcc: victim@example.com new body')
  })

  it('is not handed to a server in a private network unless the operator says so', async () => {
    const { port } = server.server.address() as AddressInfo
    const before = received.length
    const strict = await newWorld({
      settings: { PUBLIC_URL, SMTP_URL: `smtp://localhost:${port}`, SMTP_ALLOW_PRIVATE: 'false' },
    })
    await tellOfCancellation(strict.merchant)
    await strict.settle()
    const { rows } = await strict.app.database.query<{ last_error: string }>('select last_error from jobs')
    expect(rows.map(({ last_error }) => last_error).join()).toMatch(/not a public address|a private network/)
    await strict.close()
    // What is link-local is refused in any case.
    const local = openMailServer({
      url: `smtp://[::ffff:169.254.169.254]:${port}`,
      allowPrivate: true,
      allowPlain: true,
    })
    const mail = { id: 'a', from: { name: '', address: 'a@pay.example' }, to: ['b@pay.example'], subject: '', text: '' }
    await expect(local.send({ ...mail, html: '', attachments: [] })).rejects.toThrow('not a public address')
    expect(received).toHaveLength(before)
  })

  it('is not handed to a server without TLS, nor is the password, unless the operator says so', async () => {
    const { port } = server.server.address() as AddressInfo
    const before = received.length
    const smtp = { SMTP_URL: `smtp://someone:secret@127.0.0.1:${port}`, SMTP_ALLOW_PRIVATE: 'true' }
    const told = await newWorld({ settings: { PUBLIC_URL, ...smtp, SMTP_ALLOW_PLAIN: 'false' } })
    await tellOfCancellation(told.merchant)
    // In live nobody has to say no.
    const live = await liveShop(smtp)
    await tellOfCancellation(live.merchant)
    for (const strict of [told, live.world]) {
      await strict.settle()

      const { rows } = await strict.app.database.query<{ last_error: string | null }>('select last_error from jobs')

      expect(rows.map(({ last_error }) => last_error).join()).toMatch(/STARTTLS/)
      await strict.close()
    }
    expect([received.length, passwords]).toEqual([before, 0])
  })

  it('is tried again when the server is busy', async () => {
    refusals = 1
    await sentInvoice(world)
    const before = received.length
    await world.settle()
    expect(received).toHaveLength(before)

    await world.pass('PT10S')

    expect(received).toHaveLength(before + 1)
  })

  it('reaches everybody once, also where the address of one of them is wrong', async () => {
    unknown = 'nobody@example.com'
    const before = received.length
    const additional_recipients = [unknown, 'copy@example.com'].map((email_address) => ({ email_address }))
    await sentInvoice(world, { additional_recipients })
    await world.settle()
    await world.pass('P3D')

    expect(received.slice(before).flatMap((mail) => mail.to)).toEqual(['buyer@example.com', 'copy@example.com'])
    // Named after the one job that divided them, so that they are the same mails if that is done again.
    const names = received.slice(before).map(({ data }) => /^Message-ID: <mail-(.+)-(\d)-\w+@/im.exec(data)?.slice(1))
    expect(names).toEqual([
      [names[0]![0], '0'],
      [names[0]![0], '2'],
    ])
    const { rows } = await world.app.database.query("delete from jobs where name = 'send-mail' returning payload")
    expect(rows.map(({ payload }) => payload.recipients)).toEqual([[unknown]])
  })

  it('tells the seller of a dispute once, also where the address of the buyer is wrong', async () => {
    unknown = 'buyer@example.com'
    const before = received.length
    await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: 'MAIL-1' }],
      reason: 'UNAUTHORISED',
    })
    await world.settle()
    await world.pass('PT4H')
    unknown = ''

    expect(received.slice(before).flatMap((mail) => mail.to)).toEqual(['merchant@example.com'])
    await world.app.database.query("delete from jobs where name = 'dispute-notice'")
  })

  it('is not counted again each time that a busy server is tried', async () => {
    const { body } = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: 'MAIL-2' }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    })
    await world.settle()
    const before = received.length
    refusals = NEWS_A_DAY + 1
    const path = new URL(body.links[0]!.href).pathname
    expect((await world.merchant.post(`${path}/send-message`, { message: 'It is on its way.' })).status).toBe(200)
    await world.settle()
    await world.pass('PT1H')

    expect(refusals).toBe(0)
    expect(received.slice(before).flatMap((mail) => mail.to)).toEqual(['buyer@example.com'])
  })

  it('has the same Message-ID each time it is handed over, and no other mail has it', async () => {
    ids.length = 0
    refusals = 1
    await sentInvoice(world, { additional_recipients: [{ email_address: 'copy@example.com' }] })
    await world.settle()
    await world.pass('PT10S')
    await world.merchant.post('/sandbox/reset')
    await sentInvoice(world)
    await world.settle()

    const [refused, copy, again, afterReset] = ids
    expect(ids).toHaveLength(4)
    expect(refused).toMatch(/^<mail-.+@.+>$/)
    expect(again).toBe(refused)
    expect(new Set([refused, copy, afterReset]).size).toBe(3)
  })
})
