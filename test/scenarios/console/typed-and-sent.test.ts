import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf, formsIn, withFiles, written } from '../../support/console.ts'
import { times } from '../../support/size.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const total = async () => (await world.merchant.get<{ items: object[] }>('/v2/invoicing/invoices')).body.items.length
const seenOn = (page: string) => /name="seen" value="([^"]*)"/.exec(page)![1]!

/** What is there now, by the field that it stands below. */
const thereOn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/id="([^"]*)-there">There now: <b>(.*?)<\/b>/g)].map(([, at, text]) => [at, text]),
  )

describe('What is typed for an invoice', () => {
  const to = '/primary_recipients/0/billing_info'
  type Stored = { items: object[]; detail: { invoice_date: string }; primary_recipients: object[]; amount: object }
  const stored = async (at: string) =>
    (await world.merchant.get<Stored>(`/v2/invoicing/invoices/${at.split('/').at(-1)}`)).body
  const issueBeside = (text: string, name: string) =>
    new RegExp(`name="${name}"[^>]*aria-invalid="true"`).test(text.replaceAll('&quot;', ''))

  it('is never a line forgotten: a price without a name is asked about', async () => {
    const merchant = consoleOf(world)
    const before = await total()

    const unnamed = { ...written, '/items/2/unit_amount/value': '10' }
    const { status, text } = await merchant.send('/console/invoices/new', unnamed)

    expect([status, issueBeside(text, '/items/2/name')]).toEqual([422, true])
    expect(await total()).toBe(before)
  })

  it('is refused beside its own row, in words, when rows before it are empty', async () => {
    const merchant = consoleOf(world)
    const row = { '/items/2/name': 'A table', '/items/2/quantity': 'two', '/items/2/unit_amount/value': '1' }

    const { text } = await merchant.send('/console/invoices/new', { '/detail/currency_code': 'USD', ...row })
    const template = await merchant.send(
      '/console/templates/new',
      Object.fromEntries([
        ['/name', 'Rows'],
        ...Object.entries(row).map(([name, value]) => [`/template_info${name}`, value]),
      ]),
    )

    expect(issueBeside(text, '/items/2/quantity')).toBe(true)
    expect(issueBeside(template.text, '/template_info/items/2/quantity')).toBe(true)
    expect(text).toContain('Must be a number of digits and a decimal point, such as 1250.00.')
  })

  it('may have space around it and a currency in small letters', async () => {
    const merchant = consoleOf(world)
    const typed = { ...written, '/detail/currency_code': ' usd', '/items/0/unit_amount/value': ' 49.50 ' }
    const { location } = await merchant.send('/console/invoices/new', typed)
    expect(await stored(location)).toMatchObject({ amount: usd('108.90') })
  })

  it('is taken away by emptying its field, and a due date that was named stays', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: {
        currency_code: 'USD',
        payment_term: { term_type: 'DUE_ON_DATE_SPECIFIED', due_date: '2030-01-15' },
      },
      primary_recipients: [{ billing_info: { business_name: 'Misspelt', email_address: 'buyer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
    })
    const at = `/console/invoices/${body.id}`
    const page = await merchant.page(`${at}/edit`)
    expect(page).toContain('<option value="DUE_ON_DATE_SPECIFIED" selected>On 2030-01-15</option>')

    await merchant.send(`${at}/edit`, {
      ...written,
      [`${to}/business_name`]: '',
      [`${to}/email_address`]: 'other@example.com',
      '/detail/payment_term/term_type': 'DUE_ON_DATE_SPECIFIED',
    })

    const { detail, primary_recipients } = await stored(at)
    expect(detail).toMatchObject({ payment_term: { due_date: '2030-01-15' } })
    expect(primary_recipients).toEqual([{ billing_info: { email_address: 'other@example.com' } }])
  })

  it('does not write over what somebody else saved meanwhile, and a second click is no somebody', async () => {
    const merchant = consoleOf(world)
    const { location: at } = await merchant.send('/console/invoices/new', written)
    const seen = seenOn(await merchant.page(`${at}/edit`))
    await world.pass('PT1M')

    const { invoice_date } = (await stored(at)).detail
    const dated = { '/detail/invoice_date': invoice_date, '/detail/payment_term/term_type': 'NET_30' }
    const first = { ...written, ...dated, seen, '/detail/note': 'Mine' }
    const saves = [await merchant.send(`${at}/edit`, first), await merchant.send(`${at}/edit`, first)]
    const late = await merchant.send(`${at}/edit`, { ...first, '/detail/note': 'Late' })

    expect(saves.map(({ status }) => status)).toEqual([303, 303])
    expect([late.status, late.text.includes('Somebody was faster'), late.text.includes('Late')]).toEqual([
      422,
      true,
      true,
    ])
    expect(await stored(at)).toMatchObject({ detail: { note: 'Mine' } })
  })

  it('takes the place of what somebody else saved only once whoever sends it has seen that', async () => {
    const merchant = consoleOf(world)
    const { location: at } = await merchant.send('/console/invoices/new', { ...written, '/detail/note': 'At first' })
    const { invoice_date } = (await stored(at)).detail
    const dated = { '/detail/invoice_date': invoice_date, '/detail/payment_term/term_type': 'NET_30' }
    const second = (name: string, quantity: string, price: string) => ({
      ...{ '/items/1/name': name, '/items/1/quantity': quantity, '/items/1/unit_amount/value': price },
    })
    const typed = { ...written, ...dated, seen: seenOn(await merchant.page(`${at}/edit`)) }
    const mine = { ...typed, ...second('', '', ''), '/detail/note': 'Mine' }
    await world.pass('PT1M')
    await merchant.send(`${at}/edit`, {
      ...typed,
      ...second('A table', '1', '20.00'),
      '/detail/note': 'Of somebody else',
    })

    const late = await merchant.send(`${at}/edit`, mine)
    const again = await merchant.send(`${at}/edit`, mine)

    expect([late.status, again.status]).toEqual([422, 422])
    expect(thereOn(late.text)).toEqual({
      'write-items-1-name': 'A table',
      'write-items-1-quantity': '1',
      'write-items-1-unit_amount-value': '20.00',
      'write-detail-note': 'Of somebody else',
    })
    expect(late.text).toMatch(/<textarea [^>]*name="\/detail\/note"[^>]*>\s*Mine</)
    expect(await stored(at)).toMatchObject({ detail: { note: 'Of somebody else' } })
    const knowing = await merchant.send(`${at}/edit`, { ...mine, seen: seenOn(late.text) })
    expect(knowing.status).toBe(303)
    expect(await stored(at)).toMatchObject({ detail: { note: 'Mine' }, items: [{ name: 'A chair' }] })
  })

  it('is taken of an invoice of many lines', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: Array.from({ length: 97 }, (_, i) => ({ name: `Item ${i + 1}`, quantity: '1', unit_amount: usd('1.00') })),
    })
    const at = `/console/invoices/${body.id}/edit`
    const page = await merchant.page(at)
    const fields = Object.fromEntries(
      [...page.matchAll(/ name="(\/items\/[^"]*)"[^>]* value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    )

    const { payload, headers } = withFiles({ ...fields, '/items/97/name': 'One more' }, {})
    const sent = await merchant.send(at, payload, headers)

    expect(sent.status, sent.text.slice(-600)).toBe(303)
    expect((await stored(`/${body.id}`)).items).toHaveLength(98)
  })

  it('stands in its row again where the invoice has fewer lines by now', async () => {
    const merchant = consoleOf(world)
    const line = (name: string) => ({ name, quantity: '1', unit_amount: usd('1.00') })
    const invoice = { detail: { currency_code: 'USD' }, items: ['One', 'Two', 'Three', 'Four', 'Five'].map(line) }
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', invoice)
    const at = `/console/invoices/${body.id}/edit`
    const seen = seenOn(await merchant.page(at))
    await world.pass('PT1M')
    await world.merchant.put(`/v2/invoicing/invoices/${body.id}`, { ...invoice, items: [line('One')] })

    const late = await merchant.send(at, { ...written, seen, '/items/7/name': 'The last of eight' })

    expect([late.status, late.text.includes('Somebody was faster')]).toEqual([422, true])
    expect(late.text).toContain('value="The last of eight"')
  })

  it('is not lost with the template that it was begun with', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Short-lived',
      template_info: { detail: { currency_code: 'USD' } },
    })
    await merchant.page(`/console/invoices/new?template=${body.id}`)
    await world.merchant.delete(`/v2/invoicing/templates/${body.id}`)

    const typed = { ...written, '/configuration/template_id': body.id, '/detail/note': 'Typed for long' }
    const late = await merchant.send('/console/invoices/new', typed)

    expect([late.status, late.text.includes('Typed for long')]).toEqual([422, true])
    expect(late.text).toContain('The template is not there any more')
    expect(late.text).not.toContain(body.id)
  })
})

