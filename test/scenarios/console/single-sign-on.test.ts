import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loggedError } from '../../../src/kernel/error-text.ts'
import { json, run } from '../../support/command.ts'
import { CLIENT, type Said, startIssuer } from '../../support/issuer.ts'
import { besides, browserOf, formIn, newConsoleWorld } from '../../support/live-console.ts'
import type { World } from '../../support/world.ts'

let issuer: Awaited<ReturnType<typeof startIssuer>>
let world: World
beforeAll(async () => {
  issuer = await startIssuer()
  world = await newConsoleWorld({
    CONSOLE_PASSKEYS: 'off',
    CONSOLE_OIDC_ISSUER: issuer.url,
    CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
    CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
    CONSOLE_OIDC_ROLES: `ops:operator,desk:agent,shop:support@${await merchantId()},lost:admin@NOBODY`,
    CONSOLE_OIDC_ALLOW_HTTP: 'true',
    CONSOLE_OIDC_ALLOW_PRIVATE: 'true',
  })
})
afterAll(async () => {
  await world.close()
  await issuer.close()
})

const merchantId = async () => (await import('../../../src/sandbox/people.ts')).people.merchant.id

/** Goes to the issuer and comes back with what it says. */
async function comesBack(subject: string, groups: unknown, said: Said = {}, browser = browserOf(world), again = false) {
  await browser.get('/console/sign-in')
  const there = await browser.get(`/console/sign-in/oidc?back=%2Fconsole%2Fdisputes${again ? '&again=yes' : ''}`)
  const back = issuer.authorize(there.location, subject, { ...said, claims: { groups, ...said.claims } })
  return { browser, there: new URL(there.location), back, answer: await browser.get(back) }
}

