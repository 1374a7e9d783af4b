import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DISPUTES, gif, open, pdf, png } from '../../scenarios/disputes/people.ts'
import { Dice, damage } from '../../support/fuzz.ts'
import { times } from '../../support/size.ts'
import { newWorld, type World } from '../../support/world.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? times(400, 10_000))
const seed = Number(process.env['FUZZ_SEED'] ?? 4)
const MEMORY_MAX = 150 * 1024 * 1024

const names = [
  'a.pdf',
  'b.png',
  'c.gif',
  'd.jpg',
  '../e.pdf',
  'f.pdf.exe',
  '',
  'x'.repeat(3000),
  'ü.pdf',
  'a b.pdf',
  'nul\0.png',
]
const parts = ['input', 'file1', 'evidence-file', 'supporting document', '', '__proto__', 'a"b', 'x'.repeat(500)]
const inputs = [
  '{"evidences":[{"evidence_type":"OTHER","notes":"See."}]}',
  '{"evidences":[{"evidence_type":"OTHER","documents":[{"name":"a.pdf"}]}]}',
  '{"message":"Hello."}',
  '{"note":"Fine.","accept_claim_type":"PARTIAL_REFUND","refund_amount":{"currency_code":"USD","value":"1"}}',
  '{}',
  '[]',
  'null',
  '{"evidences":',
  `{"notes":"${'x'.repeat(3000)}"}`,
  '{"__proto__":{"a":1}}',
]

/** One multipart body, sound in most places and broken in some. */
function bodyOf(dice: Dice): { payload: Buffer; type: string } {
  const boundary = dice.luck(30) ? dice.pick(['', ' ', 'x'.repeat(80), '--']) : 'edge'
  const chunks: Buffer[] = []
  const count = dice.luck(100) ? 140 : dice.roll(4)
  if (!dice.luck(8))
    chunks.push(part(boundary, 'form-data; name="input"', 'application/json', Buffer.from(dice.pick(inputs))))
  for (let n = 0; n < count; n++) {
    const content = dice.pick([
      pdf,
      png,
      gif,
      png.subarray(0, dice.roll(60)),
      Buffer.alloc(dice.roll(2000), dice.roll(256)),
    ])
    const file = dice.luck(10) ? '' : `; filename="${dice.pick(names)}"`
    const disposition = dice.luck(20) ? 'x' : `form-data; name="${dice.pick(parts)}"${file}`
    chunks.push(part(boundary, disposition, dice.pick(['application/pdf', 'image/png', 'text/html', '']), content))
  }
  if (!dice.luck(10)) chunks.push(Buffer.from(`--${boundary}--\r\n`))
  const payload = Buffer.concat(chunks)
  const kind = dice.pick(['form-data', 'form-data', 'related', 'mixed', 'x'])
  const type = dice.luck(25)
    ? dice.pick(['multipart/form-data', 'multipart/', 'multipart/mixed; boundary=other'])
    : `multipart/${kind}; boundary=${boundary}`
  return { payload: dice.luck(4) ? damage(payload, dice) : payload, type }
}

const part = (boundary: string, disposition: string, type: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: ${disposition}\r\n${type && `content-type: ${type}\r\n`}\r\n`),
    content,
    Buffer.from('\r\n'),
  ])

describe('Multipart bodies made to break something', () => {
  let world: World
  const ids: string[] = []
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const actions = [
    'provide-evidence',
    'send-message',
    'accept-claim',
    'provide-supporting-info',
    'appeal',
    'acknowledge-return-item',
  ]

  it(`${runs} of them are answered with less than 500, leave no file behind and cost bounded memory`, async () => {
    const dice = new Dice(seed)
    // Whatever is written for a while goes to the folder for such things; this one is ours alone.
    const folder = mkdtempSync(join(tmpdir(), 'quittance-fuzz-'))
    const usual = process.env['TMPDIR']
    process.env['TMPDIR'] = folder
    const counted: Record<number, number> = {}
    let memoryBefore = 0
    for (let done = 0; done < runs; ) {
      if (done % 500 === 0) ids.push(await open(world.buyer, dice.luck(2) ? {} : { reason: 'INCORRECT_AMOUNT' }))
      // After the first bodies everything that is compiled or cached once is there.
      if (done === runs / 5) memoryBefore = memory()
      const batch = Array.from({ length: 10 }, async () => {
        const { payload, type } = bodyOf(dice)
        const person = dice.luck(3) ? world.buyer : world.merchant
        const id = ids.at(-1 - dice.roll(Math.min(ids.length, 3)))!
        const url = `${DISPUTES}/${id}/${dice.pick(actions)}`
        const { status, text } = await person.post(url, payload, { headers: { 'content-type': type } })
        if (status >= 500)
          throw new Error(`${status} to ${type}: ${text}\n${payload.toString('latin1').slice(0, 3000)}`)
        counted[status] = (counted[status] ?? 0) + 1
      })
      await Promise.all(batch)
      done += batch.length
    }

    process.env['TMPDIR'] = usual ?? '/tmp'
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    expect(counted[400]).toBeGreaterThan(runs / 10)
    expect(counted[200]).toBeGreaterThan(0)
    if (memoryBefore > 0) expect(memory() - memoryBefore).toBeLessThan(MEMORY_MAX)
  }, 1_200_000)
})

const memory = () => process.memoryUsage().rss
