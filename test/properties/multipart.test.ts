import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { multipartLimits, readMultipart, refuseUnread } from '../../src/http/body/multipart.ts'
import { Problem } from '../../src/kernel/problem.ts'
import { times } from '../support/size.ts'

const RUNS = times(1_000, 10_000)

const limits = { ...multipartLimits, fileBytes: 2000, totalFileBytes: 5000, bodyBytes: 8000 }

const boundaryText = fc.string({
  unit: fc.constantFrom(..."abcXYZ019'()+_,-./:=?"),
  minLength: 1,
  maxLength: 70,
})
const name = fc.string({ unit: fc.constantFrom(...'ab "\\;=é€😀.-_'), maxLength: 12 })
const escapeQuotes = (text: string) => text.replace(/["\\]/g, '\\$&')

/** Splits bytes anywhere, as a network does. */
const chunks = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((end, n) => bytes.subarray(places[n], end))
}

describe('multipart bodies', () => {
  it('come out as they went in, however the bytes arrive', async () => {
    const document = fc.record({
      name,
      fileName: name.filter((text) => text !== '' && !/[/\\]/.test(text)),
      bytes: fc.uint8Array({ maxLength: 60 }),
    })
    await fc.assert(
      fc.asyncProperty(
        boundaryText,
        fc.array(document, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (boundary, documents, cuts) => {
          fc.pre(documents.every(({ bytes }) => !Buffer.from(bytes).includes(`--${boundary}`)))
          const body = Buffer.concat([
            ...documents.flatMap((one) => [
              Buffer.from(
                `--${boundary}\r\nContent-Disposition: form-data; name="${escapeQuotes(one.name)}"; filename="${escapeQuotes(one.fileName)}"\r\n\r\n`,
              ),
              one.bytes,
              Buffer.from('\r\n'),
            ]),
            Buffer.from(`--${boundary}--`),
          ])

          const { files } = await readMultipart(
            Readable.from(chunks(body, cuts)),
            `multipart/form-data; boundary="${boundary}"`,
            { limits },
          )

          expect(
            files.map(({ partName, fileName, bytes }) => ({ name: partName, fileName, bytes: new Uint8Array(bytes) })),
          ).toEqual(documents)
        },
      ),
      { numRuns: times(300, 1_000) },
    )
  })

  it('are read or refused, whatever they are made of', async () => {
    const piece = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          '--b',
          '--b\r\n',
          '--b--',
          '\r\n',
          '\n',
          '\r',
          '--',
          'b',
          '\r\n--b\r\n',
          '\r\n--b--\r\n',
        ),
      },
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          'Content-Disposition: form-data; name="input"\r\n',
          'Content-Disposition: form-data; name="supporting document"; filename="a.pdf"\r\n',
          "Content-Disposition: attachment; filename*=UTF-8''a%00b\r\n",
          'Content-Disposition: ;;;"\r\n',
          'Content-Type: application/json\r\n',
          'Content-Type: multipart/mixed; boundary=b\r\n',
          'Content-Transfer-Encoding: base64\r\n',
          'Content-Transfer-Encoding: quoted-printable\r\n',
          '{"note":"x"}',
          '{"a":1,"a":2}',
          ': \r\n',
        ),
      },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 9000 }).map((length) => 'x'.repeat(length)) },
    )
    const types = fc.constantFrom(
      'multipart/form-data; boundary=b',
      'multipart/mixed; boundary=b',
      'multipart/related; boundary="b"',
    )
    const before = process.memoryUsage().rss
    let accepted = 0
    let refused = 0

    await fc.assert(
      fc.asyncProperty(types, fc.array(piece, { maxLength: 12 }), fc.boolean(), async (type, pieces, framed) => {
        const inside = Buffer.concat(pieces.map((one) => Buffer.from(one as string)))
        const body = framed ? Buffer.concat([Buffer.from('--b\r\n'), inside, Buffer.from('\r\n--b--')]) : inside
        try {
          refuseUnread((await readMultipart(Readable.from([body]), type, { limits })).rest)
          accepted++
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect([400, 413]).toContain((error as Problem).status)
          refused++
        }
      }),
      { numRuns: RUNS },
    )

    expect(accepted).toBeGreaterThan(RUNS / 200)
    expect(refused).toBeGreaterThan(RUNS / 2)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })
})
