import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json } from '../support/command.ts'
import { PUBLIC_URL, sentInvoice } from '../support/payer.ts'
import { INVOICES, recipient } from '../support/shop.ts'
import { newWorld, type World } from '../support/world.ts'

const EMAIL = 'ann@customer.test'
/** In each of these hers stands too, as a part. */
const others = ['joann@customer.test', 'jo.ann@customer.test', "o'ann@customer.test", 'ann@customer.test.example']

describe('A customer whose address is a part of the addresses of others', () => {
  let world: World
  let variables: Record<string, string>
  const invoices: string[] = []
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL } })
    variables = { DATABASE_URL: world.databaseUrl, PUBLIC_URL }
    for (const email of [...others, EMAIL]) {
      const note = `Sold to:\n${email}. Or so.`
      const { id } = await sentInvoice(world, { primary_recipients: [recipient(email)] }, { note })
      invoices.push(id)
    }
  })
  afterAll(() => world.close())

  const shown = async (id: string) =>
    (
      await world.merchant.get<{
        detail: { note: string }
        primary_recipients: { billing_info: { email_address: string } }[]
      }>(`${INVOICES}/${id}`)
    ).body

  it('is not given what is held about the others', async () => {
    const { records } = await json<{ records: Record<string, { id: string }[]> }>(
      ['people', 'export', EMAIL],
      variables,
    )

    expect(records['invoices']!.map(({ id }) => id)).toEqual(invoices.slice(-1))
    expect(others.filter((email) => JSON.stringify(records).includes(email))).toEqual([])
  })

  it('is erased without a change to the others', async () => {
    const { erased } = await json<{ erased: Record<string, number> }>(['people', 'erase', EMAIL, '--yes'], variables)

    expect(erased).toMatchObject({ invoices: 1 })
    for (const [place, email] of others.entries())
      expect(await shown(invoices[place]!)).toMatchObject({
        detail: { note: `Sold to:\n${email}. Or so.` },
        primary_recipients: [{ billing_info: { email_address: email } }],
      })
    expect((await shown(invoices.at(-1)!)).detail.note).toMatch(/^Sold to:\nerased-\w+@erased\.invalid\. Or so\.$/)
  })
})
