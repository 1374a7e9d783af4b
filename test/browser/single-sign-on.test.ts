import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsOf, openBrowser } from '../support/browser.ts'
import { CLIENT, startIssuer } from '../support/issuer.ts'
import { newLiveWorld } from '../support/live.ts'
import { flawsOf } from '../support/looks.ts'
import type { World } from '../support/world.ts'

let issuer: Awaited<ReturnType<typeof startIssuer>>
let world: World
let browser: Awaited<ReturnType<typeof openBrowser>>
let base: string
beforeAll(async () => {
  issuer = await startIssuer()
  const { people } = await import('../../src/sandbox/people.ts')
  // Of another site than the issuer, which is at 127.0.0.1.
  world = await newLiveWorld({
    ...{ HOST: 'localhost', CONSOLE_TRIES_PER_MINUTE: '0', SHUTDOWN_GRACE_SECONDS: '0' },
    CONSOLE_OIDC_ISSUER: issuer.url,
    CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
    CONSOLE_OIDC_ROLES: `shop:admin@${people.merchant.id}`,
    ...{ CONSOLE_OIDC_ALLOW_HTTP: 'true', CONSOLE_OIDC_ALLOW_PRIVATE: 'true' },
  })
  base = await world.app.listen()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await world.close()
  await issuer.close()
})

const groups = ['shop']

describe('Single sign-on in a browser', () => {
  it('leads to the issuer and back to the page that was asked for, and signing out leaves nothing to go back to', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    const complaints = complaintsOf(page)
    issuer.seat('ann', { claims: { groups } })

    await page.goto(`${base}/console/invoices?view=overdue`)
    expect(await flawsOf(page)).toEqual([])
    await page.getByRole('link', { name: `Continue with ${new URL(issuer.url).host}` }).click()
    await page.getByRole('link', { name: 'I am ann' }).click()
    await page.waitForURL(`${base}/console/invoices?view=overdue`)
    await page.getByRole('button', { name: 'Known as ann' }).click()
    await page.getByRole('link', { name: 'Passkeys and sign-ins' }).click()
    expect(await flawsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Known as ann' }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/console\/sign-in$/)

    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByText('Known as ann').count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('is asked for again beside a form that is grave, which is then sent with all that was typed', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    const old = Math.floor(Date.now() / 1000) - 3_600
    issuer.seat('eve', { claims: { groups, auth_time: old } })
    await page.goto(`${base}/console/apps`)
    await page.getByRole('link', { name: /^Continue with/ }).click()
    await page.getByRole('link', { name: 'I am eve' }).click()
    await page.getByLabel('Name').fill('Shop')
    await page.getByRole('button', { name: 'Make the app' }).click()
    await page.getByRole('heading', { name: 'Is it you?' }).waitFor()
    expect(await flawsOf(page)).toEqual([])

    issuer.seat('eve', { claims: { groups } })
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Continue with single sign-on' }).click()
    const beside = await opened
    await beside.getByRole('link', { name: 'I am eve' }).click()
    await beside.waitForURL(/\/console\/invoices$|\/console\/disputes$|\/console$/)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('It is sent as Known as eve').waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()

    await page.getByText('The new secret').waitFor()
    expect(await page.getByRole('heading', { name: 'Shop' }).count()).toBe(1)
    await context.close()
  })

  it('says why nobody was signed in, and leads back to the beginning', async () => {
    const context = await browser.context()
    const page = await context.newPage()
    issuer.seat('dan', { claims: { groups: ['others'] } })
    await page.goto(`${base}/console/sign-in`)
    await page.getByRole('link', { name: /^Continue with/ }).click()
    await page.getByRole('link', { name: 'I am dan' }).click()

    await page.getByText('You may not sign in here').waitFor()
    expect(await flawsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'To the beginning' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await context.close()
  })
})