describe('What is typed for a template', () => {
  it('does not write over what somebody else saved meanwhile, until that was seen', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'For chairs',
      default_template: true,
      template_info: { detail: { currency_code: 'USD', note: 'At first' } },
    })
    const at = `/console/templates/${body.id}/edit`
    type Stored = { name: string; default_template: boolean; template_info: { detail: { note: string } } }
    const now = async () => (await world.merchant.get<Stored>(`/v2/invoicing/templates/${body.id}`)).body
    const seen = seenOn(await merchant.page(at))
    const term = { '/template_info/detail/payment_term/term_type': 'NET_30' }
    const typed = { ...term, '/name': 'For chairs', '/template_info/detail/currency_code': 'USD', seen }
    const first = { ...typed, '/default_template': 'true', '/template_info/detail/note': 'Theirs' }
    const saves = [await merchant.send(at, first), await merchant.send(at, first)]

    const late = await merchant.send(at, { ...typed, '/template_info/detail/note': 'Mine' })

    expect([...saves, late].map(({ status }) => status)).toEqual([303, 303, 422])
    expect(late.text).toContain('Somebody was faster')
    expect(thereOn(late.text)).toEqual({
      'template-default_template': 'ticked',
      'template-template_info-detail-note': 'Theirs',
    })
    expect(late.text).toMatch(
      /name="\/default_template" value="true" aria-describedby="template-default_template-there">/,
    )
    // There is no request to look for.
    expect(late.text).not.toContain('Debug id')
    expect(await now()).toMatchObject({ default_template: true, template_info: { detail: { note: 'Theirs' } } })
    const mine = { ...typed, '/template_info/detail/note': 'Mine', seen: seenOn(late.text) }
    expect((await merchant.send(at, mine)).status).toBe(303)
    expect(await now()).toMatchObject({ default_template: false, template_info: { detail: { note: 'Mine' } } })
  })
})

