import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type Person, type World } from '../../support/world.ts'
import { DISPUTES, does, gif, multipart, open, pdf, png, refusal, sees } from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const jpeg = Buffer.from([
  ...[0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 0x00, 0x00],
  ...[0xff, 0xc0, 0x00, 0x0b, 0x08, 0x00, 0x01, 0x00, 0x01, 0x01, 0x01, 0x11, 0x00],
  ...[0xff, 0xda, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3f, 0x00, 0xd2, 0xff, 0xd9],
])
const claim = () => open(world.buyer, { reason: 'INCORRECT_AMOUNT' })
const words = { evidences: [{ evidence_type: 'OTHER', notes: 'See the file.' }] }

describe('Documents', () => {
  it('are taken in all three multipart forms, under any part name, as jpg, gif, png and pdf', async () => {
    const files = [
      { name: 'a picture.png', bytes: png },
      { name: 'b.jpg', bytes: jpeg },
      { name: 'c.jpeg', bytes: jpeg },
      { name: 'd.gif', bytes: gif },
      { name: 'e.pdf', bytes: pdf },
    ]
    for (const kind of ['form-data', 'related', 'mixed'])
      for (const part of ['file1', 'evidence-file', 'supporting document']) {
        const id = await claim()
        const { payload, headers } = multipart(
          words,
          files.map((file) => ({ ...file, part })),
          kind,
        )

        const { status, text } = await does(world.merchant, id, 'provide-evidence', payload, headers)

        expect(status, text).toBe(200)
        expect((await sees(world.merchant, id)).evidences?.at(-1)?.documents?.map(({ name }) => name)).toEqual(
          files.map(({ name }) => name),
        )
      }
  })

  it('alone, without a word of JSON, are evidence of no special type', async () => {
    const id = await claim()
    const { payload, headers } = multipart(undefined, [{ name: 'e.pdf', part: 'evidence-file', bytes: pdf }])

    expect((await does(world.merchant, id, 'provide-evidence', payload, headers)).status).toBe(200)

    expect((await sees(world.merchant, id)).evidences?.at(-1)).toMatchObject({
      evidence_type: 'OTHER',
      documents: [{ name: 'e.pdf' }],
    })
  })

  const bad: [string, string, Buffer][] = [
    ['an unknown kind', 'notes.txt', Buffer.from('hello')],
    ['a program with the name of a picture', 'photo.png', Buffer.from('MZ\x90\x00')],
    ['a picture with the extension of another', 'photo.gif', png],
    ['the beginning of a picture behind something else', 'photo.png', Buffer.concat([Buffer.from(' '), png])],
    ['nothing', 'empty.pdf', Buffer.alloc(0)],
    ['a name with two dots', 'e.pdf.exe', pdf],
  ]
  for (const [what, name, bytes] of bad)
    it(`are refused: ${what}`, async () => {
      const id = await claim()
      const { payload, headers } = multipart(words, [{ name, bytes }])
      const before = await sees(world.merchant, id)

      const answer = await does(world.merchant, id, 'provide-evidence', payload, headers)

      expect(refusal(answer)).toBe('400 VALIDATION_ERROR INVALID_EVIDENCE_FILE')
      expect(await sees(world.merchant, id)).toEqual(before)
    })

  const asPrograms: [string, string, Buffer][] = [
    ['a pdf with bytes behind its end', 'a.pdf', Buffer.concat([pdf, Buffer.alloc(2000), Buffer.from('<script>')])],
    ['a pdf without a cross-reference', 'a.pdf', Buffer.from('%PDF-1.7\n1 0 obj\nendobj\n%%EOF')],
    ['a pdf of another version', 'a.pdf', Buffer.from('%PDF-3.0')],
    ['a picture with bytes behind its end', 'a.png', Buffer.concat([png, Buffer.from('<script>')])],
    ['a picture that is cut off', 'a.png', png.subarray(0, 40)],
    ['a picture of 64 megapixels', 'a.png', hugePng()],
    ['a photograph with a thumbnail and no end', 'a.jpeg', jpeg.subarray(0, 20)],
    ['an extension in capitals', 'A.PDF', pdf],
  ]
  for (const [what, name, bytes] of asPrograms)
    it(`are taken by their extension and first bytes, as programs write them: ${what}`, async () => {
      const id = await claim()
      const { payload, headers } = multipart(words, [{ name, bytes }])

      const answer = await does(world.merchant, id, 'provide-evidence', payload, headers)

      expect(answer.status, answer.text).toBe(200)
      const { url } = (await sees(world.merchant, id)).evidences!.at(-1)!.documents![0]!
      const got = await world.merchant.get(new URL(url).pathname)
      expect(got.headers).toMatchObject({
        'content-disposition': expect.stringMatching(/^attachment;/),
        'x-content-type-options': 'nosniff',
        'content-length': String(bytes.length),
      })
    })

  it('that are named must have come along, and a message takes ten', async () => {
    const id = await claim()
    const named = { evidences: [{ evidence_type: 'OTHER', notes: 'See.', documents: [{ name: 'other.pdf' }] }] }
    expect(refusal(await does(world.merchant, id, 'provide-evidence', named))).toBe(
      '400 VALIDATION_ERROR INVALID_EVIDENCE_FILE',
    )

    const inquiry = await open(world.buyer)
    const files = Array.from({ length: 11 }, (_, n) => ({ name: `f${n}.pdf`, part: 'message_document', bytes: pdf }))
    const tooMany = multipart({ message: 'All of it.' }, files)
    expect(refusal(await does(world.buyer, inquiry, 'send-message', tooMany.payload, tooMany.headers))).toBe(
      '400 VALIDATION_ERROR INVALID_EVIDENCE_FILE',
    )
    const ten = multipart({ message: 'Ten.' }, files.slice(0, 10))
    expect((await does(world.buyer, inquiry, 'send-message', ten.payload, ten.headers)).status).toBe(200)
  })

  it('of one name are each kept once, in their order', async () => {
    const id = await claim()
    const named = { evidences: [{ evidence_type: 'OTHER', documents: [{ name: 'e.pdf' }, { name: 'e.pdf' }] }] }
    const files = [pdf, Buffer.concat([pdf, pdf])].map((bytes) => ({ name: 'e.pdf', bytes }))
    const { payload, headers } = multipart(named, files)
    expect((await does(world.merchant, id, 'provide-evidence', payload, headers)).status).toBe(200)

    const kept = (await sees(world.merchant, id)).evidences!.at(-1)!.documents!
    const sizes = kept.map(
      async ({ url }) => (await world.merchant.get(new URL(url).pathname)).headers['content-length'],
    )
    expect(await Promise.all(sizes)).toEqual([String(pdf.length), String(2 * pdf.length)])
  })

  it('are judged alike where they come with another reason, at its old address too', async () => {
    const id = await open(world.buyer)
    const reason = { reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' }
    const { payload, headers } = multipart(reason, [{ name: 'empty.pdf', bytes: Buffer.alloc(0) }])
    for (const name of ['change-reason', 'changeReason'])
      expect(refusal(await does(world.buyer, id, name, payload, headers))).toBe(
        '400 VALIDATION_ERROR INVALID_EVIDENCE_FILE',
      )
  })

  it('are under 10 MiB each, to the byte', async () => {
    const size = 10 * 1024 * 1024
    const tail = Buffer.from('\nstartxref\n9\n%%EOF\n')
    const ofSize = (bytes: number) =>
      Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(bytes - 9 - tail.length, 0x20), tail])
    const id = await claim()
    const large = multipart(words, [{ name: 'e.pdf', bytes: ofSize(size) }])
    expect(refusal(await does(world.merchant, id, 'provide-evidence', large.payload, large.headers))).toBe(
      '400 VALIDATION_ERROR INVALID_EVIDENCE_FILE',
    )
    const fits = multipart(words, [{ name: 'e.pdf', bytes: ofSize(size - 1) }])
    expect((await does(world.merchant, id, 'provide-evidence', fits.payload, fits.headers)).status).toBe(200)
  })

  it('are downloaded as an attachment that no browser renders, by those who see the entry only', async () => {
    const id = await claim()
    const { payload, headers } = multipart(words, [{ name: 'my receipt.pdf', bytes: pdf }])
    await does(world.merchant, id, 'provide-evidence', payload, headers)
    const url = new URL((await sees(world.merchant, id)).evidences!.at(-1)!.documents![0]!.url).pathname

    const got = await world.merchant.get(url)

    expect(got.status).toBe(200)
    expect(Buffer.from(got.text, 'latin1').length).toBeGreaterThan(0)
    expect(got.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="my_receipt.pdf"; filename*=UTF-8''my%20receipt.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    })
    expect(got.text).toBe(pdf.toString())
    for (const stranger of [world.buyer, world.otherMerchant]) expect((await stranger.get(url)).status).toBe(404)
    expect((await world.merchant.get(url.replace(/files\/1/, 'files/2'))).status).toBe(404)
    expect((await world.call('GET', url)).status).toBe(401)
  })

  it('are downloaded by whoever sees the entry they belong to, and by nobody who only writes down their address', async () => {
    const { merchant, buyer, partner, otherMerchant } = world
    const file = (name: string) => [{ name: `${name}.pdf`, part: 'evidence-file', bytes: pdf }]
    const opening = multipart(
      {
        disputed_transactions: [{ buyer_transaction_id: 'EVERYDOCUMENT' }],
        reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
        evidences: [{ notes: 'Look.', documents: [{ name: 'opening.pdf' }] }],
      },
      file('opening'),
    )
    const made = await buyer.post<{ links: { href: string }[] }>(DISPUTES, opening.payload, {
      headers: opening.headers,
    })
    const id = made.body.links[0]!.href.split('/').at(-1)!
    const gives = async (who: Person, action: string, input: object, name: string) => {
      const { payload, headers } = multipart(input, file(name))
      expect((await does(who, id, action, payload, headers)).status).toBe(200)
    }
    await gives(buyer, 'send-message', { message: 'Mine.' }, 'said-by-buyer')
    await gives(merchant, 'send-message', { message: 'Mine.' }, 'said-by-seller')
    expect((await does(buyer, id, 'escalate', { note: 'Please.' })).status).toBe(200)
    await gives(buyer, 'provide-supporting-info', { notes: 'More.' }, 'info-of-buyer')
    await gives(merchant, 'provide-supporting-info', { notes: 'More.' }, 'info-of-seller')
    await gives(partner, 'provide-supporting-info', { notes: 'More.' }, 'info-of-partner')
    await gives(merchant, 'provide-evidence', words, 'evidence-of-seller')
    expect((await does(merchant, id, 'require-evidence', { action: 'BUYER_EVIDENCE' })).status).toBe(200)
    await gives(buyer, 'provide-evidence', words, 'evidence-of-buyer')
    const reader = await world.personWithApp(world.people.merchant.id, ['disputes/read'])
    const market = await world.personWithApp(world.people.merchant.id, ['disputes/read-marketplace'])
    const names = new Map(
      documentsIn(await sees(reader, id)).map(({ name, url }) => [new URL(url).pathname, name.replace('.pdf', '')]),
    )

    const mine = ['info-of-seller', 'evidence-of-seller', 'said-by-buyer', 'said-by-seller']
    const expected: [who: Person, sees: string[]][] = [
      [merchant, mine],
      [partner, [...mine, 'info-of-partner']],
      [market, mine.slice(1)],
      [buyer, ['opening', 'info-of-buyer', 'evidence-of-buyer', 'said-by-buyer', 'said-by-seller']],
      [reader, [...names.values()]],
      [otherMerchant, []],
    ]
    const downloads = async (who: Person) => {
      const got: string[] = []
      for (const [path, name] of names) if ((await who.get(path)).status === 200) got.push(name)
      return got.sort()
    }
    expect(names.size).toBe(8)
    for (const [who, seen] of expected) expect(await downloads(who), who.clientId).toEqual([...seen].sort())

    const addresses = [...names.keys()].map((path) => `${world.app.service.publicUrl}${path}`).join(' ')
    for (const who of [merchant, partner, buyer])
      expect((await does(who, id, 'provide-supporting-info', { notes: addresses })).status).toBe(200)
    for (const path of names.keys()) {
      const note = { email: 'a@example.com', note: `${world.app.service.publicUrl}${path}` }
      const value = [{ op: 'add', path: '/communication_details', value: note }]
      expect((await merchant.patch(`${DISPUTES}/${id}`, value)).status).toBe(204)
      expect((await merchant.get(path)).status).toBe(mine.includes(names.get(path)!) ? 200 : 404)
    }
    for (const [who, seen] of expected) expect(await downloads(who), who.clientId).toEqual([...seen].sort())
  })

  it('of the opening statement are the buyer’s, and its words the seller’s too', async () => {
    const { payload, headers } = multipart(
      {
        disputed_transactions: [{ buyer_transaction_id: 'WITHPICTURE1' }],
        reason: 'OTHER',
        evidences: [{ notes: 'Look.', documents: [{ name: 'p.png' }] }],
      },
      [{ name: 'p.png', bytes: png }],
    )
    const made = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, payload, { headers })
    const id = made.body.links[0]!.href.split('/').at(-1)!

    expect((await sees(world.buyer, id)).evidences?.[0]).toMatchObject({
      evidence_type: 'CREATE',
      documents: [{ name: 'p.png' }],
    })
    const shown = (await sees(world.merchant, id)).evidences?.[0]
    expect(shown).toMatchObject({ evidence_type: 'CREATE', notes: 'Look.' })
    expect(shown?.documents).toBeUndefined()
  })
})

/** Every document anywhere in what somebody is shown. */
function documentsIn(shown: unknown): { name: string; url: string }[] {
  if (typeof shown !== 'object' || shown === null) return []
  if ('url' in shown && 'name' in shown) return [shown as { name: string; url: string }]
  return Object.values(shown).flatMap(documentsIn)
}

/** A picture that says it is 8,000 by 8,000. */
function hugePng(): Buffer {
  const copy = Buffer.from(png)
  copy.writeUInt32BE(8_000, 16)
  copy.writeUInt32BE(8_000, 20)
  return copy
}
