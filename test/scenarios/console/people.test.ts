import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPerson, grantRole } from '../../../src/console/sign-in/people.ts'
import { json } from '../../support/command.ts'
import {
  besides,
  browserOf,
  force,
  formIn,
  freshen,
  givePasskey,
  invite,
  newConsoleWorld,
  signedIn,
} from '../../support/live-console.ts'
import type { World } from '../../support/world.ts'

let world: World
let merchant: string
let post: SMTPServer
let letters: string[]
beforeAll(async () => {
  letters = []
  post = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    async onData(stream, _session, done) {
      let text = ''
      for await (const chunk of stream) text += chunk
      letters.push(text)
      done()
    },
  })
  await new Promise<void>((resolve) => post.listen(0, '127.0.0.1', resolve))
  world = await newConsoleWorld({
    SMTP_URL: `smtp://127.0.0.1:${(post.server.address() as AddressInfo).port}`,
    SMTP_ALLOW_PRIVATE: 'true',
    SMTP_ALLOW_PLAIN: 'true',
    CONSOLE_NAME: 'Example Pay',
  })
  merchant = world.people.merchant.id
})
afterAll(async () => {
  await world.close()
  await new Promise<void>((resolve) => post.close(resolve))
})

/** What somebody sees so many seconds from now. */
async function lateBy<Seen>(seconds: number, look: () => Promise<Seen>): Promise<Seen> {
  world.passReally(seconds)
  try {
    return await look()
  } finally {
    world.passReally(-seconds)
  }
}

const linkIn = (text: string) => /https:\/\/console\.test(\/console\/sign-in\/link\/[\w-]+)/.exec(text)?.[1]

describe('A page of a refusal', () => {
  it.each([
    ['get', '/console/people', 403],
    ['get', '/console/invoices/INV2-AAAA-AAAA-AAAA-AAAA', 404],
    ['post', '/console/sign-in/link/none', 403],
  ] as const)(
    'looks as whoever reads it chose, and names the console and the request: %s %s',
    async (way, path, expected) => {
      const viewer = await signedIn(world, 'viewer', merchant)
      viewer.cookies.set('console-theme', 'dark')

      const { status, text, headers } = await viewer[way](path)

      expect(status).toBe(expected)
      expect(text).toContain('<html lang="en" data-theme="dark">')
      expect(text).toContain(' · Example Pay</title>')
      expect(text).toContain(`Debug id <code class="mono">${headers['service-debug-id']}</code>`)
    },
  )
})

describe('The keys of a live console', () => {
  it('lead to the pages that somebody has, and to none of a sandbox', async () => {
    const viewer = await signedIn(world, 'viewer', merchant)
    const agent = await signedIn(world, 'agent')

    const { text } = await viewer.get('/console/invoices')

    expect([...text.matchAll(/data-key="(\w)"/g)].map(([, key]) => key)).toEqual(['i', 'd', 'w'])
    expect(text).toContain('<kbd>g, then i d w</kbd></dt><dd>invoices, disputes, webhooks</dd>')
    expect((await agent.get('/console/operator/decisions')).text).not.toContain('g, then')
  })
})

