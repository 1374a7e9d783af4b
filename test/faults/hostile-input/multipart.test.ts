import { once } from 'node:events'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { fieldsOf, multipartLimits, readMultipart } from '../../../src/http/body/multipart.ts'
import type { MultipartLimits } from '../../../src/http/body/multipart-parts.ts'
import { UploadBudget } from '../../../src/http/body/upload-budget.ts'
import { Problem } from '../../../src/kernel/problem.ts'
import { expectCostBelow } from '../../support/cpu.ts'

interface SentPart {
  readonly headers: readonly string[]
  readonly content: Buffer | string
}

const encode = (parts: readonly SentPart[], boundary = 'edge'): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${boundary}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])

const field = (name: string, content: string): SentPart => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content,
})
const json = (value: unknown, name = 'input'): SentPart => ({
  headers: [`Content-Disposition: form-data; name="${name}"`, 'Content-Type: application/json'],
  content: JSON.stringify(value),
})
const file = (name: string, fileName: string, content: Buffer | string, ...more: string[]): SentPart => ({
  headers: [
    `Content-Disposition: form-data; name="${name}"; filename="${fileName}"`,
    'Content-Type: image/png',
    ...more,
  ],
  content,
})

const formData = 'multipart/form-data; boundary=edge'
async function read(body: Buffer | string, type = formData, some: Partial<MultipartLimits> = {}) {
  const limits = { ...multipartLimits, ...some }
  const { rest, ...read } = await readMultipart(Readable.from([Buffer.from(body as string)]), type, { limits })
  return { ...read, fields: fieldsOf(rest, limits) }
}

async function refusalOf(
  body: Buffer | string,
  type = formData,
  limits: Partial<MultipartLimits> = {},
): Promise<string> {
  try {
    await read(body, type, limits)
  } catch (error) {
    if (error instanceof Problem) return `${error.status} ${error.details[0]!.issue} ${error.details[0]!.description}`
    throw error
  }
  return 'accepted'
}

describe('a multipart body', () => {
  it('carries the JSON object, documents whatever their part names, and fields', async () => {
    const names = ['file1', 'evidence-file', 'supporting document', 'message_document']
    const body = encode([
      json({ note: 'é' }),
      ...names.map((name) => file(name, `${name}.png`, 'PNG')),
      field('a', 'b'),
    ])

    const { json: object, files, fields } = await read(body)

    expect(object).toEqual({ note: 'é' })
    expect(files.map(({ partName, fileName }) => [partName, fileName])).toEqual(
      names.map((name) => [name, `${name}.png`]),
    )
    expect(files[0]).toMatchObject({ contentType: 'image/png', bytes: Buffer.from('PNG') })
    expect({ ...fields }).toEqual({ a: 'b' })
  })

  it.each(['multipart/related', 'multipart/mixed', 'Multipart/Form-Data'])('may be %s', async (type) => {
    const body = encode([
      { headers: ['Content-Type: application/json; charset=utf-8', 'Content-ID: <1>'], content: '{"note":"n"}' },
      {
        headers: ['Content-Disposition: attachment; filename=a.pdf', 'Content-Type: application/pdf'],
        content: '%PDF',
      },
    ])

    const { json: object, files } = await read(body, `${type}; boundary="edge"; type="application/json"`)

    expect(object).toEqual({ note: 'n' })
    expect(files).toMatchObject([{ fileName: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.from('%PDF') }])
  })

  it('counts as an empty object when no part is JSON', async () => {
    expect((await read(encode([file('f', 'a.png', 'x')]))).json).toEqual({})
    expect((await read('--edge--\r\n')).json).toEqual({})
  })

  it('prefers the part named input to an earlier JSON part', async () => {
    expect((await read(encode([json({ a: 1 }, 'other'), json({ b: 2 })]))).json).toEqual({ b: 2 })
  })

  it('reads input without a content type as JSON', async () => {
    expect((await read(encode([field('input', '{"a":1}')]))).json).toEqual({ a: 1 })
  })

  it('keeps every byte of a document', async () => {
    const bytes = Buffer.from(Array.from({ length: 1024 }, (_, n) => n % 256))
    const tricky = Buffer.concat([bytes, Buffer.from('\r\n--edg\r\n--edgeX\r\n --edge--\r\n\r\n'), bytes])

    const { files } = await read(encode([file('f', 'a.png', tricky), file('g', 'b.png', '')]))

    expect(files.map((one) => one.bytes)).toEqual([tricky, Buffer.alloc(0)])
  })

  it('reads extended names and transfer encodings', async () => {
    const { files } = await read(
      encode([
        {
          headers: ["Content-Disposition: form-data; name*=UTF-8''gr%C3%BC%C3%9Fe; filename*=utf-8'de'%e2%82%ac.pdf"],
          content: 'x',
        },
        {
          headers: ['Content-Disposition: form-data; name=a; filename="x.pdf"; filename*=iso-8859-1\'\'%E9.pdf'],
          content: 'x',
        },
        file('b', 'b.png', Buffer.from('hello').toString('base64'), 'Content-Transfer-Encoding: BASE64'),
        file('c', 'c.png', 'caf=C3=A9 =\r\nau lait', 'Content-Transfer-Encoding: quoted-printable'),
        file('d', 'd "quoted\\".png'.replace(' "', ' \\"'), 'x'),
        file('e', 'C:\\papers\\e.png', 'x'),
        file('f', '../../etc/passwd.png', 'x'),
      ]),
    )

    expect(files.map(({ fileName }) => fileName)).toEqual([
      '€.pdf',
      'é.pdf',
      'b.png',
      'c.png',
      'd "quoted".png',
      'e.png',
      'passwd.png',
    ])
    expect(files[0]!.partName).toBe('grüße')
    expect(files[2]!.bytes.toString()).toBe('hello')
    expect(files[3]!.bytes.toString()).toBe('café au lait')
  })

  it('skips a file field in which nothing was chosen', async () => {
    expect((await read(encode([file('f', '', '')]))).files).toEqual([])
  })

  it('ignores text around the delimiters and takes bare line feeds', async () => {
    const body = `preamble\r\n${encode([json({ a: 1 })])}epilogue`

    expect((await read(body)).json).toEqual({ a: 1 })
    expect((await read(body.replaceAll('\r\n', '\n'))).json).toEqual({ a: 1 })
  })
})

