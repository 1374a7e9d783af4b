import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/database/sql.ts'
import type { Transact } from '../../src/database/transaction.ts'
import { makeAnswerBox, rewriteAnswers } from '../../src/http/idempotency.ts'
import { run } from '../support/command.ts'
import { INVOICES, over, recipient } from '../support/shop.ts'
import { newWorld, type World } from '../support/world.ts'

const EMAIL = 'jane.doe@customer.test'
const canaries = /jane/i
const jane = recipient(EMAIL, { name: { given_name: 'Jane', surname: 'Doe' } })
const body = over('5.00', { primary_recipients: [jane] }, { note: 'For Jane Doe.' })

describe('An erasure', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
  })
  afterAll(() => world.close())

  const post = (key: string) =>
    world.merchant.post(INVOICES, body, { headers: { 'service-request-id': key, prefer: 'return=representation' } })
  const erase = () => run(['people', 'erase', EMAIL, '--yes'], { DATABASE_URL: world.databaseUrl })
  const begun = async () =>
    (await world.app.database.query<{ row: string }>('select t::text as row from erasures t')).rows

  it('that was stopped is taken up again, and knows what it looked for though it stands nowhere any more', async () => {
    await post('copied')
    const { query, transaction } = world.app.database
    await transaction(async (held) => {
      await held.rows(sql`select 1 from idempotency where key = 'copied' for update`)
      const stopped = await erase()
      expect([stopped.code, stopped.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^(?:quittance: Erasing: .+\n)*quittance: Other transactions hold what this would change: call it again, .+\n$/,
        ),
      ])
    }, 0)
    const invoices = await query<{ row: string }>('select t::text as row from invoices t')
    expect(invoices.rows.filter(({ row }) => canaries.test(row))).toEqual([])
    expect([(await begun()).length, canaries.test(JSON.stringify(await begun()))]).toEqual([1, false])
    const again = await erase()

    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^quittance: Goes on with what was begun at [-\dT:.]+Z and stopped\.\n/),
    })
    expect(await begun()).toEqual([])
    const replayed = await post('copied')
    expect([replayed.headers['idempotent-replayed'], canaries.test(replayed.text)]).toEqual(['true', false])
  })

  it('changes kept answers that are written while it goes through them', async () => {
    await post('b')
    let posted = 0
    const transact: Transact = async (work, options) => {
      const result = await world.app.transact(work, options)
      // In the order of their names it comes before what was read in this piece.
      if (options?.locks && posted++ === 0) await post('a')
      return result
    }
    const count = await rewriteAnswers(transact, makeAnswerBox(world.app.service.settings.secrets!), {
      rewrite: (text) => text.replaceAll(/jane/gi, '(erased)'),
      about: 'people',
      onProgress: () => {},
    })

    expect(count).toBe(2)
    for (const key of ['a', 'b']) {
      const again = await post(key)
      expect([again.headers['idempotent-replayed'], canaries.test(again.text)]).toEqual(['true', false])
    }
  })
})
