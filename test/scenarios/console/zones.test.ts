import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../../src/accounts/schema.ts'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { addAccount } from '../../../src/accounts/store.ts'
import { addDays, after, dayIn, instantOf } from '../../../src/kernel/clock.ts'
import { consoleOf } from '../../support/console.ts'
import { newConsoleWorld, payThrough, signedIn } from '../../support/live-console.ts'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

/** Where it is another day now than at Greenwich, for an hour at least. */
const zone = new Date().getUTCHours() < 11 ? 'Etc/GMT+12' : 'Pacific/Kiritimati'
const ACCOUNT = 'MERCHANTZZZZZ'

let world: World
let app: Person
beforeAll(async () => {
  world = await newConsoleWorld()
  const account = { ...world.people.merchant, id: ACCOUNT, email: 'far@example.test', time_zone: zone }
  await world.app.transact(async (tx) => addAccount(tx, { ...account, create_time: tx.now }))
  app = await world.personWithApp(ACCOUNT, defaultScopes('BUSINESS', features))
})
afterAll(() => world.close())

const today = () => dayIn(world.now(), zone)

describe('The days of a console are those of its account', () => {
  it('on an invoice: when it was sent, and when it was paid', async () => {
    const admin = await signedIn(world, 'admin', ACCOUNT)
    const { body } = await app.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
    })
    await app.post(`/v2/invoicing/invoices/${body.id}/send`, {})
    await payThrough(world, body.id)

    const { text } = await admin.get(`/console/invoices/${body.id}`)

    expect(text).toContain(`sent <time class="nowrap" datetime="${today()}">`)
    expect(text).toContain(`$9.00 paid through the service on ${today()}.`)
  })

  it('in the columns of money, as in the list below them', async () => {
    const other = `${ACCOUNT.slice(0, -1)}Y`
    const account = { ...world.people.merchant, id: other, email: 'farther@example.test', time_zone: zone }
    await world.app.transact(async (tx) => addAccount(tx, { ...account, create_time: tx.now }))
    const midnight = instantOf(today(), zone, { hour: 0 })
    for (const [i, time] of [after(midnight, -60), after(midnight, 60)].entries())
      await world.app.database.query(
        `insert into ledger_entries (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time)
         select $1, 'ZONED' || $2, line, case line when 1 then 'balance' else 'service' end, 'USD',
           case line when 1 then 100 else -100 end, 'OTHER', 'x', false, $3 from generate_series(1, 2) as line`,
        [other, i, time],
      )
    const viewer = await signedIn(world, 'viewer', other)

    const { text } = await viewer.get('/console/money')

    const columns = [...text.matchAll(/<rect class="fine" x="(\d+)"/g)].map(([, x]) => Number(x))
    expect(columns).toEqual([28 * 6, 29 * 6])
    expect(text).toContain(`<p class="axis"><span><time class="nowrap" datetime="${addDays(today(), -29)}">`)
    expect(text.match(/<tr class="group">/g)).toHaveLength(2)
  })

  it('in what is sent again: from the morning on', async () => {
    const admin = await signedIn(world, 'admin', ACCOUNT)
    const hook = await app.post<{ id: string }>('/v1/notifications/webhooks', {
      url: 'https://hooks.test/far',
      event_types: [{ name: '*' }],
    })

    const { text } = await admin.get(`/console/webhooks/${hook.body.id}`)

    expect(text).toContain(`name="from" maxlength="40" value="${today()} 00:00:00"`)
    expect(text).toContain(`name="to" maxlength="40" value="${today()} `)
  })

  it('in a span that is sent again: it is typed, shown and read in their hours', async () => {
    const other = `${ACCOUNT.slice(0, -1)}X`
    const account = { ...world.people.merchant, id: other, email: 'new-york@example.test' }
    await world.app.transact(async (tx) =>
      addAccount(tx, { ...account, time_zone: 'America/New_York', create_time: tx.now }),
    )
    const admin = await signedIn(world, 'admin', other)
    const listener = await world.personWithApp(other, defaultScopes('BUSINESS', features))
    const url = 'https://hooks.test/new-york'
    const hook = { url, event_types: [{ name: '*' }] }
    const at = `/console/webhooks/${(await listener.post<{ id: string }>('/v1/notifications/webhooks', hook)).body.id}/replay`
    const shown = async (from: string, to: string) => {
      const { text } = await admin.get(`${at}?${new URLSearchParams({ from, to })}`)
      const [, ...spanned] =
        /<p class="sub">.*?, <time datetime="([^"]+)".*?>([^<]+)<\/time> to <time datetime="([^"]+)"/.exec(text)!
      return { spanned, typed: /id="span-from"[^>]* value="([^"]*)"/.exec(text)![1] }
    }

    expect(await shown('2026-03-02 09:00', '2026-03-02T10:00:30')).toEqual({
      spanned: ['2026-03-02T14:00:00.000Z', '2 Mar, 09:00', '2026-03-02T15:00:30.000Z'],
      typed: '2026-03-02 09:00',
    })
    expect((await shown('2026-03-02T09:00:00Z', '2026-03-02T10:00:00+01:00')).spanned[2]).toBe(
      '2026-03-02T09:00:00.000Z',
    )
    // Clocks are set back at two: between one and then is an hour that they show twice, and all of it is meant.
    expect((await shown('2026-11-01 01:00', '2026-11-01 01:59:59')).spanned).toEqual([
      ...['2026-11-01T05:00:00.000Z', '1 Nov, 01:00', '2026-11-01T06:59:59.000Z'],
    ])
  })

  it('and its years: what was decided this year is told until the year ends there', async () => {
    const sandbox = await newWorld()
    const lost = await open(sandbox.buyer)
    await does(sandbox.buyer, lost, 'escalate', { note: 'Nobody answers.' })
    await sandbox.pass('P60D')
    const moved = (to: string) => sandbox.call('POST', '/sandbox/clock', { to })
    const desk = () => consoleOf(sandbox).page('/console/disputes')

    // The sandbox's merchant is in Los Angeles.
    await moved('2027-01-01T07:59:00.000Z')
    expect(await desk()).toContain('Decided for you')
    await moved('2027-01-01T08:01:00.000Z')
    expect(await desk()).not.toContain('Decided for you')
    await sandbox.close()
  })
})
