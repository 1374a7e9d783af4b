import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, openBrowser } from '../support/browser.ts'
import { json } from '../support/command.ts'
import { newLiveWorld } from '../support/live.ts'
import { besides } from '../support/live-console.ts'
import { flawsOf } from '../support/looks.ts'
import { payloads } from '../support/payloads.ts'
import type { World } from '../support/world.ts'

let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let base: string
beforeAll(async () => {
  // The name under which browsers take a page without TLS for safe, and the only one that passkeys know.
  world = await newLiveWorld({ HOST: 'localhost', CONSOLE_TRIES_PER_MINUTE: '0', SHUTDOWN_GRACE_SECONDS: '0' })
  base = await world.app.listen()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

const invite = async (role: string, name = `A ${role}`, email = `${role}@example.test`) => {
  const account = role === 'operator' || role === 'agent' ? [] : ['--account', world.people.merchant.id]
  const words = ['console', 'invite', '--role', role, '--email', email, '--name', name, ...account]
  return (await json<{ link: string }>(words, besides(world, { PUBLIC_URL: base }))).link
}

/** A key that confirms whatever it is asked, as a finger on it would. */
async function withAuthenticator(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return session
}

async function signInBy(context: BrowserContext, link: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(/\/console\/passkeys$/)
  return page
}

describe('Signing in with a browser', () => {
  it('makes a passkey by a link, signs in with it, and asks for it again before what is grave', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    await withAuthenticator(page)
    await page.goto(await invite('admin'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByText('The passkey was made.').waitFor()

    await page.getByRole('button', { name: 'A admin' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/console\/sign-in$/)
    await page.goto(`${base}/console/money`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(/\/console$|\/console\/money$/)
    expect(page.url()).toBe(`${base}/console/money`)

    world.passReally(600)
    await page.goto(`${base}/console/apps`)
    await page.getByLabel('Name').fill('Shop')
    await page.getByRole('button', { name: 'Make the app' }).click()
    await page.getByRole('heading', { name: 'Is it you?' }).waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('The new secret').waitFor()
    world.passReally(-600)
    // A refusal is an answer of its own, which the browser tells of.
    expect(complaints.filter((text) => !/status of 403/.test(text))).toEqual([])
    await context.close()
  })

  it('leaves the menu beside a name on a phone, however long that is', async () => {
    for (const [role, name] of [
      ['agent', 'Jo'],
      ['support', 'Bartholomäus Freiherr von und zu Hohenlohe-Waldenburg'],
    ] as const) {
      const context = await browser.context({ viewport: { width: 360, height: 740 } })
      const page = await signInBy(context, await invite(role, name, `phone-${role}@example.test`))
      const [account, burger] = await Promise.all(
        ['.account button', '.burger'].map(async (one) => (await page.locator(one).boundingBox())!),
      )
      const middle = burger!.y + burger!.height / 2
      expect([name, account!.y < middle, middle < account!.y + account!.height]).toEqual([name, true, true])
      expect(account!.x + account!.width).toBeLessThanOrEqual(burger!.x)
      await context.close()
    }
  })

  it('refuses the answer of a passkey that was given before', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    await withAuthenticator(page)
    await page.goto(await invite('viewer'))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Make a passkey' }).click()
    await page.getByText('The passkey was made.').waitFor()
    await page.goto(`${base}/console/sign-in`)
    const sent = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/sign-in/passkey'))
    const cookies = await context.cookies()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    const form = (await sent).postData()!
    await page.waitForURL(/\/console\/invoices$/)

    const again = await world.call('POST', '/console/sign-in/passkey', form, {
      headers: {
        origin: base,
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    expect(again.status).toBe(403)
    expect(cookies.find(({ name }) => name === '__Host-quittance')).toMatchObject({
      ...{ secure: true, httpOnly: true, sameSite: 'Lax', path: '/' },
    })
    await context.close()
  })

  it('works by link without scripts', async () => {
    const context = await browser.context({ javaScriptEnabled: false })
    const page = await signInBy(context, await invite('support'))
    await page.goto(`${base}/console`)
    expect(new URL(page.url()).pathname).toBe('/console/disputes')
    await page.goto(`${base}/console/invoices/new`)
    await page.getByLabel('Item 1', { exact: true }).fill('A chair')
    await context.close()
  })

  it('loses nothing of what is typed when the login ends meanwhile', async () => {
    const context = await browser.context()
    const page = await signInBy(context, await invite('support'))
    await page.goto(`${base}/console/invoices/new`)
    await page.getByLabel('Item 1', { exact: true }).fill('A chair')
    await page.getByLabel('Price').first().fill('120.50')
    await page.locator('[data-preview]', { hasText: '$120.50' }).waitFor()
    await context.clearCookies()
    const asked = page.waitForResponse((one) => one.url().endsWith('/console/invoices/new'))
    await page.getByLabel('Item 1', { exact: true }).fill('A table')
    await asked
    // Nothing of the ways in stands where the paper stands.
    expect(await page.locator('[data-preview]').innerText()).toContain('$120.50')
    await page.getByRole('button', { name: 'Save as a draft' }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    expect(await flawsOf(page)).toEqual([])

    const beside = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await (await beside).waitForURL(/\/console\/sign-in$/)
    await signInBy(context, await invite('support'))
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('It is sent as A support').waitFor()
    expect(await flawsOf(page)).toEqual([])
    // What waits on a page that is closed is offered by the next one.
    const other = await context.newPage()
    await other.goto(`${base}/console/invoices/new`)
    await other.getByRole('button', { name: 'Put it back' }).waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.waitForURL(/\/console\/invoices\/INV2/)
    expect(await page.getByText('A table').count()).toBeGreaterThan(0)
    await other.goto(`${base}/console/invoices/new`)
    expect(await other.getByRole('button', { name: 'Put it back' }).count()).toBe(0)
    await context.close()
  })

  it.each(['Sign out', 'Sign out everywhere'])(
    'leaves nothing that was typed for whoever comes after: %s',
    async (way) => {
      const context = await browser.context()
      const page = await signInBy(context, await invite('support'))
      await page.goto(`${base}/console/invoices/new`)
      await page.getByLabel('Item 1', { exact: true }).fill('A secret table')
      await page.goto(`${base}/console/passkeys`)
      await page.getByRole('button', { name: 'A support' }).click()
      await page.getByRole('button', { name: way, exact: true }).click()
      await page.waitForURL(/\/console\/sign-in$/)
      expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}')
      await context.close()
    },
  )

  it('has pages that are readable by everybody, fit every window and complain of nothing', async () => {
    const context = await browser.context()
    const link = await invite('operator', payloads[0] ?? 'Somebody')
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    const look = async (path: string, status = 200) => {
      const response = await page.goto(base + path)
      expect(response!.status(), path).toBe(status)
      expect(await page.locator('h1').count(), path).toBe(1)
      expect(await flawsOf(page), path).toEqual([])
    }
    await look('/console/sign-in')
    await look(new URL(link).pathname)
    await page.getByRole('button', { name: 'Sign in' }).click()
    for (const path of ['/console/passkeys', '/console/people']) await look(path)
    await look(new URL(link).pathname, 410)
    expect(complaints.filter((text) => !/status of 410/.test(text))).toEqual([])
    await context.close()
  })
})
