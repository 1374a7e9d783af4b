import { describe, expect, it } from 'vitest'
import { disputeMoves, invoiceMoves, printMoves } from '../../src/invariants/moves.ts'
import { rules } from '../../src/invariants/rules.ts'
import { newLiveWorld } from '../support/live.ts'
import { newWorld } from '../support/world.ts'

describe('A live service', () => {
  it('checks what it stores, and shows in its figures which rule is broken by how many rows', async () => {
    const world = await newLiveWorld()
    const { query } = world.app.database
    const check = async () => {
      await world.app.transact(async (tx) =>
        tx.enqueue({ name: 'check-invariants', key: 'check-invariants', payload: { account_id: '-' }, replace: true }),
      )
      await world.settle()
      return (await world.call('GET', '/metrics')).text
    }
    expect((await world.call('GET', '/metrics')).text).not.toContain('quittance_invariant_broken_rows{')

    const sound = await check()
    await query(
      "insert into ledger_balances (account_id, book, currency, amount) values ('MERCHANT00001', 'balance', 'USD', 1)",
    )
    const broken = await check()
    await query('delete from ledger_balances')

    const figure = (rule: string) => `quittance_invariant_broken_rows{rule="${rule}"}`
    for (const { sentence } of rules) expect(sound).toContain(`${figure(sentence)} 0\n`)
    expect(sound).toContain('quittance_invariants_unchecked 0\n')
    expect(broken).toContain(`${figure('A kept balance is what the entries of its book add up to.')} 1\n`)
    expect(broken.match(/quittance_invariant_broken_rows\{[^}]*\} [1-9]/g)).toHaveLength(1)
    expect(sound).toMatch(/quittance_invariants_checked_timestamp_seconds 1\d{9}/)
    // The next one comes by itself.
    const { rows } = await query<{ in: string }>(
      "select round(extract(epoch from run_at::timestamptz - now()) / 3600) as in from jobs where key = 'check-invariants'",
    )
    expect(rows.map((row) => Number(row.in))).toEqual([24])
    await world.close()
  })

  it('lets the check come to its end that was to come before it was told never to', async () => {
    const world = await newLiveWorld({ INVARIANT_CHECK_HOURS: '0' })
    await world.app.transact(async (tx) =>
      tx.enqueue({ name: 'check-invariants', key: 'check-invariants', payload: { account_id: '-' } }),
    )
    await world.settle()
    expect((await world.app.database.query('select name, parked_time, last_error from jobs')).rows).toEqual([])
    await world.close()
  })

  it('begins to when it starts to work, once; a sandbox does not', async () => {
    const settings = { QUITTANCE_ENVIRONMENT: 'live', QUITTANCE_SECRET: 'vX3kQ9sT7mB1zL5cR8wY2hN6pD4gJ0fA' }
    const live = await newWorld({ settings, works: true })
    const sandbox = await newWorld({ works: true })
    const waiting = async (world: typeof live) =>
      (await world.app.database.query("select key from jobs where name = 'check-invariants'")).rows.length

    expect([await waiting(live), await waiting(sandbox)]).toEqual([1, 0])

    await live.app.database.query("update jobs set run_at = '2026-01-01T00:00:00.000Z' where name = 'check-invariants'")
    const findings = async () =>
      (
        await live.app.database.query(
          "select payload from jobs where name = 'check-invariants' and run_at > '2026-01-02'",
        )
      ).rows
    await expect.poll(findings).toMatchObject([{ payload: { checked_time: expect.any(String) } }])
    await Promise.all([live.close(), sandbox.close()])
  })
})

describe('The moves that the invariants allow', () => {
  it('are those of the tables', () => {
    const has = (moves: { action: string; from: string; to: string }[], text: string) =>
      moves.some(({ action, from, to }) => `${action} ${from} ${to}` === text)

    expect(has(disputeMoves(), 'escalate IS CS')).toBe(true)
    expect(has(disputeMoves(), 'deny-offer CF CU')).toBe(true)
    expect(has(disputeMoves(), 'accept-offer CF CR')).toBe(false)
    expect(has(invoiceMoves(), 'delete DRAFT gone')).toBe(true)
    expect(has(invoiceMoves(), 'cancel PAID CANCELLED')).toBe(false)
    expect(
      printMoves([
        { action: 'a', from: 'X', to: 'Z' },
        { action: 'a', from: 'Y', to: 'Z' },
      ]),
    ).toBe("     ('a', 'X Y', 'Z')")
  })
})