describe('The people of an account', () => {
  it('are invited by a link to hand over, or by mail, and their roles change at once', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    await freshen(world)
    const shown = await admin.send('/console/people', '/console/people', {
      email: 'new@example.test',
      name: 'New <b>Person</b>',
      role: 'support',
    })
    expect([shown.status, shown.text.includes('New &lt;b&gt;Person')]).toEqual([200, true])
    const person = browserOf(world)
    await person.signInBy(linkIn(shown.text)!)
    expect((await person.get('/console/invoices/new')).status).toBe(200)
    expect((await person.get('/console/people')).status).toBe(403)

    const [listed] = (
      await json<{ person_id: string; email: string }[]>(['console', 'people', '--account', merchant], besides(world))
    ).filter(({ email }) => email === 'new@example.test')
    const at = `/console/people/${listed!.person_id}`
    expect((await admin.send('/console/people', `${at}/role`, { role: 'viewer' })).status).toBe(303)
    expect((await person.get('/console/invoices')).status).toBe(303)

    const mailed = await admin.send('/console/people', '/console/people', {
      ...{ email: 'far@example.test', name: 'Far', role: 'viewer', mail: 'true' },
    })
    expect([mailed.status, mailed.location]).toEqual([303, '/console/people'])
    await world.settle()
    expect(letters.at(-1)).toMatch(/^Subject: Sign in to Example Pay/m)
    const far = browserOf(world)
    await far.signInBy(linkIn(letters.at(-1)!.replaceAll('=\r\n', ''))!)
    expect((await far.get('/console/invoices')).text).toContain('Far')

    const page = await admin.get('/console/people')
    expect(page.text).toContain('Change the role of a person')
    expect(page.text).toContain('<title>People · Example Pay</title>')
    const log = await json<{ actor_name: string }[]>(['audit', '--resource', listed!.person_id], besides(world))
    expect(log.at(0)).toMatchObject({ action: 'consoleChangeRole', actor_name: 'A admin' })
  })

  it('are invited again when their link ran out, and only while that is their only way in', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    await freshen(world)
    const typed = { email: 'late@example.test', name: 'Late', role: 'viewer' }
    await admin.send('/console/people', '/console/people', typed)
    const people = await json<{ person_id: string; email: string }[]>(
      ['console', 'people', '--account', merchant],
      besides(world),
    )
    const at = `/console/people/${people.find(({ email }) => email === typed.email)!.person_id}`

    const again = await admin.send('/console/people', `${at}/invite`)
    await world.settle()

    expect([again.status, again.location]).toEqual([303, '/console/people'])
    expect(letters.at(-1)).toMatch(/^To: late@example.test/m)
    const late = browserOf(world)
    await late.signInBy(linkIn(letters.at(-1)!.replaceAll('=\r\n', ''))!)
    expect((await late.get('/console/invoices')).status).toBe(200)
    expect((await admin.get('/console/people')).text).not.toContain(`action="${at}/invite"`)

    const { personId } = await invite(world, 'viewer', merchant, 'both@example.test')
    await invite(world, 'admin', world.people.otherMerchant.id, 'both@example.test')
    expect((await admin.send('/console/people', `/console/people/${personId}/invite`)).status).toBe(403)

    const holder = await invite(world, 'viewer', merchant)
    await givePasskey(world, holder.personId)
    const refused = await force(world, admin, `/console/people/${holder.personId}/invite`)
    expect([refused.status, refused.text.includes('They can sign in already')]).toEqual([403, true])
  })

  it('are nobody to the admin of another account, and nobody is made more than the account has', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const foreign = await signedIn(world, 'viewer', world.people.otherMerchant.id)
    const operator = await signedIn(world, 'operator')
    await freshen(world)
    const fields = formIn((await admin.get('/console/people')).text, '/console/people')!
    const invited = (more: Record<string, string>) =>
      admin.post('/console/people', { ...fields, email: 'x@example.test', name: 'X', ...more })

    expect((await invited({ role: 'operator' })).status).toBe(422)
    expect((await invited({ role: 'agent' })).status).toBe(422)
    const elsewhere = await invited({ role: 'viewer', account: world.people.otherMerchant.id })
    const person = browserOf(world)
    await person.signInBy(linkIn(elsewhere.text)!)
    expect((await person.get('/console/invoices')).text).toContain(world.people.merchant.name)
    for (const { personId } of [foreign, operator, admin])
      for (const what of ['role', 'sign-out', 'remove']) {
        const path = `/console/people/${personId}/${what}`
        expect((await force(world, admin, path, { role: 'viewer' })).status, path).toBe(404)
      }
    const everybody = (await operator.get('/console/people')).text
    const { id, name } = world.people.otherMerchant
    expect(everybody).toContain(`of <a href="/console/operator/accounts/${id}">${name}</a>`)
    const self = everybody.slice(everybody.indexOf(operator.email))
    expect(self).toMatch(/^[^<]*one login open<(?:(?!<\/tr>).)*<time/s)
    await world.app.database.query(
      `insert into console_people (id, name, email, create_time)
       select 'PER-MANY' || n, 'One of many', 'Many' || n || '@example.test', $1 from generate_series(1, 60) as n`,
      [world.now()],
    )
    const found = await operator.get('/console/people?q=many')
    const [, next] = /href="(\/console\/people\?q=many&amp;after=[^"]+)"/.exec(found.text)!
    const rest = await operator.get(next!.replaceAll('&amp;', '&'))
    const ids = [found, rest].map(({ text }) => text.match(/PER-MANY\d+\/remove/g)!)
    expect([ids.map(({ length }) => length), new Set(ids.flat()).size]).toEqual([[50, 10], 60])
    expect((await operator.get('/console/people?q=nobody')).text).toContain('Nobody by that name')
    await world.app.database.query(`delete from console_people where id like 'PER-MANY%'`)
  })

  it('who share an address with somebody who is more elsewhere get a link to themselves alone', async () => {
    const operator = await invite(world, 'operator', undefined, 'boss@example.test')
    const admin = await signedIn(world, 'admin', merchant)
    await freshen(world)
    const made = await admin.send('/console/people', '/console/people', {
      ...{ email: 'boss@example.test', name: 'Boss', role: 'viewer' },
    })
    const person = browserOf(world)
    await person.signInBy(linkIn(made.text)!)

    expect((await person.get('/console')).location).toBe('/console/invoices')
    const ids = (await json<{ person_id: string; email: string }[]>(['console', 'people'], besides(world)))
      .filter(({ email }) => email === 'boss@example.test')
      .map(({ person_id }) => person_id)
    expect(new Set(ids).size).toBe(2)
    expect(ids).toContain(operator.personId)
  })

  it('who are invited to more on the command line leave behind what was made under their address before', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    await freshen(world)
    const made = await admin.send('/console/people', '/console/people', {
      ...{ email: 'later@example.test', name: 'Later', role: 'viewer' },
    })
    const taken = browserOf(world)
    await taken.signInBy(linkIn(made.text)!)
    const named = async () =>
      (
        await json<{ person_id: string; email: string; passkeys: number; roles: string[] }[]>(
          ['console', 'people'],
          besides(world),
        )
      ).filter(({ email }) => email === 'later@example.test')
    await givePasskey(world, (await named())[0]!.person_id)

    const { path } = await invite(world, 'operator', undefined, 'later@example.test')

    expect(await named()).toMatchObject([{ passkeys: 0, roles: expect.arrayContaining(['operator']) }])
    expect((await taken.get('/console/operator')).location).toContain('/console/sign-in')
    const later = browserOf(world)
    await later.signInBy(path)
    expect((await later.get('/console/operator')).status).toBe(200)
    // Another link to what they are already ends nothing.
    await givePasskey(world, (await named())[0]!.person_id)
    await invite(world, 'operator', undefined, 'later@example.test')
    expect([(await named())[0]!.passkeys, (await later.get('/console/operator')).status]).toEqual([1, 200])
  })

  it('are invited again when they came by a link and made no passkey while they could', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const { path, personId } = await invite(world, 'viewer', merchant)
    await browserOf(world).signInBy(path)
    const offered = async () => (await admin.get('/console/people')).text.includes(`${personId}/invite"`)

    const [soon, late] = [await offered(), await lateBy(15 * 60, offered)]

    expect([soon, late]).toEqual([false, true])
  })

  it('are listed page by page, whatever stands in an address', async () => {
    const admin = await signedIn(world, 'admin', world.people.otherMerchant.id)
    await world.app.transact(async (tx) => {
      for (let i = 100; i < 155; i++) {
        const id = addPerson(tx, { name: 'Many', email: `many~${i}@example.test` })
        grantRole(tx, id, { role: 'viewer', account_id: world.people.otherMerchant.id })
      }
    })
    const emailsOn = (text: string) => [...text.matchAll(/many~\d+@example\.test/g)].map(([email]) => email)
    const first = (await admin.get('/console/people?q=many')).text
    const older = /href="([^"]*)" rel="next"/.exec(first)![1]!.replaceAll('&amp;', '&')

    const second = await admin.get(older)

    expect(second.status).toBe(200)
    expect(new Set([...emailsOn(first), ...emailsOn(second.text)]).size).toBe(55)
  })
})

