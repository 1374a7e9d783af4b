import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { findAccount, saveAccount } from '../../../src/accounts/store.ts'
import { openApp } from '../../../src/app.ts'
import { grantRole } from '../../../src/console/sign-in/people.ts'
import { addDays, dayIn } from '../../../src/kernel/clock.ts'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { json, run } from '../../support/command.ts'
import { newLogin, newSubjects } from '../../support/console-subjects.ts'
import {
  besides,
  browserOf,
  CONSOLE_URL,
  formIn,
  freshen,
  invite,
  newConsoleWorld,
  payThrough,
  signedIn,
} from '../../support/live-console.ts'
import { patient, type World } from '../../support/world.ts'

let world: World
let merchant: string
beforeAll(async () => {
  world = await newConsoleWorld()
  merchant = world.people.merchant.id
})
afterAll(() => world.close())

const line = {
  '/detail/currency_code': 'USD',
  '/items/0/name': 'A chair',
  '/items/0/quantity': '2',
  '/items/0/unit_amount/value': '49.50',
}

/** The form as it was left, with why it was not taken. */
const keptIn = (action: string, value: string) =>
  new RegExp(
    `<form [^>]*action="${action}"(?:(?!</form>)[^])*Support gives back 500 at most(?:(?!</form>)[^])*value="${value}"`,
  )

const tokenOf = (markup: string) => /name="form-token" value="([^"]*)"/.exec(markup)?.[1]

describe('A link to sign in', () => {
  it('signs in the person it was made for, once, with a cookie that no script reads and no other site sends', async () => {
    const { path } = await invite(world, 'admin', merchant)
    const browser = browserOf(world)
    const page = await browser.get(path)
    const before = browser.cookies.get('__Host-quittance')
    const answer = await browser.send(path, path)

    expect(page.text).toContain('Welcome, A admin')
    expect([answer.status, answer.location]).toEqual([303, '/console/passkeys'])
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-quittance=[\w-]{43}; Path=\/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax$/,
    )
    expect(browser.cookies.get('__Host-quittance')).not.toBe(before)
    expect((await browser.get('/console')).location).toBe('/console/invoices')
    expect((await browser.get('/console/invoices')).text).toContain('A admin')

    const second = browserOf(world)
    const used = await second.get(path)
    expect(used.status).toBe(410)
    expect(used.text).toContain('This link was used already')
    const { text } = await second.get('/console/sign-in')
    expect(text).toContain('Use a passkey')
    expect((await second.post(path, { 'form-token': 'x' })).status).toBe(403)
    expect((await second.get('/console/invoices')).location).toBe('/console/sign-in?back=%2Fconsole%2Finvoices')
  })
})

