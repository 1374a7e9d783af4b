import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { does, open, sees } from '../../scenarios/disputes/people.ts'
import { newWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

describe('Messages that are sent at the same time', () => {
  it('are all kept, whoever sent them', async () => {
    const id = await open(world.buyer)
    const written = Array.from({ length: 6 }, (_, n) => `Message ${n}`)

    const answers = await Promise.all(
      written.map((message, n) => does(n % 2 === 0 ? world.buyer : world.merchant, id, 'send-message', { message })),
    )

    expect(answers.map(({ status }) => status)).toEqual(written.map(() => 200))
    const { messages = [] } = await sees(world.buyer, id)
    expect(messages.map(({ content }) => content).sort()).toEqual(written)
  })
})
