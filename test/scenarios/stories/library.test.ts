import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialectNames } from '../../../src/kernel/dialect.ts'
import { openClient, type SandboxClient } from '../../../src/scenarios/client.ts'
import { libraryScenario, scenarioNames } from '../../../src/scenarios/library.ts'
import { type Played, play } from '../../../src/scenarios/play.ts'
import { times } from '../../support/size.ts'
import { newWorld, type World } from '../../support/world.ts'

describe.each(dialectNames)('The stories that come along, in the dialect %s', (dialect) => {
  let world: World
  let client: SandboxClient
  beforeAll(async () => {
    world = await newWorld({ settings: { QUITTANCE_DIALECT: dialect } })
    client = openClient(await world.app.listen())
  })
  afterAll(() => world.close())

  // In the second, enough of them to meet every name that differs.
  const told = scenarioNames().filter((_, i) => dialect === dialectNames[0] || i % times(4, 1) === 0)

  it.each(told)('%s comes out as it expects', async (name) => {
    const scenario = libraryScenario(name)
    const story: Played[] = []
    // What an earlier story did at the same instant is not looked at again.
    await world.pass('PT1M')
    for await (const played of play(scenario, client)) story.push(played)

    expect(story.flatMap(({ failures }) => failures)).toEqual([])
    expect(story.map(({ step }) => step)).toEqual(scenario.steps.map(({ step }) => step))
    expect(
      story.some(({ now }) => now === ''),
      'the clock is told',
    ).toBe(false)
  })
})
