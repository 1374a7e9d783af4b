import { Agent, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type Person, type World } from '../../support/world.ts'
import { DISPUTES, open, pdf, sees } from '../disputes/people.ts'
import { inputPart, multipartOf } from './parts.ts'

const MIB = 1024 * 1024

let world: World
let base: string
beforeAll(async () => {
  world = await newWorld()
  base = await world.app.listen()
})
afterAll(() => world.close())

const claim = () => open(world.buyer, { reason: 'INCORRECT_AMOUNT' })
const words = { evidences: [{ evidence_type: 'OTHER', notes: 'See the files.' }] }
const largest = Buffer.concat([pdf, Buffer.alloc(9 * MIB, 0x20)])
const fileOf = (bytes: number, n = 1) => ({
  headers: [`Content-Disposition: form-data; name="file${n}"; filename="f${n}.pdf"`],
  content: largest.subarray(0, bytes),
})

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: { name: string; details?: { issue: string; description: string }[] }
  /** How much of the body the client could write before it had an answer. */
  readonly wroteAll: boolean
}

/** Writes the whole body before it looks for an answer, as the clients of most languages do. */
async function writesThenReads(url: string, chunks: Iterable<Buffer>, headers: Record<string, string>, agent?: Agent) {
  const token = await world.tokenFor('sandbox-merchant')
  return new Promise<Answer>((resolve, reject) => {
    const call = request(`${base}${url}`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(agent && { agent }),
    })
    call.on('error', reject)
    call.on('response', (response) => {
      const read: Buffer[] = []
      const finish = () => {
        const text = Buffer.concat(read).toString()
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: text ? JSON.parse(text) : {},
          wroteAll: call.writableFinished,
        })
      }
      response.on('data', (chunk: Buffer) => read.push(chunk))
      response.on('end', () => (call.writableFinished ? finish() : call.once('finish', finish)))
    })
    const rest = chunks[Symbol.iterator]()
    const writeOn = () => {
      const next = rest.next()
      if (!next.done) call.write(next.value, writeOn)
      else call.end()
    }
    writeOn()
  })
}

function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += MIB) yield bytes.subarray(at, at + MIB)
}
function* blanks(mebibytes: number) {
  const blank = Buffer.alloc(MIB, 0x20)
  for (let n = 0; n < mebibytes; n++) yield blank
}

describe('A body that is too large', () => {
  const files = Array.from({ length: 7 }, (_, n) => fileOf(9 * MIB, n + 1))
  const { payload, headers } = multipartOf([inputPart(words), ...files])

  for (const how of ['with a length', 'in chunks'])
    it(`of more than 50 MB of files is refused with an answer that the client sees, ${how}`, async () => {
      const id = await claim()
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })

      const sent = how === 'with a length' ? { ...headers, 'content-length': String(payload.length) } : headers
      const answer = await writesThenReads(`${DISPUTES}/${id}/provide-evidence`, pieces(payload), sent, agent)

      expect(answer).toMatchObject({ status: 400, wroteAll: true, body: { name: 'VALIDATION_ERROR' } })
      expect(answer.body.details?.[0]).toMatchObject({ issue: 'INVALID_EVIDENCE_FILE' })
      expect(answer.body.details?.[0]?.description).toContain('50 MiB')
      // The chance is not spent, and the connection neither.
      const small = multipartOf([inputPart(words), fileOf(MIB)])
      const again = await writesThenReads(
        `${DISPUTES}/${id}/provide-evidence`,
        [small.payload],
        { ...small.headers, 'content-length': String(small.payload.length) },
        agent,
      )
      expect(again.status).toBe(200)
      agent.destroy()
    })

  it('of files that are just too many bytes together is refused in the same words', async () => {
    const id = await claim()
    const files = Array.from({ length: 6 }, (_, n) => fileOf(8.4 * MIB, n + 1))
    const { payload, headers } = multipartOf(files)

    const { status, body } = await writesThenReads(`${DISPUTES}/${id}/provide-evidence`, pieces(payload), headers)

    expect([status, body.details?.[0]?.issue]).toEqual([400, 'INVALID_EVIDENCE_FILE'])
    expect((await sees(world.merchant, id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
  })

  it('of JSON is refused with an answer that the client sees', async () => {
    const id = await claim()
    const headers = { 'content-type': 'application/json' }

    for (const length of [{}, { 'content-length': String(20 * MIB) }]) {
      const answer = await writesThenReads(`${DISPUTES}/${id}/provide-evidence`, blanks(20), { ...headers, ...length })

      expect(answer).toMatchObject({ status: 413, wroteAll: true, body: { name: 'PAYLOAD_TOO_LARGE' } })
      expect(answer.body.details?.[0]?.description).toContain('1 MiB')
    }
  })

  it('is not listened to for ever', async () => {
    const id = await claim()
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }

    await expect(writesThenReads(`${DISPUTES}/${id}/provide-evidence`, blanks(2_000), headers)).rejects.toMatchObject({
      code: expect.stringMatching(/EPIPE|ECONNRESET/),
    })
  })
})