describe('An operator', () => {
  it('sees an account as its people do, is told so on every page, and changes nothing there', async () => {
    const admin = await signedIn(world, 'admin', merchant)
    const line = {
      '/detail/currency_code': 'USD',
      '/items/0/name': 'A lamp',
      '/items/0/quantity': '1',
      '/items/0/unit_amount/value': '5.00',
    }
    const { location } = await admin.send('/console/invoices/new', '/console/invoices/new', line)
    const operator = await signedIn(world, 'operator')
    expect((await operator.get('/console/invoices')).status).toBe(403)

    const token = formIn((await operator.get('/console/disputes')).text, '/console/sign-out')!
    expect((await operator.post('/console/look-as', { ...token, account: merchant })).status).toBe(403)
    expect((await force(world, operator, '/console/look-as', { account: merchant })).location).toBe('/console')
    const page = await operator.get(location)
    expect([page.status, page.text.includes('can change nothing')]).toEqual([200, true])
    expect(formIn(page.text, `${location}/send`)).toBeUndefined()
    expect((await operator.get('/console/invoices/new')).status).toBe(403)
    expect((await operator.get('/console/people')).status).toBe(403)
    const log = await json<{ actor: string; action: string }[]>(['audit', '--resource', merchant], besides(world))
    expect(log[0]).toMatchObject({ actor: `person:${operator.personId}`, action: 'consoleLookAs' })

    await operator.send(location, '/console/look-as/stop')
    expect((await operator.get(location)).status).toBe(403)
  })

  it('looks at no account that they did not ask for, so that every look is in the audit log', async () => {
    const [one, another] = [await signedIn(world, 'operator'), await signedIn(world, 'operator')]
    await force(world, one, '/console/look-as', { account: merchant })
    expect((await one.get('/console/invoices')).status).toBe(200)

    another.cookies.set('console-look', merchant)
    expect((await another.get('/console/invoices')).status).toBe(403)
    another.cookies.set('console-look', one.cookies.get('console-look')!)
    expect((await another.get('/console/invoices')).status).toBe(403)
  })
})
