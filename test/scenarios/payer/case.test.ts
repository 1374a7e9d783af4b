import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { caseWords } from '../../../src/payer/words/index.ts'
import { languages } from '../../../src/payer/words/languages.ts'
import { json } from '../../support/command.ts'
import { PUBLIC_URL } from '../../support/payer.ts'
import { payersOf } from '../../support/problem.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
let payers: ReturnType<typeof payersOf>
beforeAll(async () => {
  world = await newWorld({ settings: { PUBLIC_URL } })
  payers = payersOf(world)
})
afterAll(() => world.close())

const reported = () => payers.reported('MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED')
type Case = Awaited<ReturnType<typeof reported>>

const DISPUTES = '/v1/customer/disputes'
const merchantDoes = async ({ disputeId }: Pick<Case, 'disputeId'>, action: string, body: object) => {
  const answer = await world.merchant.post(`${DISPUTES}/${disputeId}/${action}`, body)
  expect(answer.status, answer.text).toBeLessThan(300)
}
const payerDoes = async ({ casePath }: Pick<Case, 'casePath'>, action: string, fields: Record<string, string> = {}) =>
  (await payers.open(casePath)).send(`${casePath}/${action}`, fields)
const pageOf = async ({ casePath }: Pick<Case, 'casePath'>, lang = 'en') =>
  (await world.call('GET', `${casePath}?lang=${lang}`)).text
const asMerchantSees = async ({ disputeId }: Pick<Case, 'disputeId'>) =>
  (await world.merchant.get<Record<string, unknown>>(`${DISPUTES}/${disputeId}`)).body

const return_shipping_address = {
  address_line_1: '14 Return Road',
  admin_area_2: 'San Jose',
  admin_area_1: 'CA',
  postal_code: '95131',
  country_code: 'US',
}

/** The whole payment as each language writes it. */
const whole = /74[.,]21/g

describe('What an offer says on the page of a case', () => {
  it('is a replacement and no money, and accepting it says what comes', async () => {
    const problem = await reported()
    await merchantDoes(problem, 'make-offer', { note: 'A new one.', offer_type: 'REPLACEMENT_WITHOUT_REFUND' })

    for (const lang of languages) {
      const page = await pageOf(problem, lang)
      expect(page.match(whole), lang).toHaveLength(1)
      expect(page, lang).toContain(caseWords[lang].acceptReplacement)
    }
    expect(await pageOf(problem)).toContain('Example Studio offers you a replacement, without a refund')
    expect((await payerDoes(problem, 'accept-offer')).status).toBe(303)
    const after = await pageOf(problem)
    expect(after).toContain('Example Studio sends you a replacement.')
    expect(after).toContain('The case was closed without a refund.')
  })

  it('is both where there is a replacement and an amount', async () => {
    const problem = await reported()
    const offer = { note: 'Sorry.', offer_type: 'REFUND_WITH_REPLACEMENT', offer_amount: usd('20.00') }
    await merchantDoes(problem, 'make-offer', offer)

    const page = await pageOf(problem)
    expect(page).toContain('Example Studio offers you a replacement and $20.00')
    expect(page).toContain('Accept the replacement and $20.00')
    await payerDoes(problem, 'accept-offer')
    const after = await pageOf(problem)
    expect(after).toContain('$20.00 was refunded to you.')
    expect(after).toContain('Example Studio sends you a replacement.')
  })

  it('says of a refund for a return that the item goes back first, and where to', async () => {
    const problem = await reported()
    const offer = { note: 'Send it.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('48.00') }
    await merchantDoes(problem, 'make-offer', { ...offer, return_shipping_address })

    for (const lang of languages) {
      const page = await pageOf(problem, lang)
      expect(page, lang).toContain('14 Return Road')
      expect(page, lang).toContain(caseWords[lang].acceptReturn)
    }
    const page = await pageOf(problem)
    expect(page).toContain('Example Studio offers you $48.00 if you send the item back')
    expect(page).toContain('San Jose, CA 95131')
  })
})

describe('What was refunded, on the page of a case', () => {
  it('is the sum of all refunds', async () => {
    const problem = await reported()
    await merchantDoes(problem, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'As described.' }] })
    await merchantDoes(problem, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })
    for (const amount of ['10.00', '5.00'])
      await world.merchant.post(`/v2/payments/captures/${problem.payment}/refund`, { amount: usd(amount) })
    await world.settle()

    expect(await pageOf(problem)).toContain('$15.00 was refunded to you.')
  })
})