describe('Single sign-on', () => {
  it('asks with PKCE, state and nonce, and signs in whom the issuer vouches for, as what their groups say', async () => {
    const { browser, there, back, answer } = await comesBack('ann', ['shop', 'other'])

    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      code_challenge_method: 'S256',
      scope: 'openid profile email groups',
      redirect_uri: 'https://console.test/console/sign-in/oidc/callback',
    })
    expect([answer.status, answer.location]).toEqual([303, '/console/disputes'])
    const page = await browser.get('/console/disputes')
    expect(page.text).toContain('Known as ann')
    expect((await browser.get('/console/apps')).status).toBe(403)
    expect((await browser.get(back)).status).toBe(403)
    const [row] = (await json<{ roles: string[]; issuer: string }[]>(['console', 'people'], besides(world))).filter(
      ({ issuer: one }) => one === issuer.url,
    )
    expect(row!.roles).toEqual([`support@${world.people.merchant.id}`])
    // A table has a column for whatever some of them have.
    const first = ['--role', 'operator', '--email', 'a@example.test', '--name', 'A']
    expect(await run(['console', 'invite', ...first], besides(world, { CONSOLE_PASSKEYS: 'on' }))).toMatchObject({
      code: 0,
    })
    expect((await run(['console', 'people'], besides(world))).stdout).toMatch(/^person_id .* issuer$/m)
  })

  it('makes of somebody what their groups say now', async () => {
    const first = await comesBack('ben', ['desk'])
    expect((await first.browser.get('/console/disputes')).text).toContain('Dispute agent')
    const second = await comesBack('ben', 'ops')
    expect((await second.browser.get('/console/people')).status).toBe(200)

    const third = await comesBack('ben', [])
    expect([third.answer.status, third.answer.text.includes('You may not sign in here')]).toEqual([403, true])
    expect((await comesBack('ben', ['lost'])).answer.status).toBe(403)
  })

  it.each([[[]], [['lost']]])(
    'takes the places of somebody away, where they are signed in too, once their groups are %j',
    async (groups) => {
      const { browser } = await comesBack('fay', ['ops'])
      expect((await browser.get('/console/people')).status).toBe(200)
      expect((await comesBack('fay', groups)).answer.status).toBe(403)

      expect((await browser.get('/console/people')).status).not.toBe(200)
      const people = await json<{ name: string; roles: string[] }[]>(['console', 'people'], besides(world))
      expect(people.filter(({ name }) => name === 'Known as fay').flatMap(({ roles }) => roles)).toEqual([])
    },
  )

  const now = () => Math.floor(Date.now() / 1000)
  it.each([
    ['a nonce of another', { claims: { nonce: 'another' } }],
    ['another issuer in the token', { claims: { iss: 'https://elsewhere.test' } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['a token that ran out', { claims: { exp: now() - 120, iat: now() - 200 } }],
    ['a signature of another key', { isForged: true }],
    ['another issuer on the way back', { back: { iss: 'https://elsewhere.test' } }],
    ['a state of its own', { back: { state: 'x'.repeat(200) } }],
    ['a code of its own', { back: { code: 'x'.repeat(32) } }],
    ['an error', { back: { error: 'access_denied' } }],
  ] satisfies [string, Said][])('refuses %s', async (_, said) => {
    const { browser, answer } = await comesBack('cat', ['ops'], said)

    expect(answer.status).toBe(403)
    expect((await browser.get('/console/disputes')).status).toBe(303)
  })

  it('takes an answer in the browser that asked, and soon', async () => {
    const { there } = await comesBack('dan', ['desk'])
    const other = browserOf(world)
    await other.get('/console/sign-in')
    expect((await other.get(issuer.authorize(there.href, 'dan', { claims: { groups: ['desk'] } }))).status).toBe(403)

    const late = browserOf(world)
    await late.get('/console/sign-in')
    const at = (await late.get('/console/sign-in/oidc')).location
    world.passReally(601)
    const answer = await late.get(issuer.authorize(at, 'dan', { claims: { groups: ['desk'] } }))
    world.passReally(-601)
    expect(answer.status).toBe(403)
  })

  it('is what is asked for again before something grave', async () => {
    const old = { claims: { auth_time: now() - 3_600 } }
    const { browser } = await comesBack('eve', ['ops'], old)
    const remove = () => browser.send(`/console/people/${other}/remove`, `/console/people/${other}/remove`)
    const people = await json<{ person_id: string; name: string }[]>(['console', 'people'], besides(world))
    const other = people.find(({ name }) => name === 'Known as ann')!.person_id
    const asked = await remove()
    expect([asked.status, asked.text.includes('/console/sign-in/oidc?again=yes')]).toEqual([403, true])
    // The page keeps the form while they sign in beside it.
    expect(formIn(asked.text, `/console/people/${other}/remove`)).toBeDefined()

    const stale = await comesBack('eve', ['ops'], old, browser, true)
    expect([stale.answer.status, stale.there.searchParams.get('prompt')]).toEqual([403, 'login'])
    await comesBack('eve', ['ops'], {}, browser, true)
    expect((await remove()).status).toBe(303)
    expect((await comesBack('ann', ['shop'])).answer.status).toBe(403)
  })

  it('leaves no other way in, and links are not made', async () => {
    const { text } = await browserOf(world).get('/console/sign-in')
    expect(text).not.toContain('passkey')
    expect((await browserOf(world).get(`/console/sign-in/link/${'A'.repeat(43)}`)).status).toBe(404)
    const words = ['console', 'invite', '--role', 'operator', '--email', 'a@example.test']
    const { code, stderr } = await run(words, besides(world, { CONSOLE_PASSKEYS: 'off' }))
    expect([code, stderr]).toEqual([1, expect.stringContaining('single sign-on only')])
  })

  it('calls the issuer by the guarded door, and says in the log why it cannot', async () => {
    const lines: string[] = []
    const guarded = await newConsoleWorld(
      {
        CONSOLE_OIDC_ISSUER: issuer.url,
        CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
        CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
        CONSOLE_OIDC_ALLOW_HTTP: 'true',
      },
      { log: pino({ level: 'warn', serializers: { err: loggedError } }, { write: (line) => void lines.push(line) }) },
    )
    const before = issuer.calls.length
    const browser = browserOf(guarded)
    await browser.get('/console/sign-in')
    expect((await browser.get('/console/sign-in/oidc')).status).toBe(503)
    expect(issuer.calls.length).toBe(before)
    expect(lines.join('')).toContain('127.0.0.1 is not a public address')
    await guarded.close()
  })
})
