import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf, withFiles } from '../../support/console.ts'
import { newWorld, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

let world: World
let id: string
let at: string
beforeAll(async () => {
  world = await newWorld()
  id = await open(world.buyer)
  await world.settle()
  at = `/console/disputes/${id}`
})
afterAll(() => world.close())

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const secret = 'The parcel went to <i>number 7</i>, says the driver.'
const draft = { '/evidences/0/evidence_type': 'OTHER', '/evidences/0/notes': 'Half of what we know.' }

/** All that anybody but the merchant can read of the dispute. */
async function elsewhere(): Promise<string> {
  const pages = await Promise.all((['buyer', 'agent', 'partner'] as const).map((as) => consoleOf(world, as).page(at)))
  const answers = await Promise.all(
    [world.buyer, world.merchant, world.partner].flatMap((person) => [
      person.get(`/v1/customer/disputes/${id}`),
      person.get('/v1/customer/disputes'),
    ]),
  )
  const log = await world.call('GET', '/sandbox/timeline?page_size=100')
  return [
    ...pages,
    ...answers.map(({ text }) => text),
    log.text,
    (await world.call('GET', '/sandbox/requests')).text,
  ].join()
}

describe('What one side keeps among itself about a dispute', () => {
  it('is who has taken it, on its page and at the desk', async () => {
    const merchant = consoleOf(world)
    expect((await merchant.send(`${at}/take`)).location).toBe(at)

    expect(await merchant.page(at)).toContain('Taken by <b>Merchant</b>')
    expect(await merchant.page('/console/disputes?view=all')).toContain('taken by Merchant')
    expect(await elsewhere()).not.toMatch(/taken by merchant/i)
    await merchant.send(`${at}/give-back`)
    expect(await merchant.page(at)).toContain('Nobody has taken it.')
  })

  it('are notes, kept once however often they are sent', async () => {
    const merchant = consoleOf(world)
    const sent = { content: secret, 'request-id': 'console-note-1' }
    const clicks = await Promise.all([0, 1, 2].map(() => merchant.send(`${at}/notes`, sent)))
    expect(clicks.map(({ status }) => status)).toEqual([303, 303, 303])

    const page = await merchant.page(at)
    expect(page.match(/The parcel went to &lt;i&gt;number 7&lt;\/i&gt;/g)).toHaveLength(1)
    expect(await elsewhere()).not.toContain('number 7')
    await consoleOf(world, 'buyer').send(`${at}/notes`, { content: 'They lie.' })
    expect(await merchant.page(at)).not.toContain('They lie.')
    expect(await consoleOf(world, 'buyer').page(at)).toContain('They lie.')
    await consoleOf(world, 'agent').send(`${at}/notes`, { content: 'Both lie.' })
    expect(await consoleOf(world, 'agent').page(at)).toContain('Both lie.')
    expect(await merchant.page(at)).not.toContain('Both lie.')
  })

  it('are notes that come back with what was typed, and why they were not kept', async () => {
    const merchant = consoleOf(world)
    const long = `<b>${'x'.repeat(4_001)}`
    const [empty, tooLong] = [
      await merchant.send(`${at}/notes`, { content: ' ' }),
      await merchant.send(`${at}/notes`, { content: long }),
    ]

    for (const { status, text } of [empty, tooLong]) {
      expect(status).toBe(422)
      expect(text).toMatch(/aria-label="Console"[\s\S]*id="note">\s*<div class="problem-box" role="alert"/)
      expect(text).toMatch(/id="note-text"[^>]* aria-invalid="true" aria-describedby="note-problem note-hint"/)
      expect(text).toContain('<p class="problem" id="note-problem">A note has between one and 4000 characters.</p>')
    }
    expect(tooLong.text).toContain(`>\n&lt;b&gt;${'x'.repeat(4_001)}</textarea>`)
    const other = await open(world.buyer)
    for (let n = 0; n < 200; n++) await merchant.send(`/console/disputes/${other}/notes`, { content: `Note ${n}` })
    const many = await merchant.send(`/console/disputes/${other}/notes`, { content: 'One too many' })
    expect([many.status, many.text.includes('>\nOne too many</textarea>')]).toEqual([422, true])
    expect(many.text).toContain('Nothing was changed.</b> A dispute has at most 200 notes.')
  })

  it('are drafts, which fill the form until they are sent or dropped', async () => {
    const merchant = consoleOf(world)
    await does(world.buyer, id, 'escalate', { note: 'Enough.' })
    expect((await merchant.send(`${at}/provide-evidence`, { ...draft, instead: 'draft' })).location).toBe(at)

    expect(await merchant.page(at)).toMatch(/A draft of <b>Merchant<\/b>.*Half of what we know\./s)
    expect(await elsewhere()).not.toContain('Half of what we know.')
    await merchant.send(`${at}/drafts/provide-evidence/drop`)
    expect(await merchant.page(at)).not.toContain('Half of what we know.')
    await merchant.send(`${at}/provide-evidence`, { ...draft, instead: 'draft' })
    expect((await merchant.send(`${at}/provide-evidence`, draft)).status).toBe(303)
    expect(await merchant.page(at)).not.toContain('A draft of')
  })

  it('are the files of a draft, which go with it: shown to its own side alone, left out, sent or dropped', async () => {
    const merchant = consoleOf(world)
    const other = await open(world.buyer)
    await does(world.buyer, other, 'escalate', { note: 'Enough.' })
    const here = `/console/disputes/${other}`
    const keep = (fields: Record<string, string>, files: Record<string, Buffer>) => {
      const { payload, headers } = withFiles({ ...draft, instead: 'draft', ...fields }, files)
      return merchant.send(`${here}/provide-evidence`, payload, headers)
    }
    expect((await keep({}, { 'slip.png': png, 'parcel.png': Buffer.concat([png, Buffer.from('x')]) })).status).toBe(303)
    expect((await keep({}, { 'more.png': png })).status).toBe(303)
    expect(await merchant.page(here)).toMatch(/Kept with the draft.*slip\.png.*parcel\.png.*more\.png/s)
    const file = `${here}/drafts/provide-evidence/files`
    expect(await merchant.page(`${file}/2`)).toContain('PNG')
    for (const as of ['buyer', 'agent', 'merchant2'] as const) {
      await consoleOf(world, as).page(`${file}/1`, 404)
      if (as !== 'merchant2') expect(await consoleOf(world, as).page(here)).not.toContain('parcel.png')
    }
    expect((await keep({}, { 'virus.png': Buffer.from('MZ') })).status).toBe(422)
    expect((await keep({}, Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`n${i}.png`, png])))).status).toBe(
      422,
    )

    await keep({ 'drop-file-3': 'true' }, {})
    expect(await merchant.page(here)).not.toContain('more.png')
    const sent = await merchant.send(`${here}/provide-evidence`, { ...draft, 'drop-file-1': 'true' })
    expect(sent.status, sent.text.slice(0, 500)).toBe(303)
    const shown = await merchant.page(here)
    expect([shown.includes('parcel.png'), shown.includes('slip.png'), shown.includes('A draft of')]).toEqual([
      true,
      false,
      false,
    ])
    await merchant.page(`${file}/2`, 404)
  })

  it('adds up above the desk: how many, how much is at stake, and when they are due', async () => {
    const merchant = consoleOf(world)
    const one = await open(world.buyer)
    expect(await merchant.page('/console/disputes')).toMatch(/Need you.*At stake.*Next due/s)
    for (let n = 0; n < 2; n++) await open(world.buyer)
    await world.settle()
    const desk = await merchant.page('/console/disputes')
    expect(desk).toMatch(/>[34]<small>none of them within a day/)
    expect(desk).toMatch(
      /<svg class="bars"[^>]*aria-label="When they are due: [34] within 21 days, none today">.*<rect/s,
    )
    expect(await merchant.page('/console/disputes?view=all')).toMatch(/aria-label="Opened by day: \d+ in 30 days"/)
    expect(await consoleOf(world, 'buyer').page('/console/disputes')).not.toContain('Need you')
    // What most are in leads, however large a number of another currency is.
    const { body: paid } = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: { currency_code: 'JPY', value: '5000000' },
      buyer_email: world.people.buyer.email,
    })
    const amount = { currency_code: 'JPY', value: '5000000' }
    const foreign = await open(world.buyer, { transaction: paid.buyer_transaction_id, amount })
    expect(await merchant.page('/console/disputes')).toMatch(/At stake<\/dt><dd>\$[\d.]+<small>and ¥5,000,000</)
    expect((await does(world.buyer, foreign, 'cancel', {})).status).toBe(200)
    // Counted beside the views, as each side sees them.
    expect(desk).toMatch(/>Desk <span class="count">[34]<\/span>/)
    expect(desk).not.toMatch(/>Resolved <span/)
    expect(await consoleOf(world, 'buyer').page('/console/disputes')).toMatch(
      />Waiting for the other side <span class="count">[34]<\/span>/,
    )
    const money = await merchant.page('/console/money')
    expect(money).toMatch(new RegExp(`<a href="/console/disputes/${one}">Dispute: [^<]+</a> <span[^>]*>${one}`))
  })

  it('is grouped by how soon it is due, each group with what it adds up to, and says what the other side wrote last', async () => {
    const merchant = consoleOf(world)
    const other = await open(world.buyer)
    await world.settle()
    const { status } = await does(world.buyer, other, 'send-message', {
      message: 'Two of the <b>twelve</b> are green.',
    })
    expect(status).toBe(200)
    const waiting = (await merchant.page('/console/disputes')).split('<tr class="group">')

    const [, later] = waiting as [string, string]
    const sum = [...later.matchAll(/<td class="num right"><b>\$([\d.]+)<\/b>/g)].reduce(
      (all, [, one]) => all + Number(one),
      0,
    )
    expect(later).toMatch(new RegExp(`^<th[^>]*>(This week|Later)<span>\\$${sum.toFixed(2)}</span>`))
    expect(later).toMatch(
      /The buyer wrote <time[^>]*>[^<]+<\/time>: “Two of the &lt;b&gt;twelve&lt;\/b&gt; are green.”/,
    )
    await does(world.merchant, other, 'send-message', { message: 'We send others.' })
    expect(await merchant.page('/console/disputes')).not.toContain('Two of the')
  })

  it('tells what time decided in somebody’s place, and how the year went', async () => {
    const [merchant, buyer] = [consoleOf(world), consoleOf(world, 'buyer')]
    const lost = await open(world.buyer)
    await does(world.buyer, lost, 'escalate', { note: 'Nobody answers.' })
    expect(await merchant.page('/console/disputes')).not.toContain('Decided for you')

    await world.pass('P60D')
    const why = 'because the seller did not answer in time'
    for (const person of [merchant, buyer]) {
      expect(await person.page(`/console/disputes/${lost}`)).toMatch(
        new RegExp(`mark time"[^>]*>T</span><div class="by"><span><b>Time</b> decided: resolved for the buyer, ${why}`),
      )
      expect(await person.page('/console/disputes?view=all')).toContain(`Resolved for the buyer<small>${why}`)
    }
    expect(await merchant.page('/console/disputes')).toMatch(
      /Decided for you<\/dt><dd>0 of \d<small>of those opened this year; \d lost because nobody answered in time/,
    )
    expect(await consoleOf(world, 'merchant2').page('/console/disputes')).not.toContain('Decided for you')
  })

  it('stands in the books with what was available after each movement, page by page', async () => {
    const accountId = world.people.otherMerchant.id
    await world.app.database.query(
      `insert into ledger_entries (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time)
       select $1, 'SUMMED' || n, line, case line when 1 then 'balance' else 'service' end, 'USD',
         case line when 1 then n else -n end * case when n % 3 = 0 then -1 else 1 end, 'OPENING_BALANCE', 'x', false, $2
       from generate_series(1, 120) as n, generate_series(1, 2) as line order by n, line`,
      [accountId, world.now()],
    )
    const merchant = consoleOf(world, 'merchant2')
    const { balances } = (
      await world.otherMerchant.get<{ balances: { available_balance: { value: string } }[] }>('/v1/reporting/balances')
    ).body
    const cents = (text: string) => BigInt(text.replaceAll(/[^\d-]/g, ''))
    let sum = cents(balances[0]!.available_balance.value)
    let path: string | undefined = '/console/money'
    let rows = 0
    for (; path; ) {
      const page: string = await merchant.page(path)
      for (const [, change, after] of page.matchAll(
        /<td class="num right">([^<\w]?\$[^<]+)<\/td><td[^>]*><\/td><td[^>]*>([^<]+)</g,
      )) {
        expect(cents(after!)).toBe(sum)
        sum -= change!.startsWith('$') ? cents(change!) : -cents(change!.slice(1))
        rows++
      }
      path = /<a href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    expect([rows >= 120, sum]).toEqual([true, 0n])
  })

  it('is nobody’s who cannot see the dispute', async () => {
    for (const path of ['take', 'give-back', 'notes', 'drafts/provide-evidence/drop'])
      expect((await consoleOf(world, 'merchant2').send(`${at}/${path}`, { content: 'x' })).status, path).toBe(404)
  })

  it('is kept on the page when it cannot be kept as a draft', async () => {
    const merchant = consoleOf(world)
    const other = await open(world.buyer)
    await does(world.buyer, other, 'escalate', { note: 'Enough.' })
    const here = `/console/disputes/${other}`
    const { payload, headers } = withFiles({ ...draft, instead: 'draft' }, { 'virus.png': Buffer.from('MZ') })

    const refused = await merchant.send(`${here}/provide-evidence`, payload, headers)
    const strange = await merchant.send(`${here}/provide-evidence`, {
      ...{ ...draft, instead: 'draft', 'drop-file-99999999999': 'true' },
    })

    expect([refused.status, refused.text.includes('Half of what we know.')]).toEqual([422, true])
    expect(refused.text).toContain('Nothing was changed.')
    expect(strange.status).toBe(303)
  })

  it('is one draft of those that are kept at once; the others are told, and clicks on one button keep it once', async () => {
    const merchant = consoleOf(world)
    const raced = async (id: string, fields: (i: number) => Record<string, string>) => {
      await does(world.buyer, id, 'escalate', { note: 'Enough.' })
      const here = `/console/disputes/${id}`
      const [, drawnWith = ''] = /name="draft" value="([^"]*)"/.exec(await merchant.page(here))!
      const answers = await Promise.all(
        [0, 1, 2].map((i) => {
          const typed = { ...draft, instead: 'draft', draft: drawnWith, ...fields(i) }
          const { payload, headers } = withFiles(typed, { 'slip.png': png })
          return merchant.send(`${here}/provide-evidence`, payload, headers)
        }),
      )
      const told = answers.filter(({ text }) => text.includes('A colleague kept a draft of this answer'))
      const files = (await merchant.page(here)).match(/>slip\.png<\/a>/g)
      return [answers.filter(({ status }) => status === 303).length, told.length, files?.length]
    }

    const tabs = (i: number) => ({ 'request-id': `console-tab-${i}`, '/evidences/0/notes': `Of tab ${i}` })
    expect(await raced(await open(world.buyer), tabs)).toEqual([1, 2, 1])
    expect(await raced(await open(world.buyer), () => ({ 'request-id': 'console-click' }))).toEqual([3, 0, 1])
  })

  it('is neither sent along nor written over by whoever did not see it', async () => {
    const merchant = consoleOf(world)
    const other = await open(world.buyer)
    await does(world.buyer, other, 'escalate', { note: 'Enough.' })
    const here = `/console/disputes/${other}`
    const drawn = (page: string) => /id="provide-evidence">[\s\S]*?name="draft" value="([^"]*)"/.exec(page)![1]!
    const early = { ...draft, draft: drawn(await merchant.page(here)), '/evidences/0/notes': 'Mine alone.' }
    const { payload, headers } = withFiles({ ...draft, instead: 'draft' }, { 'private.png': png })
    await merchant.send(`${here}/provide-evidence`, payload, headers)

    const late = [
      await merchant.send(`${here}/provide-evidence`, early),
      await merchant.send(`${here}/provide-evidence`, { ...early, instead: 'draft' }),
    ]

    for (const { status, text } of late) {
      expect([status, text.includes('Mine alone.'), text.includes('private.png')]).toEqual([422, true, true])
      expect(text).toContain('A colleague kept a draft of this answer')
    }
    expect(await merchant.page(here)).toMatch(/A draft of <b>Merchant<\/b>.*Half of what we know\./s)
    const now = drawn(late[0]!.text)
    const sent = { ...early, draft: now, 'request-id': 'console-late-1', 'drop-file-1': 'true' }
    const clicks = [await merchant.send(`${here}/provide-evidence`, sent)]
    clicks.push(await merchant.send(`${here}/provide-evidence`, sent))
    expect(clicks.map(({ status }) => status)).toEqual([303, 303])
    expect(await merchant.page(here)).not.toContain('private.png')
  })

  it.each([false, true])(
    'stays when it is kept in the very moment of sending, in place of another: %s',
    async (isDrafted) => {
      const merchant = consoleOf(world)
      const other = await open(world.buyer)
      await does(world.buyer, other, 'escalate', { note: 'Enough.' })
      const here = `/console/disputes/${other}`
      if (isDrafted) await merchant.send(`${here}/provide-evidence`, { ...draft, instead: 'draft' })
      const [, drawnWith = ''] = /name="draft" value="([^"]*)"/.exec(await merchant.page(here))!
      const late = { fault: 'latency', operation: 'disputeProvideEvidence', milliseconds: 3_000, times: 1 }
      await world.call('POST', '/sandbox/faults', late)
      type Faults = { faults: { hits: number }[] }
      const hits = async () => (await world.call<Faults>('GET', '/sandbox/faults')).body.faults[0]?.hits

      const sending = merchant.send(`${here}/provide-evidence`, {
        ...{ ...draft, draft: drawnWith, 'request-id': `console-moment-${isDrafted}` },
      })
      await expect.poll(hits).toBe(1)
      const colleague = { ...draft, '/evidences/0/notes': 'Kept in that moment.', draft: drawnWith, instead: 'draft' }
      const kept = await merchant.send(`${here}/provide-evidence`, colleague)

      expect([kept.status, (await sending).status]).toEqual([303, 303])
      expect(await merchant.page(here)).toMatch(/A draft of <b>Merchant<\/b>.*Kept in that moment\./s)
      await merchant.send(`${here}/drafts/provide-evidence/drop`)
      expect(await merchant.page(here)).not.toContain('Kept in that moment.')
      await world.call('DELETE', '/sandbox/faults')
    },
  )

  it('is sent once with its files by two clicks, and the second is answered as the first', async () => {
    const merchant = consoleOf(world)
    const other = await open(world.buyer)
    await does(world.buyer, other, 'escalate', { note: 'Enough.' })
    const here = `/console/disputes/${other}`
    const { payload, headers } = withFiles({ ...draft, instead: 'draft' }, { 'slip.png': png })
    await merchant.send(`${here}/provide-evidence`, payload, headers)
    const [, drawnWith] = /name="draft" value="([^"]+)"/.exec(await merchant.page(here))!

    const sent = { ...draft, draft: drawnWith!, 'request-id': 'console-with-file' }
    const clicks = [await merchant.send(`${here}/provide-evidence`, sent)]
    clicks.push(await merchant.send(`${here}/provide-evidence`, sent))

    expect(clicks.map(({ status }) => status)).toEqual([303, 303])
    expect((await merchant.page(here)).match(/slip\.png/g)).toHaveLength(1)
  })
})