describe('What is typed for a webhook', () => {
  it('does not write over what somebody else saved meanwhile, until that was seen', async () => {
    const merchant = consoleOf(world)
    const url = (path: string) => `http://127.0.0.1:4999/${path}`
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: url('first'),
      event_types: [{ name: '*' }],
    })
    const at = `/console/webhooks/${body.id}`
    type Stored = { url: string; event_types: { name: string }[] }
    const now = async () => (await world.merchant.get<Stored>(`/v1/notifications/webhooks/${body.id}`)).body
    const seen = seenOn((await merchant.page(at)).split('id="edit"')[1]!)
    const first = { seen, '/url': url('theirs'), '/event_types': 'INVOICING.INVOICE.PAID INVOICING.INVOICE.SENT' }
    // Nothing of what the form says.
    await merchant.send(`${at}/disable`)
    const saves = [await merchant.send(`${at}/edit`, first), await merchant.send(`${at}/edit`, first)]

    const mine = { seen, '/url': url('mine'), '/event_types': '*' }
    const late = await merchant.send(`${at}/edit`, mine)

    expect([...saves, late].map(({ status }) => status)).toEqual([303, 303, 422])
    expect(late.text).toMatch(/<details class="folded" open>(?:(?!<\/details>)[\s\S])*Somebody was faster/)
    expect(thereOn(late.text)).toEqual({
      'edit-url': url('theirs'),
      'edit-event_types': 'INVOICING.INVOICE.PAID<br>INVOICING.INVOICE.SENT',
    })
    expect(late.text).toContain(`value="${url('mine')}"`)
    expect(await now()).toMatchObject({ url: url('theirs') })
    const again = { ...mine, seen: seenOn(late.text.split('id="edit"')[1]!) }
    expect((await merchant.send(`${at}/edit`, again)).status).toBe(303)
    expect(await now()).toMatchObject({ url: url('mine') })
  })
})

