import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, START, type World } from '../../support/world.ts'

describe('the sandbox clock', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it.each([
    { advance: 'P99999999999999999999Y' },
    { advance: 'P9000Y' },
    { advance: 'P101Y' },
    { advance: 'P-1D' },
    { advance: 'PT99999999999999999999S' },
    { to: '9999-12-31T23:59:59Z' },
    { to: '9999-12-31T23:59:59-14:00' },
    { to: '0001-01-01T00:00:00Z' },
    { advance: 'P1D', to: '2027-01-01T00:00:00Z' },
    {},
  ])('refuses %j and stays where it is', async (body) => {
    const { status } = await world.call('POST', '/sandbox/clock', body)

    expect([400, 422]).toContain(status)
    expect(world.now()).toBe(START)
  })
})
