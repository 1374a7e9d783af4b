import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../../src/database/address.ts'
import { json, run } from '../../support/command.ts'
import { tokenOver } from '../../support/process.ts'
import { newWorld, START, usd, type World } from '../../support/world.ts'

let world: World

const anInvoice = {
  detail: { currency_code: 'USD' },
  items: [{ name: 'A chair', quantity: '1', unit_amount: usd('10.00') }],
}

beforeAll(async () => {
  world = await newWorld({ works: true, settings: { FORKS_MAX: '1' } })
})
afterAll(() => world.close())

const invoices = async () =>
  (await world.merchant.get<{ items: { id: string }[] }>('/v2/invoicing/invoices')).body.items.map(({ id }) => id)
const newInvoice = async () => (await world.merchant.post<{ id: string }>('/v2/invoicing/invoices', anInvoice)).body.id
const save = (name: string) => world.call('POST', '/sandbox/snapshots', { name })
const load = (name: string) => world.call('POST', `/sandbox/snapshots/${name}/load`)
const names = async () =>
  (await world.call<{ snapshots: { name: string }[] }>('GET', '/sandbox/snapshots')).body.snapshots.map(
    ({ name }) => name,
  )

describe('Snapshots', () => {
  it('bring back what was there, the clock included, and keep access tokens', async () => {
    const first = await newInvoice()
    const before = await world.merchant.get(`/v2/invoicing/invoices/${first}`)

    expect(await save('one-invoice')).toMatchObject({ status: 201, body: { name: 'one-invoice', now: START } })
    const second = await newInvoice()
    await world.pass('P3D')
    world.buyer.signOut()
    await world.buyer.get('/v1/customer/disputes')
    expect(await load('one-invoice')).toMatchObject({ status: 200, body: { name: 'one-invoice', now: START } })

    expect(await invoices()).toEqual([first])
    expect((await world.merchant.get(`/v2/invoicing/invoices/${first}`)).body).toEqual(before.body)
    expect(await world.merchant.get(`/v2/invoicing/invoices/${second}`)).toMatchObject({ status: 404 })
    expect((await world.call('GET', '/sandbox/clock')).body).toEqual({ now: START, frozen: true })
    // The token was made after the snapshot.
    expect(await world.buyer.get('/v1/customer/disputes')).toMatchObject({ status: 200 })
  })

  it('can be loaded again and again, and written over, and hold what was answered up to then', async () => {
    await save('again')
    const added = await newInvoice()
    await load('again')
    expect(await invoices()).not.toContain(added)

    const kept = await newInvoice()
    await save('again')
    await world.call('POST', '/sandbox/reset')
    await load('again')
    const query = { text: kept }
    const { body } = await world.call<{ requests: object[] }>('GET', '/sandbox/requests', undefined, { query })
    expect(body.requests).toHaveLength(1)
    expect(await invoices()).toContain(kept)
    expect(await names()).toEqual(['one-invoice', 'again'])
  })

  it('are taken while requests come in, and fail none of them', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => world.merchant.post('/v2/invoicing/invoices', anInvoice)),
      save('busy'),
      ...Array.from({ length: 20 }, () => world.merchant.get('/v2/invoicing/invoices')),
    ])
    expect(answers.filter(({ status }) => status >= 400).map(({ text }) => text)).toEqual([])
  })

  it('are loaded while requests come in, and whoever has a token that is newer keeps it', async () => {
    await save('older')
    const answers: number[] = []
    let isOver = false
    const callers = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        // Known by its token alone: nothing of it is remembered.
        world.app.forgetTokens()
        world.merchant.signOut()
        answers.push((await world.merchant.get('/v2/invoicing/invoices')).status)
        answers.push((await world.merchant.post('/v2/invoicing/invoices', anInvoice)).status)
      }
    })
    for (let n = 0; n < 2; n++) expect((await load('older')).status).toBe(200)
    isOver = true
    await Promise.all(callers)

    expect(new Set(answers)).toEqual(new Set([200, 201]))
  })

  it('make way for others of their name, unless those are to replace nothing', async () => {
    const first = (await save('taken')).body
    const again = await world.call<{ details: object[] }>('POST', '/sandbox/snapshots', {
      name: 'taken',
      replace: false,
    })
    expect([again.status, again.body.details[0]]).toMatchObject([422, { issue: 'SNAPSHOT_EXISTS', field: '/name' }])
    const { body } = await world.call<{ snapshots: object[] }>('GET', '/sandbox/snapshots')
    expect(body.snapshots).toContainEqual(first)
    expect((await save('taken')).status).toBe(201)
    await world.call('DELETE', '/sandbox/snapshots/taken')
  })

  it('are deleted, and unknown ones are not found', async () => {
    expect(await world.call('DELETE', '/sandbox/snapshots/busy')).toMatchObject({ status: 204 })
    expect(await names()).not.toContain('busy')
    for (const answer of [await load('busy'), await world.call('DELETE', '/sandbox/snapshots/busy')])
      expect(answer).toMatchObject({ status: 404 })
    expect(await save('no/slashes')).toMatchObject({ status: 400 })
  })
})

