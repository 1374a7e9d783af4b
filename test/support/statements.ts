import pg from 'pg'
import { vi } from 'vitest'
import { databaseIn } from '../../src/database/address.ts'
import type { World } from './world.ts'

/** What comes whenever it likes: heartbeats, hints to other processes, what a sandbox writes down about earlier calls. */
const isNobodys = (text: string) => /^select 1$|^select pg_notify|insert into happenings_told/.test(text)

/** Once a second a token is looked up anew, which on a busy machine may be during any call. */
const isLookUp = (text: string) => text.includes('from tokens join apps')

interface Query {
  readonly text: string
  readonly values: unknown[]
}

type Asked = Pick<World, 'databaseUrl'>

/** Does something, and gives what was asked of this world's database: others may live in the same process. */
export async function queriesOf({ databaseUrl }: Asked, work: () => Promise<unknown>): Promise<Query[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  const name = databaseIn(databaseUrl)
  try {
    await work()
    const calls = spy.mock.calls.filter((_, i) => (spy.mock.contexts[i] as pg.Client).database === name)
    return calls.map(([query]) => {
      const { text, values = [] } = (typeof query === 'string' ? { text: query } : query) as Partial<Query> &
        Pick<Query, 'text'>
      return { text: text.trim(), values }
    })
  } finally {
    spy.mockRestore()
  }
}

/** Does something, and gives the texts of the statements it sent to the world's database; those that look a token up if asked. */
export async function statementsOf(
  world: Asked,
  work: () => Promise<unknown>,
  { lookUps = false } = {},
): Promise<string[]> {
  const texts = (await queriesOf(world, work)).map(({ text }) => text)
  return texts.filter((text) => !isNobodys(text) && (lookUps || !isLookUp(text)))
}
