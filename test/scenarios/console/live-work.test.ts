import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { features } from '../../../src/accounts/schema.ts'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import { newSubjects } from '../../support/console-subjects.ts'
import { force, formIn, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import { type Person, usd, type World } from '../../support/world.ts'

const MANY = 23

let world: World
let app: Person
let subjects: Awaited<ReturnType<typeof newSubjects>>
beforeAll(async () => {
  world = await newConsoleWorld()
  subjects = await newSubjects(world)
  app = await world.personWithApp(world.people.merchant.id, defaultScopes('BUSINESS', features))
  for (let i = 0; i < MANY; i++) {
    const { body } = await app.post<{ id: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD', reference: `ORDER ${i}` },
      primary_recipients: [{ billing_info: { email_address: 'buyer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('9.00') }],
    })
    await app.post(`/v2/invoicing/invoices/${body.id}/send`, {})
  }
})
afterAll(() => world.close())

describe('Something that is done to many', () => {
  it('is left to a job, each done once and under the name of whoever asked', async () => {
    const { id } = world.people.merchant
    const [support, viewer, operator] = [
      await signedIn(world, 'support', id),
      await signedIn(world, 'viewer', id),
      await signedIn(world, 'operator'),
    ]
    expect((await force(world, viewer, '/console/invoices/remind-all', { view: 'outstanding' })).status).toBe(403)
    const all = '/console/invoices/all?view=outstanding'
    expect((await viewer.get(all)).text).not.toContain('Send reminders')
    const started = await support.send(all, '/console/invoices/remind-all')
    expect(started.status).toBe(303)
    expect((await viewer.get(started.location)).text).toContain(`0 of ${MANY}`)

    await world.settle()

    expect((await viewer.get(started.location)).text).toMatch(
      new RegExp(`All were gone through.*${MANY} of ${MANY}`, 's'),
    )
    const audit = await operator.get('/console/operator/audit')
    expect(audit.text.match(/A support<\/b>/g)!.length).toBeGreaterThan(MANY)
    const { body } = await app.get<{ items: { id: string }[] }>('/v2/invoicing/invoices')
    expect(body.items.length).toBeGreaterThan(0)
  })

  it('is asked for so often and no more', async () => {
    const viewer = await signedIn(world, 'viewer', world.people.merchant.id)
    const answers: number[] = []
    // However long they take on a busy machine.
    const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (let i = 0; i < 25; i++) answers.push((await viewer.get('/console/invoices/csv')).status)
    still.mockRestore()
    expect(answers.at(-1)).toBe(429)
    expect(answers[0]).toBe(200)
  })
})

describe('A dispute that somebody has taken', () => {
  it('is taken by nobody else, and given back by no page that was drawn before', async () => {
    const account = world.people.merchant.id
    const { id } = await subjects.of('disputes', 'own', '')
    const at = `/console/disputes/${id}`
    const [support, admin] = [await signedIn(world, 'support', account), await signedIn(world, 'admin', account)]
    const early = formIn((await support.get(at)).text, `${at}/take`)!
    await admin.send(at, `${at}/take`)
    const noticeOf = ({ headers }: { headers: Record<string, unknown> }) =>
      decodeURIComponent(/console-refusal=([^;]*)/.exec(String(headers['set-cookie']))?.[1] ?? '')

    expect(noticeOf(await support.post(`${at}/take`, early))).toBe('Somebody was faster: A admin has taken it.')
    expect((await support.get(at)).text).toContain('Taken by <b>A admin</b>')

    const drawn = formIn((await support.get(at)).text, `${at}/give-back`)!
    await admin.send(at, `${at}/give-back`)
    await support.send(at, `${at}/take`)
    expect(
      noticeOf(await admin.post(`${at}/give-back`, { ...(await tokensOf(admin, at)), from: drawn['from']! })),
    ).toBe('Nothing was changed: A support has taken it meanwhile.')
    expect((await support.get(at)).text).toContain('Taken by <b>A support</b>')
  })
  const tokensOf = async (browser: Awaited<ReturnType<typeof signedIn>>, at: string) =>
    formIn((await browser.get(at)).text, `${at}/give-back`)!
})

describe('A file to take along', () => {
  it('has every movement of money and every dispute of the account, and nobody else’s', async () => {
    const other = world.people.otherMerchant.id
    await subjects.of('disputes', 'own', '')
    const dispute = (await subjects.of('disputes', 'foreign', ''))['id']!
    const viewer = await signedIn(world, 'viewer', other)
    const money = await viewer.get('/console/money/csv')
    const [head, ...rows] = money.text.trimEnd().split('\r\n')
    expect([money.status, head]).toEqual([200, 'time,type,currency,available,held,pending,dispute,invoice,payment'])
    expect(rows.filter((row) => row.includes(dispute))).not.toEqual([])
    expect(rows.some((row) => row.includes('CAPTURE,USD,20.00'))).toBe(true)

    const disputes = await viewer.get('/console/disputes/csv?view=all')
    expect(disputes.text.trimEnd().split('\r\n')).toHaveLength(2)
    expect(disputes.text).toContain(`${dispute},`)
    expect(disputes.headers['content-disposition']).toMatch(/^attachment; filename="disputes-[\d-]+\.csv"$/)
  })
})