const boundaries: readonly string[] = [
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=""',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
  'multipart/form-data; boundary="ends with a blank "',
  'multipart/form-data; boundary="quo\\"te"',
  'multipart/form-data; boundary=a; boundary=b',
  'multipart/form-data; boundary=ümlaut',
  'multipart/form-data; boundary=a b',
  'text/plain; boundary=edge',
  '',
  `multipart/form-data; boundary=edge; ${'x'.repeat(5000)}`,
]

// biome-ignore format: a table reads best as a table
const broken: readonly (readonly [what: string, body: Buffer | string, says: RegExp])[] = [
  ['nothing',                      '',                                                                  /does not occur/],
  ['another boundary',             encode([field('a', 'b')], 'other'),                                  /does not occur/],
  ['a body cut in the content',    encode([field('a', 'b')]).subarray(0, -12),                          /closing delimiter/],
  ['a body cut in the delimiter',  encode([field('a', 'b')]).subarray(0, -4),                           /closing delimiter/],
  ['a body cut in the headers',    '--edge\r\nContent-Dispo',                                           /closing delimiter/],
  ['a part without an empty line', '--edge\r\nContent-Disposition: form-data\r\n--edge--',              /empty line|cannot be read|headers/],
  ['a header without a colon',     encode([{ headers: ['nonsense'], content: '' }]),                    /Name: value/],
  ['a folded header',              encode([{ headers: ['A: b', ' c'], content: '' }]),                  /Name: value/],
  ['a header twice',               encode([{ headers: ['Content-Type: a/b', 'content-type: c/d'], content: '' }]), /twice/],
  ['a NUL in a header',            encode([{ headers: ['A: \0'], content: '' }]),                       /control characters/],
  ['a NUL in a name',              encode([{ headers: ["Content-Disposition: form-data; name*=UTF-8''a%00"], content: '' }]), /NUL/],
  ['21 headers',                   encode([{ headers: Array.from({ length: 21 }, (_, n) => `H${n}: x`), content: '' }]), /20 headers/],
  ['a thousand headers',           encode([{ headers: Array.from({ length: 1000 }, (_, n) => `H${n}: x`), content: '' }]), /20 headers/],
  ['a header of 8 KiB',            encode([{ headers: [`H: ${'x'.repeat(8192)}`], content: '' }]),      /8192 bytes/],
  ['ten thousand parts',           encode(Array.from({ length: 10_000 }, () => field('a', ''))),        /130 parts/],
  ['an unclosed quote',            encode([{ headers: ['Content-Disposition: form-data; name="a'], content: '' }]), /cannot be read/],
  ['a name twice',                 encode([{ headers: ['Content-Disposition: form-data; name=a; name=b'], content: '' }]), /cannot be read/],
  ['a broken extended name',       encode([{ headers: ["Content-Disposition: form-data; name*=UTF-8''%zz"], content: '' }]), /extended name/],
  ['an extended name in bad UTF-8', encode([{ headers: ["Content-Disposition: form-data; name*=UTF-8''%ff"], content: '' }]), /UTF-8/],
  ['a content type that is none',  encode([{ headers: ['Content-Type: nonsense'], content: '' }]),      /Content-Type/],
  ['a multipart in a part',        encode([{ headers: ['Content-Type: multipart/mixed; boundary=x'], content: '--x--' }]), /inside/],
  ['broken base64',                encode([file('a', 'a.png', 'a===', 'Content-Transfer-Encoding: base64')]), /base64/],
  ['broken quoted-printable',      encode([file('a', 'a.png', '=zz', 'Content-Transfer-Encoding: quoted-printable')]), /quoted-printable/],
  ['an unknown transfer encoding', encode([file('a', 'a.png', 'x', 'Content-Transfer-Encoding: x-uuencode')]), /Content-Transfer-Encoding/],
  ['JSON that is none',            encode([field('input', '{')]),                                       /too early/],
  ['JSON with a key twice',        encode([field('input', '{"a":1,"a":2}')]),                           /twice/],
  ['two JSON objects',             encode([json({}), json({})]),                                        /Two parts/],
  ['a part named __proto__',       encode([field('__proto__', 'x')]),                                   /__proto__/],
]

