import pg from 'pg'
import { vi } from 'vitest'

/** What comes whenever it likes: heartbeats, hints to other processes, what a sandbox writes down about earlier calls. */
const isNobodys = (text: string) => /^select 1$|^select pg_notify|insert into happenings_told/.test(text)

/** Once a second a token is looked up anew, which on a busy machine may be during any call. */
const isLookUp = (text: string) => text.includes('from tokens join apps')

interface Query {
  readonly text: string
  readonly values: unknown[]
}

/** Does something, and gives what it asked the database. */
export async function queriesOf(work: () => Promise<unknown>): Promise<Query[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls.map(([query]) => {
      const { text, values = [] } = (typeof query === 'string' ? { text: query } : query) as Partial<Query> &
        Pick<Query, 'text'>
      return { text: text.trim(), values }
    })
  } finally {
    spy.mockRestore()
  }
}

/** Does something, and gives the texts of the statements it sent to the database; those that look a token up if asked. */
export const statementsOf = async (work: () => Promise<unknown>, { lookUps = false } = {}): Promise<string[]> =>
  (await queriesOf(work)).map(({ text }) => text).filter((text) => !isNobodys(text) && (lookUps || !isLookUp(text)))
