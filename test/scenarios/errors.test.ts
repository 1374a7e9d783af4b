import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../src/cli/run.ts'
import { unknownVariables } from '../../src/settings.ts'
import { newWorld, type World } from '../support/world.ts'
import { does, open } from './disputes/people.ts'

interface Refusal {
  readonly name: string
  readonly details: { issue: string; code?: string; description: string; location: string; field?: string }[]
  readonly links: { rel: string; href: string }[]
  readonly information_link?: string
}

describe('A refusal', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())
  const refusal = async (call: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await call
    return { status, ...(body as Refusal), detail: (body as Refusal).details[0]! }
  }

  // biome-ignore format: a table reads best as a table
  it.each([
    ['/v2/invocing/invoices',                     'Did you mean /v2/invoicing/invoices?'],
    ['/v2/invoicing/invoice/INV2-1/remind',       'Did you mean /v2/invoicing/invoices/INV2-1/remind?'],
    ['/v1/customer/disputes/PP-D-1/accept_claims', 'Did you mean /v1/customer/disputes/PP-D-1/accept-claim?'],
    ['/invoicing/invoices',                       'Did you mean /v2/invoicing/invoices?'],
    ['/customer/disputes/',                       'Did you mean /v1/customer/disputes?'],
    ['/wp-login.php',                             '/docs lists all operations.'],
  ])('of %s says that there is no such operation: %s', async (path, suggestion) => {
    const { status, detail } = await refusal(world.merchant.get(path))

    expect([status, detail.issue, detail.location]).toEqual([404, 'NO_SUCH_OPERATION', 'path'])
    expect(detail.description).toContain(suggestion)
  })

  it('says that a header is at fault when it is', async () => {
    const create = (headers: Record<string, string>) =>
      refusal(world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } }, { headers }))

    expect((await create({ 'service-request-id': 'x'.repeat(200) })).detail).toMatchObject({
      field: 'Request-Id',
      location: 'header',
    })
    expect((await create({ 'service-auth-assertion': 'x' })).detail.location).toBe('header')
    expect((await create({ authorization: 'Bearer A21AAx' })).detail.location).toBe('header')
    expect((await refusal(world.buyer.get('/v2/invoicing/invoices'))).detail.location).toBe('header')
  })

  // biome-ignore format: a table reads best as a table
  it.each([
    ['/v1/customer/disputes?page_size=51',                     'page_size'],
    ['/v1/customer/disputes?page=51',                          'page'],
    ['/v1/customer/disputes?start_time=yesterday',             'start_time'],
    ['/v1/customer/disputes?dispute_state=LOST',               'dispute_state'],
    ['/v1/customer/disputes?update_time_after=2020-01-01T00:00:00Z', 'update_time_after'],
    ['/v1/customer/disputes?next_page_token=abc',              'next_page_token'],
    ['/v1/notifications/webhooks-events?start_time=yesterday', 'start_time'],
  ])('of %s says that the query is at fault', async (path, field) => {
    expect((await refusal(world.merchant.get(path))).detail).toMatchObject({ field, location: 'query' })
  })

  it('links to the operation in the documents', async () => {
    const { links } = await refusal(world.merchant.get('/v2/invoicing/invoices/INV2-XXXX-XXXX-XXXX-XXXX'))
    const reference = (await world.call('GET', '/docs')).text

    const [, operation] = links[0]!.href.split('/docs/')
    expect(reference).toContain(`id="${operation}"`)
  })

  it('of a webhook has the body that docs/errors.md shows', async () => {
    const hook = { url: 'htp://127.0.0.1/hook', event_types: [{ name: '*' }] }

    const { details, information_link } = await refusal(world.merchant.post('/v1/notifications/webhooks', hook))

    expect(details).toEqual([
      {
        field: 'url',
        code: expect.any(String),
        issue: 'The address must begin with https:// or http://.',
        location: 'body',
      },
    ])
    expect(information_link).toMatch(/\/docs\/\w+$/)
  })
})

describe('A dispute that does not take an action', () => {
  it('says so in words that its caller can see, with where it stands and what it takes', async () => {
    const world = await newWorld()
    const id = await open(world.buyer)

    const { status, body } = await does(world.merchant, id, 'acknowledge-return-item', {
      note: 'It came back.',
      acknowledgement_type: 'ITEM_RECEIVED',
    })

    expect(status).toBe(422)
    const { description } = body.details[0]!
    expect(description).toMatch(/requires .*a return that was sent/)
    expect(description).toMatch(
      /It is WAITING_FOR_SELLER_RESPONSE in the stage INQUIRY, and takes .*make-offer.* now\.$/,
    )
    expect(description).not.toMatch(/\bflow\b|\bACK\b|finality|supersede/)
    await world.close()
  })
})

describe('The command line', () => {
  const run = async (words: string[], variables: Record<string, string> = {}) => {
    const said: string[] = []
    const code = await runCommand(words, variables, { out: () => {}, err: (text) => void said.push(text) })
    return [code, said.join('')]
  }

  it('says what a misspelt flag, command or value should be', async () => {
    expect(await run(['start', '--prot', '1'])).toEqual([
      2,
      expect.stringMatching(/no flag --prot\. Did you mean --port\?/),
    ])
    expect(await run(['acounts', 'list'])).toEqual([2, expect.stringContaining('Did you mean accounts list?')])
    expect(await run(['start', '--port'])).toEqual([2, 'quittance: The flag --port needs a value.\n'])
    expect(await run(['accounts', 'list', '--json=yes'])).toEqual([2, 'quittance: The flag --json takes no value.\n'])
  })

  it('says which variables have no effect', () => {
    const said = unknownVariables({ QUITTANCE_DATADIR: 'x', QUITTANCE_PORT: '1', QUITTANCE_SECRET: 'y', OTHER: 'z' })

    expect(said).toEqual([
      'QUITTANCE_DATADIR is not a setting and has no effect. Did you mean QUITTANCE_DATA_DIR?',
      'QUITTANCE_PORT is not a setting and has no effect. Did you mean PORT?',
    ])
  })
})