describe('What a payer writes on the page of a case', () => {
  it('is asked for again where it is blank, in every language, and nothing is sent in its place', async () => {
    const problem = await reported()
    const before = await asMerchantSees(problem)
    for (const lang of languages) {
      const blank = await payerDoes(problem, 'send-message', { text: ' \r\n ', lang })
      expect(blank.status, lang).toBe(422)
      expect(blank.text, lang).toContain(caseWords[lang].textMissing)
    }
    expect(await asMerchantSees(problem)).toEqual(before)

    await merchantDoes(problem, 'make-offer', { note: 'x', offer_type: 'REPLACEMENT_WITHOUT_REFUND' })
    for (const action of ['deny-offer', 'provide-evidence'])
      expect((await payerDoes(problem, action, { text: ' ' })).text, action).toContain('Write something.')
    expect(await asMerchantSees(problem)).toMatchObject({ status: 'WAITING_FOR_BUYER_RESPONSE' })
    expect((await payerDoes(problem, 'appeal', { text: ' ' })).text).toContain('This cannot be done any more.')
  })
})

describe('A return, on the page of a case', () => {
  const parcel = { carrier: 'Harbour Parcels', tracking: 'HP 100 200' }
  const agree = (problem: Case) =>
    merchantDoes(problem, 'accept-claim', {
      note: 'x',
      accept_claim_type: 'REFUND_WITH_RETURN',
      return_shipping_address,
    })

  it('shows where the item goes, takes the tracking number, and lets the payer get the money', async () => {
    const problem = await reported()
    await agree(problem)
    for (const lang of languages) {
      const page = await pageOf(problem, lang)
      expect(page, lang).toContain('14 Return Road')
      expect(page, lang).toContain(caseWords[lang].tracking)
    }
    expect(await pageOf(problem)).toContain('Example Studio refunds $74.21 once the item has come back.')

    const sent = await payerDoes(problem, 'provide-evidence', parcel)

    expect(sent.status, sent.text).toBe(303)
    expect(await pageOf(problem)).toContain('You sent the item back: Harbour Parcels, HP 100 200')
    expect(await asMerchantSees(problem)).toMatchObject({
      status: 'WAITING_FOR_SELLER_RESPONSE',
      evidences: expect.arrayContaining([
        expect.objectContaining({
          evidence_type: 'PROOF_OF_RETURN',
          source: 'SUBMITTED_BY_BUYER',
          evidence_info: {
            tracking_info: [
              { carrier_name: 'OTHER', carrier_name_other: 'Harbour Parcels', tracking_number: 'HP 100 200' },
            ],
          },
        }),
      ]),
    })
    await merchantDoes(problem, 'acknowledge-return-item', {
      acknowledgement_type: 'ITEM_RECEIVED',
      note: 'It is here.',
    })
    expect(await pageOf(problem)).toContain('$74.21 was refunded to you.')
  })

  it('follows an accepted offer as well', async () => {
    const problem = await reported()
    const offer = { note: 'Send it.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('48.00') }
    await merchantDoes(problem, 'make-offer', { ...offer, return_shipping_address })

    await payerDoes(problem, 'accept-offer')

    const page = await pageOf(problem)
    expect(page).toContain('Example Studio refunds $48.00 once the item has come back.')
    expect(page).toContain('14 Return Road')
    expect((await payerDoes(problem, 'provide-evidence', parcel)).status).toBe(303)
    expect(await asMerchantSees(problem)).toMatchObject({ status: 'WAITING_FOR_SELLER_RESPONSE' })
  })

  it('names a carrier by its code where it has one', async () => {
    const problem = await reported()
    await agree(problem)

    await payerDoes(problem, 'provide-evidence', { carrier: ' ups', tracking: '1Z999AA10123456784' })

    const { evidences } = (await asMerchantSees(problem)) as { evidences: { evidence_info?: object }[] }
    expect(evidences.flatMap(({ evidence_info }) => evidence_info ?? [])).toEqual([
      { tracking_info: [{ carrier_name: 'UPS', tracking_number: '1Z999AA10123456784' }] },
    ])
    expect(await pageOf(problem)).toContain('You sent the item back: UPS, 1Z999AA10123456784')
  })

  it('asks again for what is missing, and takes a receipt beside it', async () => {
    const problem = await reported()
    await agree(problem)

    const blank = await payerDoes(problem, 'provide-evidence', { carrier: ' ', tracking: '1' })
    expect(blank.status).toBe(422)
    expect(blank.text).toContain('Enter the carrier and the tracking number.')
    const words = await payerDoes(problem, 'provide-evidence', { text: 'I am on my way to the post office.' })
    expect(words.status).toBe(303)
    expect(await asMerchantSees(problem)).toMatchObject({ status: 'WAITING_FOR_BUYER_RESPONSE' })
    const sent = await payerDoes(problem, 'provide-evidence', { ...parcel, file: '%PDF-1.4\n%%EOF' })
    expect(sent.status, sent.text).toBe(303)
    expect(await asMerchantSees(problem)).toMatchObject({ status: 'WAITING_FOR_SELLER_RESPONSE' })
    const late = await payerDoes(problem, 'provide-evidence', parcel)
    expect(late.status).toBe(422)
    expect(late.text).toContain('This cannot be done any more.')
  })

  it('keeps what was written when its file is refused, and the language, and takes a file by whatever name', async () => {
    const problem = await reported()
    await agree(problem)
    const evidence = `${problem.casePath}/provide-evidence`
    const send = async (fields: Record<string, string>) =>
      (await payers.open(`${problem.casePath}?lang=de`)).send(evidence, { lang: 'de', ...fields })

    const refused = await send({ text: 'Es <fehlt>.', file: 'kein Bild' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Diese Datei kann nicht angenommen werden.')
    expect(refused.text).toContain('Es &lt;fehlt&gt;.</textarea>')
    const parcelRefused = await send({ carrier: 'Bote', tracking: '', file: 'kein Bild' })
    expect(parcelRefused.text).toContain('value="Bote"')

    for (const fileName of ['Beleg für März (1).PNG', '領収書.pdf']) {
      const { status, headers } = await send({ text: 'Hier.', file: '%PDF-1.4\n%%EOF', fileName })
      expect([status, headers['location']]).toEqual([303, `${problem.casePath}?lang=de`])
    }
  })

  it('hands out the shipping label of the seller, through the private link alone, and knows its number', async () => {
    const problem = await reported()
    await payerDoes(problem, 'escalate')
    const label = '%PDF-1.4\nthe label\n%%EOF'
    const boundary = 'xxLABELxx'
    const input = {
      note: 'Use our label.',
      accept_claim_type: 'REFUND_WITH_RETURN_SHIPMENT_LABEL',
      return_shipping_address,
      return_shipment_info: [
        { shipment_label: { name: 'label.pdf' }, tracking_info: { carrier_name: 'DHL', tracking_number: '00340434' } },
      ],
    }
    const body =
      `--${boundary}\r\nContent-Disposition: form-data; name="input"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(input)}\r\n` +
      `--${boundary}\r\nContent-Disposition: form-data; name="file1"; filename="label.pdf"\r\n\r\n${label}\r\n--${boundary}--\r\n`
    const accepted = await world.merchant.post(`${DISPUTES}/${problem.disputeId}/accept-claim`, body, {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    expect(accepted.status, accepted.text).toBe(200)

    const page = await pageOf(problem)
    const address = /href="([^"]*\/label\/1)"/.exec(page)?.[1]
    expect(page).toContain('Download the shipping label')
    expect(page).toContain('value="DHL"')
    expect(page).toContain('value="00340434"')
    expect(address).toBe(`${problem.casePath}/label/1`)
    const file = await world.call('GET', address!)
    expect([file.status, file.headers['content-type'], file.text]).toEqual([200, 'application/pdf', label])
    expect(file.headers['content-disposition']).toContain('label.pdf')
    const other = await reported()
    for (const wrong of [`${problem.casePath}/label/2`, `${other.casePath}/label/1`, `${problem.casePath}x/label/1`])
      expect((await world.call('GET', wrong)).status).toBe(404)
  })

  it('is told by mail, with the address', async () => {
    const problem = await reported()

    await agree(problem)

    const [mail] = await payers.mailsTo(problem.email)
    expect(mail!.subject).toMatch(/^News about your problem/)
    expect(mail!.text).toContain('Example Studio refunds $74.21 once the item has come back.')
    expect(mail!.text).toContain('Example Studio\n14 Return Road\nSan Jose, CA 95131\nUnited States')
  })
})

describe('An appeal, on the page of a case', () => {
  const decide = (problem: Case, adjudication_outcome: string) =>
    merchantDoes(problem, 'adjudicate', { adjudication_outcome })
  async function reviewed() {
    const problem = await reported()
    await merchantDoes(problem, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'As described.' }] })
    return problem
  }

  it('is offered with its deadline to the payer who lost, as often as the decision can be appealed', async () => {
    const problem = await reviewed()
    expect(await pageOf(problem)).not.toContain('/appeal"')
    await decide(problem, 'SELLER_FAVOR')
    for (const lang of languages) {
      const page = await pageOf(problem, lang)
      expect(page, lang).toContain(`${problem.casePath}/appeal"`)
      expect(page, lang).toContain(caseWords[lang].appealTitle)
    }
    expect(await pageOf(problem)).toMatch(/You can appeal until \w+ \d+, \d{4}/)
    expect((await payers.mailsTo(problem.email))[0]!.text).toMatch(/you can appeal there until \w+ \d+, \d{4}/)

    const appealed = await payerDoes(problem, 'appeal', { text: 'Look at this.', file: '%PDF-1.4\n%%EOF' })

    expect(appealed.status, appealed.text).toBe(303)
    const page = await pageOf(problem)
    expect(page).toContain('Being reviewed')
    expect(page).not.toContain('/appeal"')
    expect(await asMerchantSees(problem)).toMatchObject({
      status: 'UNDER_REVIEW',
      dispute_life_cycle_stage: 'PRE_ARBITRATION',
    })
    await decide(problem, 'SELLER_FAVOR')
    const otherTab = await payers.open(problem.casePath)
    expect((await payerDoes(problem, 'appeal', { text: 'Once more.' })).status).toBe(303)
    await decide(problem, 'SELLER_FAVOR')
    expect(await pageOf(problem)).not.toContain('/appeal"')
    expect((await otherTab.send(`${problem.casePath}/appeal`, { text: 'And again.' })).status).toBe(422)
  })

  it('is not offered to a payer who won, nor after the window', async () => {
    const [won, lost] = [await reviewed(), await reviewed()]
    const form = await payers.open(won.casePath)
    await decide(won, 'BUYER_FAVOR')
    await decide(lost, 'SELLER_FAVOR')

    expect(await pageOf(won)).not.toContain('/appeal"')
    expect((await form.send(`${won.casePath}/appeal`, { text: 'More.' })).status).toBe(422)
    expect(await pageOf(lost)).toContain('/appeal"')
    await world.pass('P12D')
    expect(await pageOf(lost)).not.toContain('/appeal"')
  })
})