describe('A fork', () => {
  it('begins as the same world, and neither sees what happens in the other', async () => {
    const shared = await newInvoice()
    const { status, body: fork } = await world.call<{ name: string; url: string }>('POST', '/sandbox/forks')
    expect(status).toBe(201)
    const token = await tokenOver(fork.url)
    const forked = async () => {
      const response = await fetch(`${fork.url}/v2/invoicing/invoices?page_size=100`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return ((await response.json()) as { items: { id: string }[] }).items.map(({ id }) => id)
    }

    const ours = await newInvoice()
    await fetch(`${fork.url}/sandbox/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"advance":"P1D"}',
    })

    expect(await forked()).toContain(shared)
    expect(await forked()).not.toContain(ours)
    expect((await world.call<{ now: string }>('GET', '/sandbox/clock')).body.now).toBe(START)
    expect((await world.call('GET', '/sandbox/forks')).body).toEqual({ forks: [fork] })
    expect(await world.call('POST', '/sandbox/forks'), 'one more than FORKS_MAX').toMatchObject({
      status: 422,
      body: { details: [{ issue: 'FORK_LIMIT_EXCEEDED' }] },
    })
    expect(await world.call('DELETE', `/sandbox/forks/${fork.name}`)).toMatchObject({ status: 204 })
    await expect(fetch(fork.url)).rejects.toThrow()
  })
})

describe('The commands', () => {
  it('keep, list, bring back and delete states, make and end forks, and start over', async () => {
    const url = await world.app.listen()
    const command = async (...words: string[]) => {
      const { code, stdout, stderr } = await run([...words, '--url', url, '--json'], {})
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return JSON.parse(stdout) as { name: string; url: string }
    }
    const before = await invoices()

    expect(await command('snapshot', 'save', 'by-hand')).toMatchObject({ name: 'by-hand', now: START })
    await command('reset', '--keep-webhooks')
    expect(await invoices()).toEqual([])
    await command('snapshot', 'load', 'by-hand')
    expect(await invoices()).toEqual(before)
    expect(await command('snapshot', 'list')).toContainEqual(expect.objectContaining({ name: 'by-hand' }))
    await command('snapshot', 'delete', 'by-hand')
    const fork = await command('fork')
    expect(await command('fork', '--list')).toEqual([fork])
    await command('fork', '--end', fork.name)

    expect(await run(['snapshot', 'load', 'by-hand', '--url', url], {})).toMatchObject({ code: 1 })
  })
})

describe('Access tokens', () => {
  it.each([
    ['goes back to a snapshot', () => load('before-the-end')],
    ['begins anew', () => world.call('POST', '/sandbox/reset')],
  ])('stay ended, or valid, when the sandbox %s', async (_, goBack) => {
    const client = 'sandbox-merchant-2'
    const answers = (tokens: readonly string[]) =>
      Promise.all(
        tokens.map(async (token) => {
          const headers = { authorization: `Bearer ${token}` }
          return (await world.app.server.inject({ method: 'GET', url: '/v2/invoicing/invoices', headers })).statusCode
        }),
      )
    await save('before-the-end')
    const ended = await world.tokenFor(client)
    for (const deed of ['suspend', 'activate'])
      await json(['accounts', deed, world.people.otherMerchant.id], { DATABASE_URL: world.databaseUrl })
    const tokens = [ended, await world.tokenFor(client)]
    expect(await answers(tokens)).toEqual([401, 200])

    expect((await goBack()).status).toBe(200)

    expect(await answers(tokens)).toEqual([401, 200])
  })
})

describe('A role that may not make databases', () => {
  it('is told what right is missing, and everything else goes on', async () => {
    const modest = await newWorld({ through: async (straight) => ({ databaseUrl: await asModestRole(straight) }) })

    for (const [path, body] of [
      ['/sandbox/snapshots', { name: 'mine' }],
      ['/sandbox/forks', {}],
    ] as const) {
      const { status, body: problem } = await modest.call<{ details: { issue: string; description: string }[] }>(
        'POST',
        path,
        body,
      )
      expect({ status, ...problem.details[0] }).toMatchObject({ status: 422, issue: 'COPIES_NOT_ALLOWED' })
      expect(problem.details[0]!.description).toContain('alter role')
    }

    expect(await modest.merchant.get('/v2/invoicing/invoices')).toMatchObject({ status: 200 })
    await modest.close()
  })
})

/** The address of the same database for a role that may only use what is in it. */
async function asModestRole(straight: string): Promise<string> {
  const settings = connectionSettings(straight)
  const admin = new pg.Client(settings)
  await admin.connect()
  await admin.query(`
    do $$ begin create role quittance_modest login password 'modest'; exception when duplicate_object then null; end $$;
    grant all on all tables in schema public to quittance_modest;
    grant all on all sequences in schema public to quittance_modest`)
  await admin.end()
  if (!straight.startsWith('socket:')) {
    const address = new URL(straight)
    address.username = 'quittance_modest'
    address.password = 'modest'
    return address.href
  }
  const { host, port, database } = settings
  return `postgres://quittance_modest@/${database}?host=${encodeURIComponent(host!)}&port=${port}`
}