describe('a hostile multipart body', () => {
  it.each(boundaries)('is refused for its content type: %s', async (type) => {
    expect(await refusalOf(encode([field('a', 'b')]), type)).toMatch(/^400 MISSING_OR_INVALID_REQUEST_BODY .*oundary/)
  })

  it.each(broken)('is refused with a sentence: %s', async (_what, body, says) => {
    let refusal = ''
    await expectCostBelow(500, async () => {
      refusal = await refusalOf(body)
    })

    expect(refusal).toMatch(/^400 (MISSING_OR_INVALID_REQUEST_BODY|MALFORMED_REQUEST_JSON) /)
    expect(refusal).toMatch(says)
  })

  it('is read as quickly when the names of its parts are long rows of digits', async () => {
    const parts = Array.from({ length: 40 }, (_, n) => field(`${'0'.repeat(8_000)}x${n}x`, 'v'))
    const body = encode(parts)
    await expectCostBelow(200, async () => {
      expect(Object.keys((await read(body)).fields)).toHaveLength(parts.length)
    })
  })

  it('is refused as no type that is taken where it says that its text is not UTF-8', async () => {
    const inCharset = (charset: string, content: string) =>
      encode([{ headers: [`Content-Type: application/json; charset=${charset}`], content }])

    expect(await refusalOf(inCharset('utf-16', '{}'))).toMatch(/^415 UNSUPPORTED_MEDIA_TYPE .*UTF-8.*utf-16/)
    expect(await refusalOf(inCharset('iso-8859-1', '{"note":"\u00e9"}'))).toMatch(/^415 UNSUPPORTED_MEDIA_TYPE /)
    expect(await refusalOf(inCharset('ISO-8859-1', '{"note":"e"}'))).toBe('accepted')
    expect(await refusalOf(inCharset('"UTF-8"', '{"note":"\u00e9"}'))).toBe('accepted')
  })

  it('is held to each size to the last byte', async () => {
    const limits = { fileBytes: 100, totalFileBytes: 150, fieldBytes: 50, bodyBytes: 1000, files: 2 }
    const files = (...sizes: number[]) => encode(sizes.map((size, n) => file(`f${n}`, `${n}.png`, 'x'.repeat(size))))
    const body = files(10)

    expect(await refusalOf(files(99), formData, limits)).toBe('accepted')
    expect(await refusalOf(files(100), formData, limits)).toMatch(/^400 INVALID_EVIDENCE_FILE .*smaller than 100/)
    expect(await refusalOf(files(75, 75), formData, limits)).toBe('accepted')
    expect(await refusalOf(files(75, 76), formData, limits)).toMatch(/^400 INVALID_EVIDENCE_FILE .*150/)
    expect(await refusalOf(files(1, 1, 1), formData, limits)).toMatch(/^400 INVALID_EVIDENCE_FILE .*2 files/)
    expect(await refusalOf(encode([field('a', 'x'.repeat(50))]), formData, limits)).toBe('accepted')
    expect(await refusalOf(encode([field('a', 'x'.repeat(51))]), formData, limits)).toMatch(/^413 /)
    expect(await refusalOf(encode([json('x'.repeat(48))]), formData, { jsonBytes: 50 })).toBe('accepted')
    expect(await refusalOf(encode([json('x'.repeat(49))]), formData, { jsonBytes: 50 })).toMatch(/^413 .*"input"/)
    expect(await refusalOf(body, formData, { bodyBytes: body.length })).toBe('accepted')
    expect(await refusalOf(body, formData, { bodyBytes: body.length - 1 })).toMatch(/^400 INVALID_EVIDENCE_FILE /)
  })

  it('has the limits the contract gives', () => {
    expect(multipartLimits).toMatchObject({
      fileBytes: 10 * 1024 * 1024,
      totalFileBytes: 50 * 1024 * 1024,
      jsonBytes: 1024 * 1024,
      fieldBytes: 64 * 1024,
      fieldsBytes: 1024 * 1024,
    })
  })

  it('is refused as soon as it is too large, and then read on to a bound and no further', async () => {
    let sent = 0
    const piece = Buffer.alloc(1024 * 1024)
    const endless = new Readable({
      read() {
        sent += piece.length
        // As from a network: other things happen between two pieces.
        setImmediate(() => this.push(piece))
      },
    })
    const closed = once(endless, 'close')

    await expect(
      readMultipart(endless, formData, { limits: { ...multipartLimits, bodyBytes: 3 * piece.length } }),
    ).rejects.toMatchObject({ status: 400, details: [{ issue: 'INVALID_EVIDENCE_FILE' }] })
    expect(sent).toBeLessThan(10 * piece.length)

    await closed
    expect(sent).toBeLessThan(300 * piece.length)
  })

  it('is refused by its length before anything of it has come', async () => {
    const silent = new Readable({ read() {} })

    await expect(readMultipart(silent, formData, { declared: '60000000' })).rejects.toMatchObject({ status: 400 })
  })

  it.each([
    ['fails', (stream: Readable) => stream.destroy(new Error('socket gone'))],
    ['goes away', (stream: Readable) => stream.destroy()],
    ['ends', (stream: Readable) => stream.push(null)],
  ] as const)('is refused when its sender %s', async (_how, stop) => {
    const stream = new Readable({ read() {} })
    stream.push('--edge\r\n')
    const reading = readMultipart(stream, formData)
    stop(stream)

    await expect(reading).rejects.toMatchObject({ status: 400 })
  })

  it('is refused when its sender was gone before it was read', async () => {
    const stream = new Readable({ read() {} })
    stream.destroy()

    await expect(readMultipart(stream, formData)).rejects.toMatchObject({ status: 400 })
  })

  it('waits its turn when too much is being uploaded at once, and leaves no trace when it is done', async () => {
    const budget = new UploadBudget(2000)
    const body = encode([file('f', 'a.png', 'x'.repeat(600))])
    const upload = (afterwards: () => Promise<unknown>) =>
      budget.during('somebody', async (take) => {
        await readMultipart(Readable.from([body]), formData, { take })
        await afterwards()
      })

    await upload(async () => {
      expect(budget.held).toBe(body.length)
      await expect(upload(async () => {})).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    })
    await expect(upload(() => Promise.reject(new Error('later')))).rejects.toThrow('later')

    expect(budget.held).toBe(0)
    await upload(async () => {})
  })
})