describe('What the payer sent', () => {
  it('stands on the page with its files, each once, so that they see it arrived', async () => {
    const invoice = await payers.paidInvoice({
      primary_recipients: [{ billing_info: { email_address: 'sender@example.com' } }],
    })
    const form = await payers.open(`${invoice.path}/problem`)
    const reason = 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'
    const opening = {
      payment: invoice.payment,
      reason,
      text: 'It is green.',
      file: '%PDF-1.4\n',
      fileName: 'green.pdf',
    }
    await form.send(`${invoice.path}/problem`, opening)
    const casePath = await payers.caseOf('sender@example.com')
    const problem = { casePath, disputeId: /problem\/([^~]+)~/.exec(casePath)![1]! }
    const seen = async () =>
      (await pageOf(problem)).split('class="talk"')[1]!.match(/It is green|green\.pdf|Too little|slip\.pdf|A bill/g)

    expect(await seen()).toEqual(['It is green', 'green.pdf'])
    await merchantDoes(problem, 'make-offer', { note: 'x', offer_type: 'REFUND', offer_amount: usd('1.00') })
    await payerDoes(problem, 'deny-offer', { text: 'Too little' })
    await payerDoes(problem, 'escalate')
    await merchantDoes(problem, 'provide-evidence', {
      evidences: [{ evidence_type: 'OTHER', notes: 'A secret of ours' }],
    })
    await merchantDoes(problem, 'require-evidence', { action: 'BUYER_EVIDENCE' })
    const sent = await payerDoes(problem, 'provide-evidence', {
      ...{ text: 'A bill', file: '%PDF-1.4\n', fileName: 'slip.pdf' },
    })

    expect(sent.status, sent.text).toBe(303)
    expect(await seen()).toEqual(['It is green', 'green.pdf', 'Too little', 'A bill', 'slip.pdf'])
    expect(await pageOf(problem)).not.toContain('A secret of ours')
  })
})

