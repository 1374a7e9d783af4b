import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialectNames } from '../../../src/kernel/dialect.ts'
import { type EventType, eventTypes } from '../../../src/kernel/event-types.ts'
import { openClient, type SandboxClient } from '../../../src/scenarios/client.ts'
import { libraryScenario, scenarioNames } from '../../../src/scenarios/library.ts'
import { type Played, play } from '../../../src/scenarios/play.ts'
import { recipeFor } from '../../../src/scenarios/triggers.ts'
import { isLong } from '../../support/size.ts'
import { newWorld, type World } from '../../support/world.ts'

/** What `trigger` sends a sample of, because it never happens. */
const simulated = ['CHECKOUT.ORDER.COMPLETED', 'PAYMENT.CAPTURE.DECLINED', 'RISK.DISPUTE.CREATED']
/** How each came out, by its title. */
const told = new Map<string, readonly Played[]>()

describe.each(dialectNames)('The stories that come along, in the dialect %s', (dialect) => {
  let world: World
  let client: SandboxClient
  beforeAll(async () => {
    world = await newWorld({ settings: { QUITTANCE_DIALECT: dialect } })
    client = openClient(await world.app.listen())
  })
  afterAll(() => world.close())

  // In the second, as many as show that a story is told in neutral names: decided, appealed, and by a partner.
  const some = ['chargeback', 'partner-acts', 'seller-loses-and-appeals']
  const isFirst = dialect === dialectNames[0]
  const chosen = scenarioNames().filter((name) => isFirst || isLong || some.includes(name))

  it.each(chosen)('%s comes out as it expects', async (name) => {
    const scenario = libraryScenario(name)
    const story: Played[] = []
    // What an earlier story did at the same instant is not looked at again.
    await world.pass('PT1M')
    for await (const played of play(scenario, client)) story.push(played)
    told.set(scenario.title, story)

    expect(story.flatMap(({ failures }) => failures)).toEqual([])
    expect(story.map(({ step }) => step)).toEqual(scenario.steps.map(({ step }) => step))
    expect(
      story.some(({ now }) => now === ''),
      'the clock is told',
    ).toBe(false)
  })
})

describe('Every event of the catalogue', () => {
  it('happens in the story that triggers it, up to its last step, but for those that are simulated', () => {
    const unheard = (Object.keys(eventTypes) as EventType[]).filter((event) => {
      const recipe = recipeFor(event)
      const steps = recipe ? told.get(recipe.title)!.slice(0, recipe.steps.length) : []
      return !steps.some(({ events }) => events.some(({ event_type }) => event_type === event))
    })

    expect(unheard).toEqual(simulated)
    expect(unheard.map(recipeFor)).toEqual(simulated.map(() => undefined))
  })
})