describe('A way in that is none', () => {
  it('is a link after which another was made for the same person, however little time has passed', async () => {
    const earlier = await invite(world, 'viewer', merchant)
    const stranger = await invite(world, 'viewer', merchant)
    const browser = browserOf(world)
    const token = tokenOf((await browser.get(earlier.path)).text)!
    const newer = await invite(world, 'viewer', merchant, earlier.email)
    const shown = await browser.get(earlier.path)
    const posted = await browser.post(earlier.path, { 'form-token': token })

    expect(newer.personId).toBe(earlier.personId)
    expect([shown.status, shown.text.includes('There is a newer link')]).toEqual([410, true])
    expect(posted.location).toBe(earlier.path)
    expect((await browser.get('/console/invoices')).status).toBe(303)
    await browserOf(world).signInBy(newer.path)
    await browserOf(world).signInBy(stranger.path)
    // One that was used says so, whatever came after it.
    await invite(world, 'viewer', merchant, earlier.email)
    expect((await browser.get(newer.path)).text).toContain('This link was used already')
  })

  it('is a link that comes too late, or that nobody made', async () => {
    const { path } = await invite(world, 'viewer', merchant)
    const browser = browserOf(world)
    await browser.get(path)
    world.passReally(901)
    const late = await browser.get(path)
    const posted = await browser.post(path, { 'form-token': tokenOf(late.text) ?? 'none' })
    world.passReally(-901)

    expect([late.status, late.text.includes('This link came too late')]).toEqual([410, true])
    expect(posted.status).not.toBe(303)
    expect((await browser.get(`/console/sign-in/link/${'A'.repeat(43)}`)).status).toBe(404)
    expect((await browser.get('/console/invoices')).status).toBe(303)
  })

  it('is a form from another page, of another browser, of another purpose or of long ago', async () => {
    const { path } = await invite(world, 'viewer', merchant)
    const [browser, other] = [browserOf(world), browserOf(world)]
    const token = tokenOf((await browser.get(path)).text)!
    await other.get(path)

    for (const headers of [
      { origin: 'https://elsewhere.test' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await browser.post(path, { 'form-token': token }, headers)).status, JSON.stringify(headers)).toBe(403)
    expect((await other.post(path, { 'form-token': token })).status).toBe(403)
    expect((await browser.post(path)).status).toBe(403)
    world.passReally(12 * 3_600 + 1)
    expect((await browser.post(path, { 'form-token': token })).status).toBe(403)
    world.passReally(-12 * 3_600 - 1)
    expect((await browser.post(path, { 'form-token': token })).status).toBe(303)
  })

  it('is trying more often than ten times a minute', async () => {
    const strict = await newConsoleWorld({ CONSOLE_TRIES_PER_MINUTE: '10' })
    const browser = browserOf(strict)
    // However long they take on a busy machine, they are within the minute.
    const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (let i = 0; i < 10; i++)
      expect((await browser.get(`/console/sign-in/link/${'B'.repeat(42)}${i}`)).status).toBe(404)

    const eleventh = await browser.get(`/console/sign-in/link/${'B'.repeat(43)}`)
    expect([eleventh.status, eleventh.text.includes('Too many tries')]).toEqual([429, true])
    expect((await browser.get('/console/sign-in')).status).toBe(200)
    still.mockRestore()
    await strict.close()
  })

  it('is a passkey that nobody has, which is answered as one that somebody had', async () => {
    const browser = browserOf(world)
    const fields = { passkey: JSON.stringify({ id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {} }) }
    const unknown = await browser.send('/console/sign-in', '/console/sign-in/passkey', fields)
    const garbage = await browser.send('/console/sign-in', '/console/sign-in/passkey', { passkey: '{' })

    expect([unknown.status, garbage.status]).toEqual([403, 403])
    const apartFromTheId = ({ text }: { text: string }) => text.replace(/Debug id <code[^>]*>\w+/, '')
    expect(apartFromTheId(unknown)).toBe(apartFromTheId(garbage))
  })
})

describe('Somebody who is signed in', () => {
  const aliveFor = async (role: 'viewer' | 'operator', seconds: number) => {
    const person = await signedIn(world, role, role === 'viewer' ? merchant : undefined)
    world.passReally(seconds)
    const { status } = await person.get('/console/disputes')
    world.passReally(-seconds)
    return status === 200
  }

  it('stays so while they are there, and no longer than the table of times says', async () => {
    expect(await aliveFor('viewer', 12 * 3_600 - 5)).toBe(true)
    expect(await aliveFor('viewer', 12 * 3_600 + 5)).toBe(false)
    expect(await aliveFor('operator', 1_795)).toBe(true)
    expect(await aliveFor('operator', 1_805)).toBe(false)

    const busy = await signedIn(world, 'viewer', merchant)
    let hours = 0
    while (hours < 7 * 24 && (await busy.get('/console/disputes')).status === 200) {
      hours += 11
      world.passReally(11 * 3_600)
    }
    world.passReally(-hours * 3_600)
    expect(hours).toBeGreaterThanOrEqual(7 * 24)
  })

  it('is told of no login that ended because nobody was there', async () => {
    const person = await signedIn(world, 'operator')
    const again = browserOf(world)
    again.cookies.set('__Host-quittance', await newLogin(world, person.personId))
    world.passReally(1_700)
    await again.get('/console/operator')
    world.passReally(105)
    const [own, list] = [await again.get('/console/passkeys'), await again.get(`/console/people?q=${person.email}`)]
    world.passReally(-1_805)

    expect(own.text.match(/\/console\/logins\/[^"]*\/end"/g)).toHaveLength(1)
    expect(list.text).toContain('one login open')
  })

  it('sees which of their sign-ins this one is, and ends the other', async () => {
    const person = await signedIn(world, 'operator')
    const again = browserOf(world)
    again.cookies.set('__Host-quittance', await newLogin(world, person.personId))
    const { text } = await again.get('/console/passkeys')
    const rows = [...text.matchAll(/<tr>(?:(?!<\/tr>).)*(\/console\/logins\/[^"]*)/gs)]
    const others = rows.filter(([row]) => !row.includes('this one'))
    expect([rows.length, others.length]).toEqual([2, 1])

    await again.send('/console/passkeys', others[0]![1]!)
    expect((await again.get('/console/operator')).status).toBe(200)
    expect((await person.get('/console/operator')).status).toBe(303)
  })

  it('is nobody after signing out, also with a cookie that was copied before', async () => {
    const person = await signedIn(world, 'viewer', merchant)
    const thief = browserOf(world)
    thief.cookies.set('__Host-quittance', person.cookies.get('__Host-quittance')!)
    expect((await thief.get('/console/invoices')).status).toBe(200)

    const out = await person.send('/console/invoices', '/console/sign-out')
    expect([out.status, out.location]).toEqual([303, '/console/sign-in'])
    expect((await thief.get('/console/invoices')).status).toBe(303)
    expect((await person.get('/console/invoices')).status).toBe(303)
  })

  it('loses what is taken away at once, in every process', async () => {
    const second = await openApp({
      settings: world.app.service.settings,
      databaseUrl: world.databaseUrl,
      log: pino({ level: 'silent' }),
      ...patient,
    })
    const [viewer, support] = [await signedIn(world, 'viewer', merchant), await signedIn(world, 'support', merchant)]
    const elsewhere = async ({ cookies }: { cookies: Map<string, string> }, path: string) =>
      (
        await second.server.inject({
          url: path,
          headers: { cookie: `__Host-quittance=${cookies.get('__Host-quittance')}` },
        })
      ).statusCode
    expect([await elsewhere(viewer, '/console/invoices'), await elsewhere(support, '/console/invoices/new')]).toEqual([
      200, 200,
    ])

    await json(['console', 'sign-out', viewer.email], besides(world))
    await json(
      ['console', 'invite', '--role', 'viewer', '--account', merchant, '--email', support.email],
      besides(world),
    )

    expect(await elsewhere(viewer, '/console/invoices')).toBe(303)
    expect([await elsewhere(support, '/console/invoices'), await elsewhere(support, '/console/invoices/new')]).toEqual([
      200, 403,
    ])
    await json(['console', 'remove', support.email], besides(world))
    expect((await support.get('/console/invoices')).status).toBe(303)
    expect((await run(['console', 'remove', support.email], besides(world))).code).toBe(1)
    await second.close()
  })

  it('is let into no account that is suspended', async () => {
    const admin = await signedIn(world, 'admin', world.people.otherMerchant.id)
    expect((await admin.get('/console/invoices')).status).toBe(200)
    const change = (status: 'SUSPENDED' | 'ACTIVE') =>
      world.app.transact(async (tx) => {
        const account = (await findAccount(tx, world.people.otherMerchant.id))!
        saveAccount(tx, account, { ...account, status })
      })

    await change('SUSPENDED')
    expect((await admin.get('/console/invoices')).location).toContain('/console/sign-in')
    await change('ACTIVE')
    expect((await admin.get('/console/invoices')).status).toBe(200)
  })

  it('sends forms of their own login alone, for what they were drawn for, while they are young', async () => {
    const [one, other] = [await signedIn(world, 'support', merchant), await signedIn(world, 'support', merchant)]
    const path = '/console/invoices/new'
    const fields = formIn((await one.get(path)).text, path)!

    expect((await other.post(path, { ...fields, ...line })).status).toBe(403)
    expect((await one.post(path, line)).status).toBe(403)
    expect((await one.post('/console/sign-out', fields)).status).toBe(403)
    for (const headers of [{ origin: 'https://elsewhere.test' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await one.post(path, { ...fields, ...line }, headers)).status).toBe(403)
    world.passReally(12 * 3_600 - 30)
    expect((await one.get('/console/invoices')).status).toBe(200)
    world.passReally(60)
    expect((await one.post(path, { ...fields, ...line })).status).toBe(403)
    world.passReally(-12 * 3_600 - 30)
    expect((await one.post(path, { ...fields, ...line })).status).toBe(303)
  })

  it('finds what was typed again after signing in anew, and sends it then', async () => {
    const one = await signedIn(world, 'support', merchant)
    const path = '/console/invoices/new'
    const fields = formIn((await one.get(path)).text, path)!
    one.cookies.clear()
    const out = await one.post(path, { ...fields, ...line, '/detail/note': 'Typed for long' })
    const kept = (markup: string) => formIn(markup, path)?.['/detail/note'] === 'Typed for long'
    expect([out.status, out.text.includes('You are signed out'), kept(out.text)]).toEqual([403, true, true])

    const back = await signedIn(world, 'support', merchant)
    const asked = await back.post(path, { ...formIn(out.text, path) })
    expect([asked.status, kept(asked.text)]).toEqual([403, true])
    expect(asked.text).toContain('It is sent as <b>A support</b>, Support of <b>')
    const made = await back.post(path, { ...formIn(asked.text, path) })
    expect([made.status, made.location]).toEqual([303, expect.stringMatching(/^\/console\/invoices\/INV2/)])
  })

  it('is led back to a page as it was asked for', async () => {
    const stranger = browserOf(world)
    const backOf = async (path: string) =>
      new URL((await stranger.get(path)).location, 'https://console.test').searchParams.get('back')
    const asked = '/console/invoices?view=overdue&q=A+chair*'
    expect(await backOf(asked)).toBe(asked)
    expect((await stranger.get(`/console/sign-in?${new URLSearchParams({ back: asked })}`)).text).toContain(
      `name="back" value="${asked.replace('&', '&amp;')}"`,
    )
    // Too long to be carried along.
    expect(await backOf(`/console/invoices?q=${encodeURIComponent('株'.repeat(100))}`)).toBe('/console/invoices')
  })

  it('changes nothing at another account by a tab that was left at another account', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const second = world.people.otherMerchant.id
    await world.app.transact(async (tx) => grantRole(tx, admin.personId, { role: 'admin', account_id: second }))
    const path = '/console/invoices/new'
    const page = await admin.get(path)
    await admin.send('/console/invoices', '/console/place', { place: second })

    const asked = await admin.post(path, { ...formIn(page.text, path), ...line })
    expect([asked.status, asked.text.includes('Admin of <b>Second Sandbox Merchant</b>')]).toEqual([403, true])
    // What is about themselves they may do from any tab.
    expect((await admin.post('/console/sign-out', formIn(page.text, '/console/sign-out'))).status).toBe(303)
  })

  it('is asked again before what is grave, and nothing is changed until then', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const asked = await admin.send('/console/apps', '/console/apps', { name: 'Shop', 'feature-invoicing': 'true' })

    expect(asked.status).toBe(403)
    expect(asked.text).toContain('Is it you?')
    expect(formIn(asked.text, '/console/apps')).toMatchObject({ name: 'Shop', 'feature-invoicing': 'true' })
    expect((await admin.get('/console/apps')).text).not.toContain('<h2>Shop</h2>')
    await freshen(world)
    const made = await admin.send('/console/apps', '/console/apps', { name: 'Shop', 'feature-invoicing': 'true' })
    expect([made.status, made.text.includes('The new secret')]).toEqual([200, true])
    world.passReally(301)
    const late = await admin.send('/console/apps', '/console/apps', { name: 'Shop 2', 'feature-invoicing': 'true' })
    world.passReally(-301)
    expect(late.text).toContain('Is it you?')
  })

  it('is asked for files once more where a form brought some', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const fields = Object.entries({ ...formIn((await admin.get('/console/apps')).text, '/console/apps'), name: 'Shop' })
    const parts = [
      ...fields.map(([name, value]) => `name="${name}"\r\n\r\n${value}`),
      'name="file"; filename="slip.png"\r\ncontent-type: image/png\r\n\r\n\x89PNG',
    ]
    const asked = await world.call(
      'POST',
      '/console/apps',
      `${parts.map((part) => `--b\r\ncontent-disposition: form-data; ${part}\r\n`).join('')}--b--\r\n`,
      {
        headers: {
          host: 'console.test',
          origin: 'https://console.test',
          cookie: `__Host-quittance=${admin.cookies.get('__Host-quittance')}`,
          'content-type': 'multipart/form-data; boundary=b',
        },
      },
    )
    expect([asked.status, asked.text.includes('Is it you?')]).toEqual([403, true])
    expect(asked.text).toMatch(
      /<form [^>]*enctype="multipart\/form-data"[^>]*>[\s\S]*<input [^>]*type="file"[^>]* required>/,
    )
    expect(asked.text).toContain('slip.png')
  })

  it('gives back what the limit allows as support, and more than that as an admin who shows who it is', async () => {
    const api = await world.personWithApp(merchant, defaultScopes('BUSINESS', ['invoicing']))
    const usd = (value: string) => ({ currency_code: 'USD', value })
    const { body } = await api.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('2000.00') }],
    })
    const paid = await api.post(`/v2/invoicing/invoices/${body.id}/payments`, {
      method: 'CASH',
      amount: usd('2000.00'),
    })
    expect(paid.status, paid.text).toBe(200)
    const at = `/console/invoices/${body.id}`
    const refund = (browser: typeof support, value: string) =>
      browser.send(at, `${at}/record-refund`, { '/method': 'CASH', '/amount/value': value })
    const refunded = async () =>
      (await api.get<{ refunds?: { refund_amount: object } }>(`/v2/invoicing/invoices/${body.id}`)).body.refunds
        ?.refund_amount
    const support = await signedIn(world, 'support', merchant)
    const admin = await signedIn(world, 'admin', merchant)

    const [much, all, asked] = [
      await refund(support, '500.01'),
      await refund(support, ''),
      await refund(admin, '500.01'),
    ]

    expect([much.status, all.status, asked.status]).toEqual([403, 403, 403])
    expect(much.text).toMatch(keptIn(`${at}/record-refund`, '500.01'))
    expect(asked.text).toContain('Is it you?')
    expect(await refunded()).toBeUndefined()
    const little = await refund(support, '500.00')
    expect([little.status, little.location], little.text).toEqual([303, at])
    await freshen(world)
    expect((await refund(support, '500.01')).status).toBe(403)
    expect((await refund(admin, '500.01')).status).toBe(303)
    expect(await refunded()).toEqual(usd('1000.01'))
  })

  it('refunds a payment through the service within the same limit', async () => {
    const api = await world.personWithApp(merchant, defaultScopes('BUSINESS', ['invoicing']))
    const usd = (value: string) => ({ currency_code: 'USD', value })
    const { body } = await api.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }],
      items: [{ name: 'A table', quantity: '1', unit_amount: usd('2000.00') }],
    })
    await api.post(`/v2/invoicing/invoices/${body.id}/send`, {})
    const at = `/console/invoices/${body.id}`
    const action = `${at}/payments/${await payThrough(world, body.id)}/refund`
    const refund = (browser: typeof support, value: string) => browser.send(at, action, { '/amount/value': value })
    const [support, admin, viewer] = [
      await signedIn(world, 'support', merchant),
      await signedIn(world, 'admin', merchant),
      await signedIn(world, 'viewer', merchant),
    ]

    expect((await viewer.get(at)).text).not.toContain(action)
    const refused = [await refund(support, '500.01'), await refund(support, ''), await refund(admin, '')]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(refused[0]!.text).toMatch(keptIn(action, '500.01'))
    expect(refused[1]!.text).toContain('Support gives back 500 at most')
    expect(refused[2]!.text).toContain('Is it you?')
    expect((await refund(support, '500.00')).status).toBe(303)
    await freshen(world)
    expect((await refund(admin, '')).status).toBe(303)
    await world.settle()
    const shown = await api.get<{ refunds: { refund_amount: object } }>(`/v2/invoicing/invoices/${body.id}`)
    expect(shown.body.refunds.refund_amount).toEqual(usd('2000.00'))
  })

  it('offers and accepts no more than the limit allows, since an offer of all is paid at once', async () => {
    const usd = (value: string) => ({ currency_code: 'USD', value })
    const buyer = await world.personWithApp(world.people.buyer.id, defaultScopes('PERSONAL', ['disputes']))
    const { buyer_transaction_id } = await world.app.transact(async (tx) =>
      makeLedger(world.app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: merchant },
        buyer: { account_id: world.people.buyer.id },
        gross: usd('2000.00'),
      }),
    )
    const { body } = await buyer.post<{ links: { href: string }[] }>('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    })
    await world.settle()
    const at = `/console/disputes/${body.links[0]!.href.split('/').at(-1)}`
    const offer = (browser: typeof support, value: string) =>
      browser.send(at, `${at}/make-offer`, { '/offer_type': 'REFUND', '/offer_amount/value': value, '/note': 'Here.' })
    const [support, admin] = [await signedIn(world, 'support', merchant), await signedIn(world, 'admin', merchant)]

    const refused = [await offer(support, '2000.00'), await offer(support, '500.01'), await offer(admin, '2000.00')]

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(refused[0]!.text).toMatch(keptIn(`${at}/make-offer`, '2000.00'))
    expect(refused[0]!.text).toMatch(/<textarea [^>]*name="\/note"[^>]*>\s*Here\.</)
    expect(refused[2]!.text).toContain('Is it you?')
    const accept = (value: string) =>
      support.send(at, `${at}/accept-claim`, {
        '/accept_claim_type': 'PARTIAL_REFUND',
        '/refund_amount/value': value,
        '/note': 'All of it.',
      })
    const [much, all] = [await accept('500.01'), await accept('')]
    expect([much.status, all.status]).toEqual([403, 403])
    expect(much.text).toMatch(keptIn(`${at}/accept-claim`, '500.01'))
    expect(all.text).toContain('Support gives back 500 at most')
    expect((await offer(support, '500.00')).status).toBe(303)
  })

  it('finds a long form again whole, and sends it then', async () => {
    const one = await signedIn(world, 'support', merchant)
    const path = '/console/invoices/new'
    const lines = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        [`/items/${i}/name`, `Item ${i}`],
        [`/items/${i}/quantity`, '1'],
        [`/items/${i}/unit_amount/value`, '1.00'],
        [`/items/${i}/tax/percent`, ''],
      ]).flat(),
    )
    const parts = (fields: Readonly<Record<string, string>>) =>
      `${Object.entries(fields)
        .map(([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join('')}--b--\r\n`
    /** As a browser encodes the form that stands on a page. */
    const sendOn = (markup: string, more = {}) => {
      const fields = { ...formIn(markup, path), ...more }
      const isInParts = new RegExp(`<form [^>]*action="${path}"[^>]*enctype="multipart/form-data"`).test(markup)
      return isInParts
        ? one.postRaw(path, parts(fields), { 'content-type': 'multipart/form-data; boundary=b' })
        : one.post(path, fields)
    }
    const page = await one.get(path)
    world.passReally(12 * 3_600)
    const asked = await sendOn(page.text, { ...line, ...lines })
    world.passReally(-12 * 3_600)
    expect([asked.status, asked.text.includes('You are signed out')]).toEqual([403, true])

    const again = await sendOn(asked.text)
    expect([again.status, again.text.includes('Send it?')], again.text).toEqual([403, true])
    expect((await sendOn(again.text)).status).toBe(303)
  })
})