/** Sends forms of one page at the same instant, and says how many were taken and how many were told that somebody was faster. */
async function raced(send: (i: number) => Promise<{ status: number; text: string }>) {
  const answers = await Promise.all([0, 1, 2].map(send))
  const faster = answers.filter(({ status, text }) => status === 422 && text.includes('Somebody was faster'))
  return [answers.filter(({ status }) => status === 303).length, faster.length]
}

describe('What says nothing of when it is due', () => {
  const chosen = (page: string) => /payment_term\/term_type"[\s\S]*?<option value="(\w*)" selected>/.exec(page)![1]

  it('is due on no day in the form that edits it, and in 30 days where it is new', async () => {
    const merchant = consoleOf(world)
    const info = { detail: { currency_code: 'USD' } }
    const invoice = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', info)
    const template = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Undue',
      template_info: info,
    })
    const paths = [
      `invoices/${invoice.body.id}/edit`,
      `templates/${template.body.id}/edit`,
      'invoices/new',
      'templates/new',
    ]
    const terms = await Promise.all(paths.map(async (path) => chosen(await merchant.page(`/console/${path}`))))
    expect(terms).toEqual(['NO_DUE_DATE', 'NO_DUE_DATE', 'NET_30', 'NET_30'])
  })
})

describe('Forms of the same page that are sent at once', () => {
  it('save one edit of an invoice, and tell the others, also on a clock that stands still', async () => {
    const merchant = consoleOf(world)
    const { location: at } = await merchant.send('/console/invoices/new', written)
    const seen = seenOn(await merchant.page(`${at}/edit`))

    const note = (text: string) => ({ ...written, seen, '/detail/note': text })
    const several = await raced((i) => merchant.send(`${at}/edit`, note(`Of tab ${i}`)))
    const later = await merchant.send(`${at}/edit`, note('Much later'))

    expect([several, later.status]).toEqual([[1, 2], 422])
    const { body } = await world.merchant.get<{ detail: { note: string } }>(
      `/v2/invoicing/invoices/${at.split('/').at(-1)}`,
    )
    expect(body.detail.note).toMatch(/^Of tab \d$/)
  })

  it('save one edit of a template, and tell the others', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Raced',
      template_info: { detail: { currency_code: 'USD' } },
    })
    const at = `/console/templates/${body.id}/edit`
    const typed = {
      '/name': 'Raced',
      '/template_info/detail/currency_code': 'USD',
      seen: seenOn(await merchant.page(at)),
    }
    const send = (note: string) => merchant.send(at, { ...typed, '/template_info/detail/note': note })
    expect(await raced((i) => send(`Of tab ${i}`))).toEqual([1, 2])
  })

  it('save one edit of a webhook, and tell the others; clicks on one button are one save', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'http://127.0.0.1:4999/raced',
      event_types: [{ name: '*' }],
    })
    const at = `/console/webhooks/${body.id}`
    const edit = async (path: (i: number) => string) => {
      const seen = seenOn((await merchant.page(at)).split('id="edit"')[1]!)
      return raced((i) =>
        merchant.send(`${at}/edit`, { seen, '/url': `http://127.0.0.1:4999/${path(i)}`, '/event_types': '*' }),
      )
    }
    expect(await edit((i) => `tab-${i}`)).toEqual([1, 2])
    expect(await edit(() => 'clicked')).toEqual([3, 0])
  })

  it('make a template the usual one without undoing what is saved meanwhile', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Usual',
      template_info: { detail: { currency_code: 'USD', note: 'At first' } },
    })
    const notes: string[] = []
    const saved = Array.from({ length: times(10, 100) }, (_, i) => `Saved meanwhile, ${i}`)
    for (const note of saved) {
      const template_info = { detail: { currency_code: 'USD', note } }
      await Promise.all([
        merchant.send(`/console/templates/${body.id}/default`),
        world.merchant.put(`/v2/invoicing/templates/${body.id}`, { name: 'Usual', template_info }),
      ])
      const { template_info: kept } = (
        await world.merchant.get<{ template_info: { detail: { note: string } } }>(`/v2/invoicing/templates/${body.id}`)
      ).body
      notes.push(kept.detail.note)
    }
    expect(notes).toEqual(saved)
  })
})

