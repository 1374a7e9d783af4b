import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../../src/accounts/schema.ts'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { isOfAccount, type Role } from '../../../src/console/roles.ts'
import { RequestCounts } from '../../../src/http/request-counts.ts'
import { after } from '../../../src/kernel/clock.ts'
import { version } from '../../../src/version.ts'
import { SigningKeys } from '../../../src/webhooks/signing/keys.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import { type Browser, freshen, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import { Receiver } from '../../support/receiver.ts'
import { patient, type World } from '../../support/world.ts'

let world: World
let operator: Browser
const as = (role: Role) => signedIn(world, role, isOfAccount(role) ? world.people.merchant.id : undefined)
beforeAll(async () => {
  world = await newConsoleWorld({ WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' })
  operator = await as('operator')
  await freshen(world)
})
afterAll(() => world.close())

const at = '/console/operator'
const page = async (path: string, status = 200) => {
  const answer = await operator.get(path)
  expect(answer.status, `${path}: ${answer.text.slice(0, 500)}`).toBe(status)
  return answer.text
}
const audit = () => page(`${at}/audit`)

describe('Whoever runs the service', () => {
  it('sees how it is doing, and is led there', async () => {
    expect((await operator.get('/console')).location).toBe(at)
    const text = await page(at)
    for (const words of [
      'Oldest due work',
      'No job is parked',
      'Nothing waits for a decision',
      'Every receiver answers',
    ])
      expect(text).toContain(words)
    expect(await page(`${at}/deliveries`)).toContain('Slow or failing')
    for (const [q, to] of [
      ['CERT-27b002c0-9f5cbc11', `${at}/keys`],
      ['books@example.test', `${at}/accounts?q=books%40example.test`],
    ] as const)
      expect((await operator.get(`/console/search?q=${q}`)).location).toBe(to)
  })

  it('sees how many processes there are, and how many requests all of them answered within an hour', async () => {
    const requests = new RequestCounts(world.app.database, world.app.clock, (error) => expect.fail(String(error)))
    for (let n = 0; n < 98; n++) requests.answered(200, 4)
    requests.answered(422, 40)
    requests.answered(500, 3_000)
    await requests.write()
    await requests.write()
    requests.answered(200, 1)
    await requests.write()

    const text = await page(at)
    expect(text).toMatch(
      /Requests, last hour<\/dt><dd>1\d\d<small>half under 5 ms, 99 % under 50 ms; <span class="warn">1 failed/,
    )
    expect(text).toMatch(new RegExp(`One process answers requests and does what is due, on version ${version}`))
    const old = after(world.app.clock.now(), -3 * 3_600)
    await world.app.database.query('update request_counts set from_time = $1', [old])
    expect(await page(at)).toMatch(/Requests, last hour<\/dt><dd>0</)
  })

  it('is told of exactly a thousand, and of more than a thousand where there are', async () => {
    const fields = { '/kind': 'BUSINESS', '/name': 'A thousand', '/email': 'thousand@example.test' }
    const { location } = await operator.send(`${at}/accounts`, `${at}/accounts`, fields)
    const id = location.split('/').at(-1)!
    const seller = await world.personWithApp(id, defaultScopes('BUSINESS', features))
    const admin = await signedIn(world, 'admin', id)
    const write = () => seller.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    const told = async () => [
      /Invoices<\/dt><dd>([^<]*)</.exec(await page(location))?.[1],
      /<h1>([^<]*)</.exec((await admin.get('/console/invoices/all')).text)?.[1],
      /newest 1000 of them/.test((await admin.get('/console/invoices/all')).text),
    ]
    await write()
    // The same again and again: to write all of them would take a minute.
    await world.app.database.query(
      `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams)
       select account_id, id || '-' || n, body, create_time, 'again ' || n, amount_minor, emails, grams
       from invoices, generate_series(1, 999) as n where account_id = $1`,
      [id],
    )

    const before = await told()
    await write()

    expect(before).toEqual(['1000', '1000 invoices match', false])
    expect(await told()).toEqual(['more than 1000', 'More than 1000 invoices match', true])
  })

  it('makes accounts and apps, sets their language, suspends them after asking, and looks as them', async () => {
    const fields = {
      '/kind': 'BUSINESS',
      '/name': 'Example <b>Books</b>',
      '/email': 'books@example.test',
      '/time-zone': 'Europe/Berlin',
    }
    const wrong = await operator.send(`${at}/accounts`, `${at}/accounts`, { ...fields, '/time-zone': 'Nowhere' })
    expect([wrong.status, wrong.text.includes('id="new-account-time-zone-problem"')]).toEqual([422, true])
    const { location } = await operator.send(`${at}/accounts`, `${at}/accounts`, fields)
    expect(location).toMatch(/^\/console\/operator\/accounts\/\w+$/)
    expect((await operator.send(`${at}/accounts`, `${at}/accounts`, fields)).status).toBe(422)
    expect(await page(`${at}/accounts?q=books@`)).toContain('Example &lt;b&gt;Books&lt;/b&gt;')
    expect(await page(`${at}/accounts?q=${location.split('/').at(-1)}`)).toContain('books@example.test')
    expect(await page(`${at}/accounts?q=nobody`)).toContain('No account by that name')

    const made = await operator.send(location, `${location}/apps`, { '/name': 'Till', '/invoicing': 'true' })
    const [, clientId, secret] = /Client id.*?data-value>([^<]+)<.*?Secret.*?data-value>([^<]+)</s.exec(made.text)!
    await world.tokenFor(clientId!, secret!)
    expect(await page(location)).not.toContain(secret)
    await operator.send(location, `${location}/language`, { language: 'de' })
    expect(await page(location)).toContain('<dd>German</dd>')

    await operator.send(`${location}/suspend`, `${location}/suspend`)
    await expect(world.tokenFor(clientId!, secret!)).rejects.toThrow()
    await operator.send(location, `${location}/activate`)
    await world.tokenFor(clientId!, secret!)
    expect(await page(`${at}/accounts/NOBODY`, 404)).toContain('Nothing here')
    expect((await operator.send(location, '/console/look-as')).status).toBe(303)
    expect((await operator.get('/console/invoices')).text).toContain('can change nothing')
    await operator.send('/console/invoices', '/console/look-as/stop')
    expect(await audit()).toMatch(/A operator<\/b>.*?suspend account/s)
    // People by name, and things by theirs with the id beside.
    expect(await page(at)).toMatch(
      new RegExp(
        `Done by people.*A operator</b> \\w+ account.*Example &lt;b&gt;Books&lt;/b&gt;.*${location.split('/').at(-1)}`,
        's',
      ),
    )
  })

  it('tries parked jobs again, one or all that match, and drops one after asking', async () => {
    const park = (name: string) =>
      world.app.database.query(
        `insert into jobs (name, payload, run_at, parked_time, attempts, last_error, create_time)
         values ($1, '{"x":"<script>"}', $2, $2, 14, 'Error: 550 <script>no mailbox', $2)`,
        [name, world.now()],
      )
    for (const name of ['mail', 'mail', 'sweep-nothing']) await park(name)
    const list = await page(`${at}/jobs`)
    expect(list).toContain('Retry all 3 that match')
    expect(list).toContain('550 &lt;script&gt;no mailbox')
    const [, one] = /action="([^"]+\/jobs\/\d+)\/retry"/.exec(list)!

    expect((await operator.send(`${at}/jobs`, `${one}/retry`)).status).toBe(303)
    await page(`${one}/drop`, 404)
    expect(await page(`${at}/jobs?name=mail`)).not.toContain('that match')
    const [, left] = /href="([^"]+\/jobs\/\d+)\/drop"/.exec(await page(`${at}/jobs?name=mail`))!
    expect((await operator.send(`${left}/drop`, `${left}/drop`)).status).toBe(303)
    await park('sweep-nothing')
    await operator.send(`${at}/jobs`, `${at}/jobs/retry`)
    expect(await page(`${at}/jobs`)).toContain('No job is parked')
    for (let n = 0; n < 30; n++) await park(n === 29 ? 'sweep-nothing' : 'mail')
    const first = await page(`${at}/jobs`)
    const [, next] = /href="([^"]+\?after=[^"]+)"/.exec(first)!
    const ids = [first, await page(next!)].map((text) => text.match(/\/jobs\/\d+\/retry/g)!)
    expect(ids.map(({ length }) => length)).toEqual([25, 5])
    expect(new Set(ids.flat()).size).toBe(30)
    expect((await page(`${at}/jobs?name=sweep-nothing`)).match(/\/jobs\/\d+\/retry/g)).toHaveLength(1)
    await world.app.database.query(`delete from jobs where name in ('mail', 'sweep-nothing')`)
    expect(await audit()).toContain('drop job')
  })

  it('replaces the signing key, and withdraws an earlier one after asking', async () => {
    expect(await page(`${at}/keys`)).toContain('No key yet')
    const { service, database } = world.app
    const seal = makeSeal(service.settings.secrets!)
    const first = await new SigningKeys(database, seal, service, patient.newKeyPair).current()

    expect((await operator.send(`${at}/keys`, `${at}/keys/rotate`)).status).toBe(303)
    const list = await page(`${at}/keys`)
    expect(list).toMatch(/signs now.*still served/s)
    const [, withdraw] = /href="([^"]+\/withdraw)"/.exec(list)!
    expect(withdraw).toContain(first.id)
    expect((await operator.send(withdraw!, withdraw!)).status).toBe(303)
    expect(await page(`${at}/keys`)).toContain('withdrawn')
    const [, now] = /(CERT-[\da-f-]+)(?:(?!CERT-).)*signs now/s.exec(await page(`${at}/keys`))!
    await page(`${at}/keys/${now}/withdraw`, 422)
  })

  it('sees a day of deliveries, those that arrived and those that failed', async () => {
    const app = await world.personWithApp(world.people.merchant.id, defaultScopes('BUSINESS', features))
    const receiver = await Receiver.open()
    receiver.answers('/down', { status: 500 })
    for (const url of [receiver.url(), receiver.url('/down')]) {
      const wish = { url, event_types: [{ name: '*' }] }
      const made = await app.post<{ id: string }>('/v1/notifications/webhooks', wish)
      const event = { webhook_id: made.body.id, event_type: 'INVOICING.INVOICE.PAID' }
      expect((await app.post('/v1/notifications/simulate-event', event)).status, made.text).toBe(202)
    }
    await world.settle()
    for (const path of [`${at}/deliveries`, at])
      await expect
        .poll(() => page(path))
        .toMatch(/aria-label="A day of deliveries: 1 arrived, 1 attempts? failed, 1 waiting">.*<rect class="bad"/s)
    // Which of them it is, how it answers, and what share of its deliveries failed.
    for (const path of [`${at}/deliveries`, at])
      expect(await page(path)).toMatch(/\/down<\/a><small>answers 500<\/small>.*<span class="warn">100 %<\/span>/s)
    await receiver.close()
  })

  it('reads in the audit log who did what, and finds all of one thing', async () => {
    const [, who] = /href="(\/console\/operator\/audit\?actor=person[^"]+)"/.exec(await audit())!
    const theirs = await page(who!.replaceAll('&amp;', '&'))
    expect(theirs).toContain('create account')
    expect(theirs).not.toContain('console invite')
    expect(await page(`${at}/audit?resource=nothing`)).toContain('Nothing was done')
    await page(`${at}/audit?after=never`, 400)
  })
})

describe('Nobody else', () => {
  it('has any of it', async () => {
    for (const role of ['admin', 'agent'] as const) {
      const other = await as(role)
      for (const path of ['', '/accounts', '/jobs', '/keys', '/audit', '/deliveries'])
        expect((await other.get(at + path)).status, `${role} ${path}`).toBe(403)
    }
    expect((await (await as('agent')).get(`${at}/decisions`)).status).toBe(200)
  })
})
