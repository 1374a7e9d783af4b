import { describe, expect, it } from 'vitest'
import { after } from '../../src/kernel/clock.ts'
import { SandboxClock } from '../../src/sandbox/clock.ts'
import { newDatabase, openPatiently } from '../support/database.ts'
import { START } from '../support/world.ts'

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { give: () => give(), given }
}

describe('The clock of a sandbox', () => {
  it('does not go back when it is set while what it said before is on its way', async () => {
    const own = await newDatabase()
    const database = openPatiently(own.url)
    const [read, arrived] = [signal(), signal()]
    const clock = new SandboxClock({
      ...database,
      async row(statement, values) {
        const found = await database.row<never>(statement, values)
        read.give()
        await arrived.given
        return found
      },
    })
    await clock.set(START, true)
    // As every notification that somebody moved it makes it do.
    const loading = clock.load()
    await read.given

    await clock.set(after(START, 60), true)
    arrived.give()
    await loading

    expect(clock.now()).toBe(after(START, 60))
    await database.close()
    await own.drop()
  })
})
