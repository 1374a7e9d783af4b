import { PUBLIC_URL, sentInvoice } from './payer.ts'
import type { World } from './world.ts'

interface Mail {
  subject: string
  links: string[]
  text: string
}

export const guest = (email = 'guest@example.com') => ({
  primary_recipients: [{ billing_info: { email_address: email } }],
})

/** Payers without an account: the forms as their browsers send them, and their mailboxes. */
export function payersOf(world: World) {
  let guests = 0

  async function paidInvoice(more: Record<string, unknown> = guest()) {
    const invoice = await sentInvoice(world, more)
    const { body } = await world.call<{ payment_id: string }>('POST', `/sandbox/invoices/${invoice.id}/pay`, {})
    return { ...invoice, payment: body.payment_id }
  }

  /** A page with forms, and a way to send one of them as a browser would. */
  async function open(path: string) {
    const page = await world.call('GET', path)
    const cookie = String(page.headers['set-cookie'] ?? '').split(';')[0]!
    const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    const send = (action: string, fields: Record<string, string> = {}, origin = PUBLIC_URL) => {
      const boundary = 'xxFORMxx'
      const { fileName = 'it.pdf', ...others } = fields
      const parts = Object.entries({ token, ...others }).map(
        ([name, value]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${name === 'file' ? `; filename="${fileName}"` : ''}\r\n\r\n${value}\r\n`,
      )
      return world.call('POST', action, `${parts.join('')}--${boundary}--\r\n`, {
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, origin, cookie },
      })
    }
    return { page, send }
  }

  const report = async (
    path: string,
    payment: string,
    text = 'It never came.',
    reason = 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  ) => {
    const { send } = await open(`${path}/problem`)
    return send(`${path}/problem`, { payment, reason, text })
  }

  const mailsTo = async (to: string) => {
    await world.settle()
    return (await world.call<{ mails: Mail[] }>('GET', '/sandbox/mail', undefined, { query: { to } })).body.mails
  }

  /** The private link, as only the payer's mailbox has it. */
  const caseOf = async (email: string) => new URL((await mailsTo(email))[0]!.links[0]!).pathname

  /** A case about a payment of somebody new. */
  async function reported(reason?: string) {
    const email = `guest-${++guests}@example.com`
    const { id, path, payment } = await paidInvoice(guest(email))
    const answer = await report(path, payment, undefined, reason)
    const casePath = await caseOf(email)
    return { id, path, payment, email, answer, casePath, disputeId: /problem\/([^~]+)~/.exec(casePath)![1]! }
  }

  return { paidInvoice, open, report, mailsTo, caseOf, reported }
}