describe('A deadline', () => {
  it('that does not end with a day where the merchant is says at what hour it ends', async () => {
    const moveTo = (zone: string) =>
      json(['accounts', 'update', world.people.merchant.id, '--time-zone', zone], { DATABASE_URL: world.databaseUrl })
    const problem = await reported()
    await payerDoes(problem, 'escalate')
    await merchantDoes(problem, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'As described.' }] })
    await merchantDoes(problem, 'require-evidence', { action: 'BUYER_EVIDENCE' })
    expect(await pageOf(problem)).toMatch(/Answer by March \d+, 2026<\/dd>/)

    await moveTo('Asia/Tokyo')

    expect(await pageOf(problem)).toMatch(/Answer by March \d+, 2026 at [34]:59.PM GMT\+9<\/dd>/)
    expect(await pageOf(problem, 'ja')).toMatch(/2026年3月\d+日 1[56]:59 JST<\/dd>/)
    await payerDoes(problem, 'provide-evidence', { text: 'A bill' })
    await merchantDoes(problem, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })
    expect((await payers.mailsTo(problem.email))[0]!.text).toMatch(
      /appeal there until March \d+, 2026 at [34]:59.PM GMT\+9/,
    )
    await moveTo('America/Los_Angeles')
  })
})

it('A case is called by one word in each language', () => {
  expect(Object.values(caseWords.ja).filter((text) => text.includes('ケース'))).toEqual([])
})
