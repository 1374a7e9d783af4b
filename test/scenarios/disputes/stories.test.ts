import { describe, expect, it } from 'vitest'
import { type StoryStep, stories } from '../../../src/disputes/stories.ts'
import { newWorld, type World } from '../../support/world.ts'
import { DISPUTES, does, type Problem, sees } from './people.ts'

/** Does what one line of a story says; gives the id of the story's dispute. */
async function live(world: World, id: string, step: StoryStep): Promise<string> {
  const people = { buyer: world.buyer, seller: world.merchant, 'another merchant': world.otherMerchant }
  if (step.who === 'time') {
    await world.pass(step.does)
    return id
  }
  const person = people[step.who]
  if (step.does === 'open') {
    const opened = await person.post<{ links: { href: string }[] }>(DISPUTES, step.with)
    expect(String(opened.status), opened.text).toBe(step.answer)
    return opened.body.links[0]!.href.split('/').at(-1)!
  }
  const response =
    step.does === 'read'
      ? await person.get<Problem>(`${DISPUTES}/${id}`)
      : step.does === 'patch'
        ? await person.patch<Problem>(`${DISPUTES}/${id}`, step.with)
        : await does(person, id, step.does, step.with)
  const issue = response.status >= 400 ? ` ${response.body.details[0]?.issue}` : ''
  expect(`${response.status}${issue}`, response.text).toBe(step.answer)
  return id
}

describe('The stories of the documentation', () => {
  for (const { title, steps } of stories)
    it(`come true: ${title}`, async () => {
      const world = await newWorld()
      let id = ''
      for (const step of steps) {
        id = await live(world, id, step)
        if (step.stands === undefined) continue
        const { dispute_life_cycle_stage: stage, status, dispute_state: state } = await sees(world.merchant, id)
        expect(`${stage} / ${status} / ${state}`, `after ${step.who} ${step.does}`).toBe(step.stands)
      }
      await world.close()
    })
})
