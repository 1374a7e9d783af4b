import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleOf } from '../../support/console.ts'
import { newSubjects } from '../../support/console-subjects.ts'
import { formIn, freshen, newConsoleWorld, signedIn } from '../../support/live-console.ts'
import { newWorld, type World } from '../../support/world.ts'
import { does, open } from '../disputes/people.ts'

type Page = (path: string) => Promise<string>

/** What leads from a page to a question; the question itself, which alone has the form. */
async function questionOn(page: Page, list: string, action: string): Promise<string> {
  const drawn = await page(list)
  expect(drawn).toContain(`href="${action}"`)
  expect(formIn(drawn, action)).toBeUndefined()
  const asked = await page(action)
  expect(asked).toContain('This cannot be undone')
  expect(asked).toMatch(new RegExp(`<a class="button quiet" href="${list}">Leave it</a>`))
  // Whoever only reads the question has changed nothing.
  expect(await page(list)).toContain(`href="${action}"`)
  return asked
}

describe('What cannot be undone asks first, in a sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    await world.app.listen()
  })
  afterAll(() => world.close())

  it('before a kept state or a template is deleted, and before a fork is ended', async () => {
    const merchant = consoleOf(world)
    const list = '/console/scenarios'
    await merchant.send('/console/snapshots', { '/name': 'kept.once' })
    await merchant.send('/console/forks', { 'request-id': 'console-asked-fork' })
    const [, fork] = /href="(\/console\/forks\/[^"]+\/end)"/.exec(await merchant.page(list))!
    const made = await world.merchant.post<{ id: string }>('/v2/invoicing/templates', {
      name: 'Chairs <b>',
      template_info: { detail: { currency_code: 'USD' } },
    })
    for (const [page, action, title] of [
      [list, '/console/snapshots/kept.once/delete', 'Delete kept.once?'],
      [list, fork!, 'End the fork'],
      ['/console/templates', `/console/templates/${made.body.id}/delete`, 'Delete Chairs &lt;b&gt;?'],
    ] as const) {
      const asked = await questionOn((path) => merchant.page(path), page, action)
      expect(asked).toContain(`<h1>${title}`)
      expect((await merchant.send(action, formIn(asked, action))).location).toBe(page)
      expect(await merchant.page(page)).not.toContain(action)
      await merchant.page(action, 404)
    }
  })

  it('before a draft is dropped, and drops none that a colleague kept since', async () => {
    const merchant = consoleOf(world)
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', { note: 'Enough.' })
    const at = `/console/disputes/${id}`
    const action = `${at}/drafts/provide-evidence/drop`
    const typed = { '/evidences/0/evidence_type': 'OTHER', '/evidences/0/notes': 'Half of it.', instead: 'draft' }
    await merchant.page(action, 404)
    await merchant.send(`${at}/provide-evidence`, typed)
    const asked = await questionOn((path) => merchant.page(path), at, action)
    expect(asked).toContain('What Merchant wrote is forgotten.')

    await merchant.send(`${at}/provide-evidence`, { ...typed, '/evidences/0/notes': 'All of it.' })
    const late = await merchant.send(action, formIn(asked, action))
    expect(await merchant.told(late)).toMatchObject({
      tone: 'bad',
      said: expect.stringContaining('Nothing was dropped'),
    })
    expect(await merchant.page(at)).toContain('All of it.')

    const again = formIn(await merchant.page(action), action)
    for (const _ of ['once', 'and a second click'])
      expect(await merchant.told(await merchant.send(action, again))).toMatchObject({
        ...{ tone: 'good', said: 'The draft was dropped.' },
      })
    expect(await merchant.page(at)).not.toContain('All of it.')
  })
})

describe('What cannot be undone asks first, in live', () => {
  let world: World
  let subjects: Awaited<ReturnType<typeof newSubjects>>
  beforeAll(async () => {
    world = await newConsoleWorld()
    subjects = await newSubjects(world)
  })
  afterAll(async () => {
    await subjects.tidy()
    await world.close()
  })

  it('before a person is removed, as an admin and as an operator', async () => {
    for (const who of [await signedIn(world, 'admin', world.people.merchant.id), await signedIn(world, 'operator')]) {
      const { id } = await subjects.of('people', 'own', '')
      subjects.spend('/console/people/')
      const action = `/console/people/${id}/remove`
      const asked = await questionOn(async (path) => (await who.get(path)).text, '/console/people', action)
      await freshen(world)
      expect((await who.post(action, formIn(asked, action))).location).toBe('/console/people')
      expect((await who.get('/console/people')).text).not.toContain(action)
      expect((await who.get(action)).status).toBe(404)
    }
  })

  it('before the consent to a partner is taken back', async () => {
    const admin = await signedIn(world, 'admin', world.people.merchant.id)
    const { client } = await subjects.of('consents', 'own', '')
    const action = `/console/consents/${client}/revoke`
    const page = async (path: string) => (await admin.get(path)).text
    const list = await page('/console/apps')
    expect([list.includes(`href="${action}"`), formIn(list, action)]).toEqual([true, undefined])
    const asked = await page(action)
    expect(asked).toMatch(/<h1>Take the consent to .* back\?<\/h1>/)
    expect(await page('/console/apps')).toContain(action)
    expect((await admin.post(action, formIn(asked, action))).location).toBe('/console/apps')
    expect(await page('/console/apps')).not.toContain(action)
  })
})
