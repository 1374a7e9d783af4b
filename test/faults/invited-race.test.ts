import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { json } from '../support/command.ts'
import { besides, browserOf, formIn, freshen, invite, newConsoleWorld, signedIn } from '../support/live-console.ts'
import { madePasskey } from '../support/passkey.ts'
import type { World } from '../support/world.ts'

let world: World
let merchant: string
beforeAll(async () => {
  world = await newConsoleWorld({}, { isOwn: true })
  merchant = world.people.merchant.id
})
afterAll(() => world.close())

/** How many wait for a lock, or for somebody else to commit. */
async function waiting(): Promise<number> {
  const { rows } = await world.app.database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]!.n
}

/**
 * Holds up whoever comes first when they write to this table, until the other is done or waits for them. Then both go on.
 */
async function heldUp<First, Second>(
  table: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const holder = new pg.Client(connectionSettings(world.databaseUrl))
  await holder.connect()
  try {
    await holder.query(`begin; lock table ${table} in share mode`)
    const one = first()
    await expect.poll(waiting).toBe(1)
    let isDone = false
    const other = second().finally(() => {
      isDone = true
    })
    await expect.poll(async () => isDone || (await waiting()) > 1).toBe(true)
    await holder.query('commit')
    return [await one, await other]
  } finally {
    await holder.end()
  }
}

const asOperator = (email: string) => () => invite(world, 'operator', undefined, email)
const linkIn = (markup: string) => /\/console\/sign-in\/link\/[\w-]+/.exec(markup)?.[0]

/** Somebody who may only look, whose link ran out, and an admin who makes another for them. */
async function invitingAgain(email: string) {
  const { personId } = await invite(world, 'viewer', merchant, email)
  const admin = await signedIn(world, 'admin', merchant)
  await freshen(world)
  await world.app.database.query('update console_links set expire_time = create_time where person_id = $1', [personId])
  const at = `/console/people/${personId}/invite`
  const fields = formIn((await admin.get('/console/people')).text, at)!
  return () => admin.post(at, fields)
}

/** Somebody who came by a link to an account, and makes a passkey. */
async function makingPasskey(email: string) {
  const { path } = await invite(world, 'viewer', merchant, email)
  const person = browserOf(world)
  await person.signInBy(path)
  const { text } = await person.get('/console/passkeys')
  const options = /data-options="([^"]*)"/.exec(text)![1]!.replaceAll('&quot;', '"')
  const fields = { ...formIn(text, '/console/passkeys'), passkey: madePasskey(options) }
  return () => person.post('/console/passkeys', fields)
}

async function keysOf(email: string) {
  const people = await json<{ email: string; passkeys: number; roles: string[] }[]>(
    ['console', 'people'],
    besides(world),
  )
  const { passkeys, roles } = people.find((person) => person.email === email)!
  return [passkeys, roles.includes('operator')]
}

async function opensAll(path: string): Promise<boolean> {
  const boss = browserOf(world)
  await boss.signInBy(path)
  return (await boss.get('/console/operator')).status === 200
}

describe('Somebody who is made an operator at the very moment', () => {
  it('an admin makes a link for them is let in by the operator’s link alone', async () => {
    const email = 'link@example.test'
    const [answer, { path }] = await heldUp('quotas', await invitingAgain(email), asOperator(email))

    expect((await browserOf(world).get(linkIn(answer.text)!)).text).toContain('There is a newer link')
    expect(await opensAll(path)).toBe(true)
  })

  it('an admin would make a link for them is one for whom an admin makes none', async () => {
    const email = 'no-link@example.test'
    const [{ path }, answer] = await heldUp('console_roles', asOperator(email), await invitingAgain(email))

    expect([answer.status, linkIn(answer.text)]).toEqual([403, undefined])
    expect(await opensAll(path)).toBe(true)
  })

  it('a passkey is made under their address does not keep it', async () => {
    const email = 'key@example.test'
    const [answer] = await heldUp('console_answered', await makingPasskey(email), asOperator(email))

    expect(answer.status).toBe(303)
    expect(await keysOf(email)).toEqual([0, true])
  })

  it('a passkey would be made under their address gets none', async () => {
    const email = 'no-key@example.test'
    const [, answer] = await heldUp('console_roles', asOperator(email), await makingPasskey(email))

    expect(answer.status).toBe(403)
    expect(await keysOf(email)).toEqual([0, true])
  })
})
