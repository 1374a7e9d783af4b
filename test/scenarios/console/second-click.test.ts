import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../../src/accounts/schema.ts'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import { consoleOf, written } from '../../support/console.ts'
import { newSubjects } from '../../support/console-subjects.ts'
import { formIn, freshen, givePasskey, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, patient, usd, type World } from '../../support/world.ts'

/** A second click is the same form once more. */
const twice = async <Answer>(send: () => Promise<Answer>): Promise<[Answer, Answer]> => [await send(), await send()]

const addDays = (instant: string, days: number) => new Date(Date.parse(instant) + days * 86_400_000).toISOString()

/** What the next page says first. */
const toldIn = ({ headers }: { headers: Record<string, unknown> }): string =>
  decodeURIComponent(/console-(?:notice|refusal)=([^;]*)/.exec(String(headers['set-cookie']))?.[1] ?? '')

describe('A second click at the console of a sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    await world.app.listen()
  })
  afterAll(() => world.close())

  it('makes no second app and no second secret, and leads to the app that there is', async () => {
    const merchant = consoleOf(world)
    const asked = { name: 'Clicked twice', 'feature-invoicing': 'true', 'request-id': 'console-twice-1' }
    const [made, again] = await twice(() => merchant.send('/console/apps', asked))
    expect([made.status, again.status, again.location]).toEqual([200, 303, '/console/apps'])
    expect(await merchant.told(again)).toMatchObject({
      tone: 'good',
      said: expect.stringContaining('make a new secret'),
    })
    const list = await merchant.page('/console/apps')
    expect(list.match(/<h2>Clicked twice/g)).toHaveLength(1)

    const [, at] = /id="([^"]+)"><header class="sheet-head"><h2>Clicked twice/.exec(list)!
    for (const name of ['rotate', 'revoke', 'disable']) {
      const clicks = await twice(() =>
        merchant.send(`/console/apps/${at}/${name}`, { 'request-id': `console-${name}` }),
      )
      expect([name, clicks[1].status, clicks[1].location]).toEqual([name, 303, '/console/apps'])
    }
  })

  it('finds a consent, a webhook, a template and a kept state gone, and leads to their list', async () => {
    const merchant = consoleOf(world)
    const consents = await twice(() =>
      merchant.send('/console/consents/sandbox-partner/revoke', { 'request-id': 'console-consent' }),
    )
    expect(consents.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, '/console/apps']))

    const hook = { url: 'http://127.0.0.1:4998/twice', event_types: [{ name: '*' }] }
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', hook)
    const at = `/console/webhooks/${body.id}`
    expect(await merchant.page(`${at}/delete`)).toContain('This cannot be undone')
    const deleted = await twice(() => merchant.send(`${at}/delete`, { 'request-id': 'console-delete' }))
    expect(deleted.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, '/console/webhooks']))
    await merchant.page(at, 404)

    const template = { name: 'Twice', template_info: { detail: { currency_code: 'USD' } } }
    const { id } = (await world.merchant.post<{ id: string }>('/v2/invoicing/templates', template)).body
    const dropped = await twice(() =>
      merchant.send(`/console/templates/${id}/delete`, { 'request-id': 'console-template' }),
    )
    expect(dropped.map(({ status, location }) => [status, location])).toEqual(
      Array(2).fill([303, '/console/templates']),
    )

    const kept = await twice(() =>
      merchant.send('/console/snapshots', { '/name': 'twice', 'request-id': 'console-keep' }),
    )
    expect(kept.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, '/console/scenarios']))
    const forgotten = await twice(() => merchant.send('/console/snapshots/twice/delete'))
    expect(forgotten.map(({ status, location }) => [status, location])).toEqual(
      Array(2).fill([303, '/console/scenarios']),
    )
    const gone = await merchant.send('/console/snapshots/twice/load')
    expect(await merchant.told(gone)).toMatchObject({ tone: 'bad', said: expect.stringContaining('not kept any more') })
  })

  it('keeps one state under a name that two forms ask for at once, and tells the other that it is taken', async () => {
    const merchant = consoleOf(world)
    const keep = (id: string) => merchant.send('/console/snapshots', { '/name': 'at-once', 'request-id': id })

    const both = await Promise.all([keep('console-keep-1'), keep('console-keep-2')])

    expect(both.map(({ status }) => status).sort()).toEqual([303, 422])
    const refused = both.find(({ status }) => status === 422)!.text
    expect(refused).toMatch(/id="keep-name-problem">A state of this name is kept already/)
    expect(refused).toMatch(/<input[^>]*id="keep-name"[^>]*aria-describedby="keep-name-problem [^>]*value="at-once"/)
    await merchant.send('/console/snapshots/at-once/delete')
  })

  it('sends one sample and makes one new signing secret', async () => {
    const merchant = consoleOf(world)
    const receiver = await Receiver.open()
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      url: receiver.url(),
      event_types: [{ name: '*' }],
    })
    const at = `/console/webhooks/${body.id}`
    for (const name of ['sample', 'rotate', 'replace']) {
      const clicks = await twice(() => merchant.send(`${at}/${name}`, { 'request-id': `console-hook-${name}` }))
      const told = await Promise.all(clicks.map((click) => merchant.told(click)))
      expect([name, told[1]]).toEqual([name, told[0]])
    }
    await world.settle()
    expect(receiver.received).toHaveLength(1)
    await receiver.close()
  })

  it('moves the clock once, however far that is, and by each button of a page', async () => {
    const merchant = consoleOf(world)
    await world.call('POST', '/sandbox/clock', { freeze: true })
    const now = async () => (await world.call<{ now: string }>('GET', '/sandbox/clock')).body.now
    const [, key] = /action="\/console\/clock"[^>]*>.*?name="request-id" value="([^"]+)"/s.exec(
      await merchant.page('/console/invoices'),
    )!
    for (const [advance, days] of [
      ['P1D', 1],
      ['P20D', 20],
    ] as const) {
      const before = await now()
      const clicks = await twice(() => merchant.send('/console/clock', { 'request-id': key!, advance }))
      expect(clicks.map(({ status }) => status)).toEqual([303, 303])
      expect(await now()).toBe(addDays(before, days))
      expect((await merchant.told(clicks[1])).said).toBe('The clock moves once, however often one clicks.')
    }
    // One that was refused has moved nothing, and says why each time.
    const past = addDays(await now(), -1)
    const refused = await twice(() => merchant.send('/console/clock', { 'request-id': key!, to: past }))
    for (const click of refused)
      expect(await merchant.told(click)).toMatchObject({ tone: 'bad', said: expect.stringContaining('cannot go back') })
    // What it is known by is kept no longer than that of other forms.
    await world.call('POST', '/sandbox/clock', { advance: 'P2D' })
    const later = await now()
    await merchant.send('/console/clock', { 'request-id': key!, advance: 'P1D' })
    expect(await now()).toBe(addDays(later, 1))
    await world.call('POST', '/sandbox/clock', { freeze: false })
    const to = addDays(await now(), 400)
    for (const click of await twice(() => merchant.send('/console/clock', { 'request-id': key!, to })))
      expect([click.status, click.location]).toEqual([303, '/console'])
  })

  it('tells what is wrong with a fault each time that it is refused', async () => {
    const merchant = consoleOf(world)
    const typed = { '/fault': '503', '/times': 'often', 'request-id': 'console-fault-refused' }
    const refused = await twice(() => merchant.send('/console/faults', typed))
    expect(refused.map(({ status, text }) => [status, text.includes('Nothing was changed.')])).toEqual(
      Array(2).fill([422, true]),
    )
  })

  it('reminds nobody twice, and leads to how far the first is', async () => {
    const { body } = await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
    })
    await world.merchant.post(`/v2/invoicing/invoices/${body.id}/send`, {})
    await world.settle()
    const merchant = consoleOf(world)
    const start = (key: string) =>
      merchant.send('/console/invoices/remind-all', { view: 'outstanding', 'request-id': key })

    const [first, second] = await twice(() => start('console-bulk-1'))
    const other = await start('console-bulk-2')
    expect([second.status, second.location]).toEqual([303, first.location])
    expect(other.location).toBe(first.location)
    expect(await merchant.told(other)).toMatchObject({ tone: 'bad', said: expect.stringContaining('already') })
    await world.settle()
    expect((await start('console-bulk-1')).location).toBe(first.location)

    await world.merchant.post(`/v2/invoicing/invoices/${body.id}/cancel`, {})
    const none = await start('console-bulk-3')
    expect(none.location).toBe('/console/invoices/all?view=outstanding')
    expect((await merchant.told(none)).said).toContain('Nobody was reminded')
  })

  it('saves and sends one invoice, and deletes a record of it once', async () => {
    const merchant = consoleOf(world)
    const mails = async () => (await world.call<{ mails: object[] }>('GET', '/sandbox/mail')).body.mails.length
    await world.settle()
    const before = await mails()
    const typed = { ...written, '/primary_recipients/0/billing_info/email_address': 'buyer@example.com' }
    const sent = await twice(() =>
      merchant.send('/console/invoices/new', { ...typed, instead: 'send', 'request-id': 'console-save-send' }),
    )
    expect(sent[1].location).toBe(sent[0].location)
    for (const click of sent)
      expect(await merchant.told(click)).toMatchObject({ tone: 'good', said: 'The invoice was saved and sent.' })
    await world.settle()
    expect((await mails()) - before).toBe(1)

    const at = sent[0].location
    await merchant.send(`${at}/record-payment`, {
      '/method': 'CASH',
      '/amount/value': '9',
      '/amount/currency_code': 'USD',
    })
    const page = await merchant.page(at)
    const [, record] = /action="([^"]*\/payments\/[^"]*\/delete)"/.exec(page)!
    // One that is refused has done nothing, says so, and may be sent again.
    const failed = await merchant.send(record!.replace(/payments\/[^/]+/, 'payments/EXTR-NONE'), formIn(page, record!))
    expect(failed.status).toBe(404)
    const deleted = await twice(() => merchant.send(record!, formIn(page, record!)))
    expect(deleted.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, at]))
    expect(await merchant.page(at)).not.toContain(record)
  })

  it('sends a span of events again once, and says so both times', async () => {
    const merchant = consoleOf(world)
    const receiver = await Receiver.open()
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', {
      ...{ url: receiver.url('/again'), event_types: [{ name: '*' }] },
    })
    const at = `/console/webhooks/${body.id}`
    await merchant.send(`${at}/sample`)
    await world.settle()
    const action = `${at}/replay`
    const form = formIn(await merchant.page(`${action}?include=ALL`), action)
    const told: unknown[] = []
    for (const _ of ['once', 'and a second click']) {
      told.push(await merchant.told(await merchant.send(action, form)))
      await world.settle()
    }
    expect(told).toEqual(
      Array(2).fill({
        tone: 'good',
        role: 'status',
        said: expect.stringMatching(/^\d+ events? (is|are) sent again\.$/),
      }),
    )
    expect(
      receiver.received.filter(({ headers }) => headers['webhook-id'] === receiver.received[0]!.headers['webhook-id']),
    ).toHaveLength(2)
    await receiver.close()
  })

  it('sends a request again once, and plays a story once', async () => {
    const merchant = consoleOf(world)
    const list = async () =>
      (await world.merchant.get<{ items: object[] }>('/v2/invoicing/invoices?page_size=100')).body.items
    const made = await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    const at = `/console/requests/${made.headers['service-debug-id']}`
    const before = (await list()).length
    const page = await merchant.page(at)
    const body = JSON.stringify({ detail: { currency_code: 'USD' } })
    const again = await twice(() => merchant.send(`${at}/again`, { ...formIn(page, `${at}/again`), body }))
    expect(again.map(({ status }) => status)).toEqual([303, 303])
    expect((await list()).length).toBe(before + 1)

    const action = '/console/scenarios/seller-wins'
    const story = { ...formIn(await merchant.page('/console/scenarios'), action), pause: '0' }
    const [, second] = await twice(() => merchant.send(action, story))
    expect([second.status, second.location]).toEqual([303, '/console'])
    await world.settle()
  })
})

