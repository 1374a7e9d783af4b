import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../../support/world.ts'
import { DISPUTES, does, open, pdf, png, refusal, sees } from '../disputes/people.ts'
import { inputPart, kinds, multipartOf, type WrittenPart } from './parts.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const claim = () => open(world.buyer, { reason: 'INCORRECT_AMOUNT' })
const words = { evidences: [{ evidence_type: 'OTHER', notes: 'As the client wrote it.' }] }
const disposition = (parameters: string) => `Content-Disposition: form-data; ${parameters}`

async function provides(parts: readonly WrittenPart[], kind: string) {
  const id = await claim()
  const { payload, headers } = multipartOf(parts, kind)
  const answer = await does(world.merchant, id, 'provide-evidence', payload, headers)
  return { id, answer, kept: (await sees(world.merchant, id)).evidences?.at(-1) }
}

// biome-ignore format: a table reads best as a table
const inputs: readonly (readonly [who: string, headers: readonly string[]])[] = [
  ['curl -F input=',                     [disposition('name="input"')]],
  ['a FormData with a Blob',             [disposition('name="input"; filename="blob"'), 'Content-Type: application/json']],
  ['a FormData with a Blob of no type',  [disposition('name="input"; filename="blob"'), 'Content-Type: application/octet-stream']],
  ['a file name that is empty',          [disposition('name="input"; filename=""'), 'Content-Type: application/json']],
  ['a file of its own',                  [disposition('name="input"; filename="input.json"'), 'Content-Type: application/json; charset=UTF-8']],
  ['plain text with a length',           [disposition('name="input"'), 'Content-Type: text/plain; charset=UTF-8', 'Content-Length: 83']],
]