describe('The address of a form', () => {
  it('leads to the page that it stands on, when somebody opens it that was refused there', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', { ...written })
    const opened = async (path: string, method: 'GET' | 'POST' = 'GET') => {
      const headers = { host: 'localhost:8080', accept: 'text/html' }
      const { status, headers: told } = await world.call(method, path, undefined, { headers })
      return [status, told['location']]
    }
    const refused = await merchant.send(`${location}/record-payment`, { '/method': 'CASH', '/amount/value': 'much' })
    expect(refused.status).toBe(422)
    expect(await opened(`${location}/record-payment`)).toEqual([303, location])
    expect(await opened('/console/apps/sandbox-merchant/rotate?x=1')).toEqual([303, '/console/apps'])
    expect(await opened('/console/snapshots')).toEqual([303, '/console'])
    expect(await opened('/console/money', 'POST')).toEqual([405, undefined])
    expect(await opened('//console/snapshots')).toEqual([405, undefined])
  })
})

describe('What is typed for something that is deleted meanwhile', () => {
  it('is a new template once it is sent again', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Deleted meanwhile',
      template_info: { detail: { currency_code: 'USD' } },
    })
    const at = `/console/templates/${body.id}`
    const typed = {
      '/name': 'Deleted meanwhile',
      '/template_info/detail/currency_code': 'USD',
      '/template_info/detail/note': 'Typed for long',
      seen: seenOn(await merchant.page(`${at}/edit`)),
    }
    const deleted = [await merchant.send(`${at}/delete`), await merchant.send(`${at}/delete`)]
    const usual = await merchant.send(`${at}/default`)

    const late = await merchant.send(`${at}/edit`, typed)

    expect([...deleted, usual].map(({ status }) => status)).toEqual([303, 404, 404])
    for (const { text } of [deleted[1]!, usual])
      expect(text).toMatch(/aria-label="Console"[\s\S]*Nothing was changed\.<\/b> The template is not there any more\./)
    expect([late.status, late.text.includes('The template was deleted since this page was drawn.')]).toEqual([
      404,
      true,
    ])
    expect(late.text).toContain('aria-label="Console"')
    expect(late.text).toMatch(/name="\/template_info\/detail\/note"[^>]*>\s*Typed for long</)
    expect(formsIn(late.text)).toEqual(['/console/templates/new'])
    expect((await merchant.send('/console/templates/new', typed)).status).toBe(303)
    expect(await merchant.page('/console/templates')).toContain('Deleted meanwhile')
  })

  it('is a new invoice once it is sent again', async () => {
    const merchant = consoleOf(world)
    const { location: at } = await merchant.send('/console/invoices/new', written)
    const seen = seenOn(await merchant.page(`${at}/edit`))
    await world.merchant.delete(`/v2/invoicing/invoices/${at.split('/').at(-1)}`)

    const late = await merchant.send(`${at}/edit`, { ...written, seen, '/detail/note': 'Typed for long' })

    expect([late.status, late.text.includes('The invoice was deleted since this page was drawn.')]).toEqual([404, true])
    expect(late.text).toMatch(/name="\/detail\/note"[^>]*>\s*Typed for long</)
    expect(formsIn(late.text)).toEqual(['/console/invoices/new'])
  })

  it('is in the form for another webhook', async () => {
    const merchant = consoleOf(world)
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'http://127.0.0.1:4999/gone',
      event_types: [{ name: '*' }],
    })
    await world.merchant.delete(`/v1/notifications/webhooks/${body.id}`)
    const events = ['INVOICING.INVOICE.PAID', 'INVOICING.INVOICE.SENT']
    const late = await merchant.send(`/console/webhooks/${body.id}/edit`, {
      '/url': 'http://127.0.0.1:4999/other',
      '/event_types': events.join('\n'),
    })
    expect([late.status, late.text.includes('The webhook was deleted since its page was drawn.')]).toEqual([404, true])
    expect(late.text).toMatch(
      /value="http:\/\/127\.0\.0\.1:4999\/other"[\s\S]*value="INVOICING\.INVOICE\.PAID INVOICING/,
    )

    const { location } = await merchant.send('/console/webhooks', {
      '/url': 'http://127.0.0.1:4999/other',
      '/event_types': events.join(' '),
    })
    const made = await world.merchant.get(`/v1/notifications/webhooks/${location.split('/').at(-1)}`)
    expect(made.body).toMatchObject({ event_types: events.map((name) => ({ name })) })
  })
})