describe('The JSON of a multipart body', () => {
  it('may be as large as a JSON body', async () => {
    const id = await claim()
    const evidences = Array.from({ length: 100 }, (_, n) => ({
      evidence_type: 'OTHER',
      notes: `${n} `.padEnd(2000, 'x'),
    }))
    const { payload, headers } = multipartOf([inputPart({ evidences })])

    const { status, text } = await world.merchant.post(`${DISPUTES}/${id}/provide-evidence`, payload, { headers })

    expect(payload.length).toBeGreaterThan(200_000)
    expect(status, text).toBe(200)
    const submitted = (await sees(world.merchant, id)).evidences!.filter(
      ({ source }) => source === 'SUBMITTED_BY_SELLER',
    )
    expect(submitted.length).toBe(100)
  })

  it('is held to the same limit', async () => {
    const id = await claim()
    const { payload, headers } = multipartOf([inputPart({ unknown: 'x'.repeat(MIB) })])

    const { status, body } = await world.merchant.post<Answer['body']>(`${DISPUTES}/${id}/provide-evidence`, payload, {
      headers,
    })

    expect([status, body.name]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(body.details?.[0]?.description).toMatch(/"input".*1 MiB/)
  })
})

describe('A dispute', () => {
  it('holds a hundred evidences of each side, and shows a party no more than a hundred', async () => {
    const id = await open(world.buyer, { reason: 'INCORRECT_AMOUNT', evidences: [{ notes: 'Too much was charged.' }] })
    const sends = async (who: Person, count: number) => {
      const evidences = Array.from({ length: count }, () => ({ evidence_type: 'OTHER', notes: 'One more.' }))
      const { status, body } = await who.post<Answer['body']>(`${DISPUTES}/${id}/provide-evidence`, { evidences })
      return [status, body.details?.[0]?.issue]
    }
    const asks = (of: 'SELLER' | 'BUYER') =>
      world.merchant.post(`${DISPUTES}/${id}/require-evidence`, { action: `${of}_EVIDENCE` })
    const [ok, tooMany] = [
      [200, undefined],
      [422, 'TOO_MANY_EVIDENCES'],
    ]
    const { merchant, buyer } = world

    expect(await sends(merchant, 60)).toEqual(ok)
    await asks('SELLER')
    expect(await sends(merchant, 41)).toEqual(tooMany)
    expect(await sends(merchant, 40)).toEqual(ok)
    await asks('BUYER')
    // What the buyer opened it with is one of theirs.
    expect(await sends(buyer, 100)).toEqual(tooMany)
    expect(await sends(buyer, 99)).toEqual(ok)

    await asks('SELLER')
    expect(await sends(merchant, 1)).toEqual([422, 'ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'])
    for (const [who, source] of [
      [merchant, 'SUBMITTED_BY_SELLER'],
      [buyer, 'SUBMITTED_BY_BUYER'],
    ] as const)
      expect((await sees(who, id)).evidences?.map((one) => one.source)).toEqual(Array(100).fill(source))
    const agent = await world.personWithApp(world.people.merchant.id, ['disputes/read'])
    expect((await sees(agent, id)).evidences?.filter((one) => one.source.startsWith('SUBMITTED'))).toHaveLength(200)
  })
})