describe.each(kinds)('In multipart/%s', (kind) => {
  it.each(inputs)('input is the JSON, as written by %s', async (_who, headers) => {
    const { answer, kept } = await provides([inputPart(words, headers)], kind)

    expect(answer.status, answer.text).toBe(200)
    expect(kept).toMatchObject({ source: 'SUBMITTED_BY_SELLER', notes: 'As the client wrote it.' })
    expect(kept?.documents).toBeUndefined()
  })

  // biome-ignore format: a table reads best as a table
  const documents: readonly (readonly [what: string, headers: readonly string[], name: string])[] = [
    ['named evidence-file, without a file name',          [disposition('name="evidence-file"'), 'Content-Type: application/pdf'], 'evidence-file.pdf'],
    ['named evidence-file and nothing else',              [disposition('name="evidence-file"')], 'evidence-file.pdf'],
    ['named accept-claim-document, without a file name',  [disposition('name="accept-claim-document"')], 'accept-claim-document.pdf'],
    ['named message_document, without a file name',       [disposition('name="message_document"')], 'message_document.pdf'],
    ['named acknowledgement_document, without a file name', [disposition('name="acknowledgement_document"')], 'acknowledgement_document.pdf'],
    ['named supporting document, without a file name',    [disposition('name="supporting document"')], 'supporting document.pdf'],
    ['named file1, without a file name',                  [disposition('name="file1"')], 'file1.pdf'],
    ['with an empty file name',                           [disposition('name="evidence-file"; filename=""'), 'Content-Type: application/pdf'], 'evidence-file.pdf'],
    ['with the name a Blob gets',                         [disposition('name="evidence-file"; filename="blob"')], 'evidence-file.pdf'],
    ['with the name of its part, as for bytes in Python', [disposition('name="proof"; filename="proof"')], 'proof.pdf'],
    ['with the name in its content type',                 [disposition('name="proof"'), 'Content-Type: application/pdf; name="my proof.pdf"'], 'my proof.pdf'],
    ['with a content type alone',                         ['Content-Type: application/pdf; name=proof.pdf'], 'proof.pdf'],
    ['an attachment without a name',                      ['Content-Disposition: attachment', 'Content-Type: application/pdf'], 'document.pdf'],
    ['an attachment with a name',                         ['Content-Disposition: attachment; filename=a.pdf'], 'a.pdf'],
    ['of a document type, under a name of its own',       [disposition('name="receipt"'), 'Content-Type: application/pdf'], 'receipt.pdf'],
  ]
  it.each(documents)('a part is a document: %s', async (_what, headers, name) => {
    const { answer, kept } = await provides([inputPart(words), { headers, content: pdf }], kind)

    expect(answer.status, answer.text).toBe(200)
    expect(kept?.documents?.map((document) => document.name)).toEqual([name])
  })

  it('documents without a name are told apart', async () => {
    const part = (content: Buffer) => ({ headers: [disposition('name="evidence-file"')], content })

    const { answer, kept } = await provides([part(pdf), part(pdf), part(png)], kind)

    expect(answer.status, answer.text).toBe(200)
    expect(kept?.documents?.map(({ name }) => name)).toEqual([
      'evidence-file.pdf',
      'evidence-file-2.pdf',
      'evidence-file.png',
    ])
  })

  // biome-ignore format: a table reads best as a table
  const unread: readonly (readonly [what: string, headers: readonly string[], says: RegExp])[] = [
    ['a plain field',               [disposition('name="accept_claim_type"')],                                /"accept_claim_type"/],
    ['a field of text',             [disposition('name="notes"'), 'Content-Type: text/plain'],                /"notes"/],
    ['a second JSON object',        [disposition('name="metadata"'), 'Content-Type: application/json'],       /"metadata"/],
    ['a part that has no name',     ['Content-Type: text/plain'],                                             /without a name/],
  ]
  it.each(unread)('a part nobody reads is refused by its name: %s', async (_what, headers, says) => {
    const { id, answer } = await provides([inputPart(words), { headers, content: '{}' }], kind)

    expect(refusal(answer)).toBe('400 INVALID_REQUEST MISSING_OR_INVALID_REQUEST_BODY')
    expect(answer.body.details[0]!.description).toMatch(says)
    expect((await sees(world.merchant, id)).evidences?.some(({ source }) => source === 'SUBMITTED_BY_SELLER')).toBe(
      false,
    )
  })

  it('a field sent instead of input is refused, and the chance to answer is not spent', async () => {
    const { id, answer } = await provides([{ headers: [disposition('name="notes"')], content: 'Delivered.' }], kind)

    expect(answer.status).toBe(400)
    expect(answer.body.details[0]!.description).toMatch(/"notes".*"input"/)
    expect((await sees(world.merchant, id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
  })

  it('a document that is no document is refused, whatever part it came in', async () => {
    const { answer } = await provides([{ headers: [disposition('name="evidence-file"')], content: 'hello' }], kind)

    expect(refusal(answer)).toBe('400 VALIDATION_ERROR INVALID_EVIDENCE_FILE')
  })

  it('a dispute can be changed', async () => {
    const id = await claim()
    const entries = [{ op: 'add', path: '/communication_details', value: { email: 'help@example.com' } }]
    const { payload, headers } = multipartOf([inputPart(entries)], kind)

    const { status, text } = await world.merchant.patch(`${DISPUTES}/${id}`, payload, { headers })

    expect(status, text).toBe(204)
    expect((await sees(world.merchant, id)).communication_details).toMatchObject({ email: 'help@example.com' })
  })

  it('a change of a dispute takes no files, and needs its entries', async () => {
    const id = await claim()
    const file = { headers: [disposition('name="file1"; filename="a.pdf"')], content: pdf }
    const sends = (parts: readonly WrittenPart[]) => {
      const { payload, headers } = multipartOf(parts, kind)
      return world.merchant.patch<{ name: string; details: { issue: string; description: string }[] }>(
        `${DISPUTES}/${id}`,
        payload,
        { headers },
      )
    }

    const withFile = await sends([inputPart([]), file])
    const withoutInput = await sends([])

    expect([withFile.status, withFile.body.details[0]!.issue]).toEqual([400, 'INVALID_EVIDENCE_FILE'])
    expect([withoutInput.status, withoutInput.body.details[0]!.issue]).toEqual([400, 'MISSING_REQUIRED_PARAMETER'])
  })
})

describe('A FormData of this very Node', () => {
  it('carries the JSON as a Blob, as text, and documents', async () => {
    const inputsOfNode = [new Blob([JSON.stringify(words)], { type: 'application/json' }), JSON.stringify(words)]
    for (const input of inputsOfNode) {
      const id = await claim()
      const form = new FormData()
      if (typeof input === 'string') form.append('input', input)
      else form.append('input', input)
      form.append('evidence-file', new Blob([pdf], { type: 'application/pdf' }), 'delivery note.pdf')
      const encoded = new Response(form)
      const headers = { 'content-type': encoded.headers.get('content-type')! }

      const { status, text } = await does(
        world.merchant,
        id,
        'provide-evidence',
        Buffer.from(await encoded.arrayBuffer()),
        headers,
      )

      expect(status, text).toBe(200)
      expect((await sees(world.merchant, id)).evidences?.at(-1)).toMatchObject({
        notes: 'As the client wrote it.',
        documents: [{ name: 'delivery note.pdf' }],
      })
    }
  })
})
