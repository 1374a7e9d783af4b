import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, over, type Seen } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'
import { DISPUTES, open } from '../disputes/people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

describe('Prefer', () => {
  const isWhole = async (prefer: string) => {
    const { status, body } = await world.merchant.post<Partial<Seen>>(INVOICES, over('1.00'), { headers: { prefer } })
    expect(status).toBe(201)
    return body.amount !== undefined
  }

  it.each([
    'return=representation',
    'return="representation"',
    'Return=Representation',
    'return = representation',
    'return=representation; foo=bar',
    'return=representation;foo="a, return=minimal; b"; bar',
    'respond-async, wait=10, return=representation',
    'handling="strict, return=minimal", return=representation',
    ', return=representation,',
    'return=representation, return=minimal',
  ])('asks for the whole document: %s', async (prefer) => {
    expect(await isWhole(prefer)).toBe(true)
  })

  it.each([
    'return=minimal',
    'return="minimal"',
    'return=minimal, return=representation',
    'handling="x, return=representation"',
    'foo; return=representation',
    'return',
    'return="representation',
  ])('asks for no more than a link: %s', async (prefer) => {
    expect(await isWhole(prefer)).toBe(false)
  })

  it('is not looked at where it is longer than any', async () => {
    expect(await isWhole(`${'a, '.repeat(400)}return=representation`)).toBe(false)
  })

  it.each(['respond-async', 'respond-async=""', 'Respond-Async; wait=10', 'wait=10, respond-async'])(
    'asks not to be waited for: %s',
    async (prefer) => {
      const id = await open(world.buyer)
      const entry = { op: 'add', path: '/communication_details', value: { note: 'Call us.' } }

      const answer = await world.merchant.patch(`${DISPUTES}/${id}`, [entry], { headers: { prefer } })

      expect(answer.status, answer.text).toBe(202)
    },
  )
})