describe('A second click at a live console', () => {
  let world: World
  let subjects: Awaited<ReturnType<typeof newSubjects>>
  beforeAll(async () => {
    world = await newConsoleWorld()
    subjects = await newSubjects(world)
  })
  afterAll(async () => {
    await subjects.tidy()
    await world.close()
  })
  const at = '/console/operator'

  /** Sends a form of a page twice, as it stands there. */
  async function clicked(
    who: Awaited<ReturnType<typeof signedIn>>,
    page: string,
    action: string,
    fields: Record<string, string> = {},
  ) {
    const form = formIn((await who.get(page)).text, action)
    return twice(() => who.post(action, { ...form, ...fields }))
  }

  it('makes one account and one app of it, and leads there', async () => {
    const operator = await signedIn(world, 'operator')
    await freshen(world)
    const fields = { '/kind': 'BUSINESS', '/name': 'Twice', '/email': 'twice@example.test' }
    const [made, again] = await clicked(operator, `${at}/accounts`, `${at}/accounts`, fields)
    expect([made.status, again.status, again.location]).toEqual([303, 303, made.location])
    const other = await operator.send(`${at}/accounts`, `${at}/accounts`, fields)
    expect([other.status, other.text.includes('id="new-account-email-problem"')]).toEqual([422, true])

    const app = { '/name': 'Till', '/invoicing': 'true' }
    const [shown, second] = await clicked(operator, made.location, `${made.location}/apps`, app)
    expect([shown.status, second.status, second.location]).toEqual([200, 303, made.location])
    expect((await operator.get(made.location)).text.match(/<b>Till<\/b>/g)).toHaveLength(1)
    const none = await operator.send(made.location, `${made.location}/apps`, { '/name': 'For nothing' })
    expect([none.status, none.text.includes('value="For nothing"')]).toEqual([422, true])
    expect(none.text).toMatch(/id="new-app">[\s\S]*Choose something that this kind of account uses/)
  })

  it('replaces a key once, tries or drops a job once, and leads to their list', async () => {
    const operator = await signedIn(world, 'operator')
    await freshen(world)
    const { id: key } = await subjects.of('operator/keys', 'own', '')
    const withdrawn = await clicked(operator, `${at}/keys/${key}/withdraw`, `${at}/keys/${key}/withdraw`)
    expect(withdrawn.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, `${at}/keys`]))

    const { service, database } = world.app
    await new SigningKeys(database, makeSeal(service.settings.secrets!), service, patient.newKeyPair).current()
    const keys = async () => (await operator.get(`${at}/keys`)).text.match(/CERT-[\da-f-]+<\/code>/g)!.length
    const before = await keys()
    const rotated = await clicked(operator, `${at}/keys`, `${at}/keys/rotate`)
    expect(rotated.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, `${at}/keys`]))
    expect(await keys()).toBe(before + 1)

    for (const [page, name] of [
      [`${at}/jobs`, 'retry'],
      ['', 'drop'],
    ] as const) {
      const { id } = await subjects.of('operator/jobs', 'own', '')
      const action = `${at}/jobs/${id}/${name}`
      const clicks = await clicked(operator, page || action, action)
      subjects.spend(`/console/operator/jobs/`)
      expect(clicks.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, `${at}/jobs`]))
      expect(toldIn(clicks[1])).not.toContain('Nothing was done')
    }
  })

  it('invites and removes somebody once, and leads to the people', async () => {
    const operator = await signedIn(world, 'operator')
    await freshen(world)
    const people = '/console/people'
    const [shown, again] = await clicked(operator, people, people, {
      ...{ email: 'once@example.test', name: 'Once', role: 'agent' },
    })
    expect([shown.status, again.status, again.location]).toEqual([200, 303, people])
    expect(toldIn(again)).toContain('invite them again')
    const list = (await operator.get(people)).text
    const [, one] = /once@example\.test[\s\S]*?href="(\/console\/people\/[^"]+)\/remove"/.exec(list)!
    for (const [page, name] of [
      [people, 'invite'],
      [`${one}/remove`, 'remove'],
    ] as const) {
      const [, second] = await clicked(operator, page, `${one}/${name}`)
      expect([name, second.status, second.location]).toEqual([name, 303, people])
    }
  })

  it('ends a passkey and a sign-in once, and leads to those that are left', async () => {
    const admin = await signedIn(world, 'admin', world.people.merchant.id)
    await givePasskey(world, admin.personId)
    const { id: login } = await subjects.of('logins', 'own', admin.personId)
    await freshen(world)
    const page = '/console/passkeys'
    const [, passkey] = /action="(\/console\/passkeys\/[^"]+\/delete)"/.exec((await admin.get(page)).text)!
    for (const action of [passkey!, `/console/logins/${login}/end`]) {
      const clicks = await clicked(admin, page, action)
      expect(clicks.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, page]))
    }
  })

  it('sends again once what failed at a webhook, and nothing where it is disabled by then', async () => {
    const operator = await signedIn(world, 'operator')
    const app = await world.personWithApp(world.people.merchant.id, defaultScopes('BUSINESS', features))
    const hook = { url: 'https://hooks.test/twice', event_types: [{ name: '*' }] }
    const { id } = (await app.post<{ id: string }>('/v1/notifications/webhooks', hook)).body
    const set = (name: string) => app.post(`/v1/notifications/webhooks/${id}/${name}`, {})
    await app.post('/v1/notifications/simulate-event', { webhook_id: id, event_type: 'INVOICING.INVOICE.PAID' })
    await set('disable')
    await set('enable')
    const here = `${at}/webhooks/${id}`
    const form = formIn((await operator.get(`${here}/replay`)).text, `${here}/replay`)
    const clicks = await twice(() => operator.post(`${here}/replay`, form))
    expect(clicks.map(({ status, location }) => [status, location])).toEqual(
      Array(2).fill([303, `${here}?standing=PENDING`]),
    )
    expect(toldIn(clicks[1])).toBe('They are sent again, each once.')

    await set('disable')
    const late = await operator.post(`${here}/replay`, { ...form, 'request-id': 'console-late' })
    expect([late.status, late.location]).toEqual([303, here])
    expect(toldIn(late)).toContain('Nothing was sent')
  })
})