describe('A field that no form of ours has', () => {
  const everything = Object.prototype as { reached?: string }

  it.each([
    '/__proto__/reached',
    '/constructor/prototype/reached',
    '/items/__proto__/reached',
    '/items/constructor/prototype/reached',
    '/items/length',
    '/items/4294967294/name',
    '/detail/currency_code/reached',
    '/items/0/name/reached',
  ])('is passed over: %s', async (name) => {
    const merchant = consoleOf(world)

    const sent = await merchant.send('/console/invoices/new', { ...written, [name]: 'by hand' })

    const reached = [everything.reached, ([] as { reached?: string }).reached]
    delete everything.reached
    delete (Array.prototype as { reached?: string }).reached
    expect(reached).toEqual([undefined, undefined])
    expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/^\/console\/invoices\/INV2-/)])
    const id = sent.location.split('/').at(-1)
    const { body } = await world.merchant.get<{ items: { name: string }[] }>(`/v2/invoicing/invoices/${id}`)
    expect(body.items.map((item) => item.name)).toEqual(['A chair'])
  })
})

describe('The form that records a payment', () => {
  it('says what it leads to before how to undo it', async () => {
    const merchant = consoleOf(world)
    const { location } = await merchant.send('/console/invoices/new', { ...written, instead: 'send' })
    expect(await merchant.page(location)).toMatch(/It is then partly paid[\s\S]*Deleting the record undoes it\./)
  })
})

describe('A message on a dispute', () => {
  it('was written in the past, be it at this very moment', async () => {
    await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: 'WROTE1' }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('9.00'),
      messages: [{ content: 'Nothing came.' }],
    })
    const list = await consoleOf(world).page('/console/disputes?view=all')
    expect(list).toMatch(/The buyer wrote <time [^>]*>0 s ago<\/time>: “Nothing came\.”/)
  })
})

describe('An action on a dispute', () => {
  it('is done once by two clicks, and the second is answered as the first', async () => {
    const buyer = consoleOf(world, 'buyer')
    const opened = await world.buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: 'CLICKED1' }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('9.00'),
    })
    const at = `/console/disputes/${opened.body.links[0]!.href.split('/').at(-1)}`
    const seen = seenOn(await buyer.page(at))
    await world.pass('PT1M')

    const clicks = { seen, '/note': 'Enough.', 'request-id': 'console-escalated' }
    const [first, second] = [await buyer.send(`${at}/escalate`, clicks), await buyer.send(`${at}/escalate`, clicks)]
    const other = await buyer.send(`${at}/escalate`, { ...clicks, 'request-id': 'console-other' })

    expect([first!.status, second!.status, other.status]).toEqual([303, 303, 422])
    expect(other.text).toContain('Somebody was faster')
  })
})