describe('A console with an address of its own', () => {
  it('takes the forms of its pages', async () => {
    const cell = await newConsoleWorld({ PUBLIC_URL: 'https://pay.test', CONSOLE_URL })
    try {
      const { path } = await invite(cell, 'admin', cell.people.merchant.id)
      const browser = browserOf(cell)
      await browser.signInBy(path)
      const made = await browser.send('/console/invoices/new', '/console/invoices/new', line)
      expect([made.status, made.location]).toEqual([303, expect.stringMatching(/^\/console\/invoices\/INV2-/)])
      const foreign = await browser.send('/console/invoices/new', '/console/invoices/new', line, {
        origin: 'https://other.test',
      })
      expect(foreign.status).toBe(403)
    } finally {
      await cell.close()
    }
  })
})

describe('The merchant’s pages in live', () => {
  it('price what is sold in the currency of the account', async () => {
    const account = world.people.otherMerchant.id
    await world.app.transact(async (tx) => {
      const before = (await findAccount(tx, account))!
      saveAccount(tx, before, { ...before, currency_code: 'EUR' })
    })
    const support = await signedIn(world, 'support', account)
    for (const path of ['/console/invoices/new', '/console/templates/new'])
      expect((await support.get(path)).text, path).toMatch(/name="[^"]*\/detail\/currency_code"[^>]* value="EUR"/)
    const { location } = await support.send('/console/invoices/new', '/console/invoices/new', {
      ...line,
      '/detail/currency_code': '',
    })
    expect((await support.get(location)).text).toContain('€99.00')
  })

  it('tell days as the account has them', async () => {
    const account = world.people.otherMerchant.id
    // One of these has another day than UTC at any hour.
    const zone = Number(world.now().slice(11, 13)) >= 10 ? 'Pacific/Kiritimati' : 'Pacific/Niue'
    const settings = { time_zone: zone, currency_code: 'USD' }
    await world.app.transact(async (tx) => {
      const before = (await findAccount(tx, account))!
      saveAccount(tx, before, { ...before, ...settings })
    })
    const support = await signedIn(world, 'support', account)
    const path = '/console/invoices/new'
    const made = await support.send(path, path, {
      ...line,
      '/primary_recipients/0/billing_info/email_address': 'payer@example.com',
      instead: 'send',
    })
    await payThrough(world, made.location.split('/').at(-1)!)
    const subjects = await newSubjects(world)
    await subjects.of('disputes', 'foreign', '')

    const today = dayIn(world.now(), zone)
    const { text } = await support.get(made.location)
    expect(text).toContain(`sent <time class="nowrap" datetime="${today}">`)
    expect(text).toContain(`paid through the service on ${today}.`)
    for (const page of ['/console/money', '/console/disputes?view=all']) {
      const shown = (await support.get(page)).text
      expect(shown, page).toContain(`<p class="axis"><span><time class="nowrap" datetime="${addDays(today, -29)}">`)
      // The last of thirty columns, each six wide.
      expect(shown, page).toContain('<rect class="fine" x="174"')
    }
  })

  it('tell whoever only looks who has taken a dispute', async () => {
    const subjects = await newSubjects(world)
    const { id } = await subjects.of('disputes', 'own', '')
    const [support, viewer] = [await signedIn(world, 'support', merchant), await signedIn(world, 'viewer', merchant)]
    const at = `/console/disputes/${id}`
    expect((await viewer.get(at)).text).toContain('Nobody has taken it.')
    await support.send(at, `${at}/take`)

    const { text } = await viewer.get(at)

    expect(text).toContain('Taken by <b>A support</b>')
    expect(text).not.toContain('Give it back')
  })

  it('are the account’s own, and what is done there is in the audit log under the person', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const written = await admin.send('/console/invoices/new', '/console/invoices/new', line)
    expect(written.status, written.text).toBe(303)
    expect(written.location).toMatch(/^\/console\/invoices\/INV2-/)
    for (const path of [
      '/console/invoices',
      written.location,
      '/console/disputes',
      '/console/webhooks',
      '/console/money',
    ])
      expect((await admin.get(path)).status, path).toBe(200)

    const sent = await admin.send(written.location, `${written.location}/send`, {})
    expect(sent.status, sent.text).toBe(303)
    const log = await json<{ actor: string; action: string; actor_name: string }[]>(
      ['audit', '--resource', written.location.split('/').at(-1)!],
      besides(world),
    )
    expect(log.map(({ actor, action }) => [actor, action])).toEqual([
      [`person:${admin.personId}`, 'sendInvoice'],
      [`person:${admin.personId}`, 'createInvoice'],
    ])

    const foreign = await signedIn(world, 'admin', world.people.otherMerchant.id)
    expect((await foreign.get(written.location)).status).toBe(404)
    expect((await foreign.get('/console/invoices')).text).not.toContain('A chair')
  })

  it('leave out what only a sandbox has', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    for (const path of [
      '/console/clock',
      '/console/scenarios',
      '/console/mail',
      '/console/requests',
      '/console/live',
      '/',
    ])
      expect((await admin.get(path)).status, path).toBe(404)
  })
})
