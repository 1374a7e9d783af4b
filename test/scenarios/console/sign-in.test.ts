import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { json } from '../../support/command.ts'
import { besides, browserOf, invite, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import type { World } from '../../support/world.ts'

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

describe('The merchant’s pages in live', () => {
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
