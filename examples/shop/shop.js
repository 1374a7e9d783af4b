import { createServer } from 'node:http'
import { verifyWebhook } from 'quittance/client'

/**
 * A small shop: it invoices what it sells, ships what is paid, and answers customers who complain. It hears of both by
 * webhook, and knows nothing of sandboxes: in live it gets a client with other credentials.
 */
export async function openShop(client) {
  const orders = new Map()
  const seen = new Set()

  const reactions = {
    async 'INVOICING.INVOICE.PAID'({ invoice }) {
      const order = orders.get(invoice.id)
      if (order) order.status = 'SHIPPED'
    },
    async 'CUSTOMER.DISPUTE.CREATED'({ dispute_id }) {
      await client.disputes.sendMessage(dispute_id, { message: 'We are sorry. Your parcel is on its way again.' })
    },
  }

  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      try {
        const event = verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks) }, { secret })
        // A delivery may come twice; what it tells is done once.
        if (!seen.has(event.id)) await reactions[event.event_type]?.(event.resource)
        seen.add(event.id)
        response.writeHead(204).end()
      } catch (error) {
        response.writeHead(error.name === 'SignatureError' ? 401 : 500).end()
      }
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/webhooks`
  const names = Object.keys(reactions).map((name) => ({ name }))
  const { signing_secret: secret } = await client.webhooks.create({ url, event_types: names })

  return {
    /** Sells something and sends the invoice. */
    async sell(article, value, email) {
      const { id } = await client.invoices.create({
        detail: { currency_code: 'USD' },
        primary_recipients: [{ billing_info: { email_address: email } }],
        items: [{ name: article, quantity: '1', unit_amount: { currency_code: 'USD', value } }],
      })
      await client.invoices.send(id)
      orders.set(id, { article, status: 'INVOICED' })
      return id
    },
    order: (id) => orders.get(id),
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
