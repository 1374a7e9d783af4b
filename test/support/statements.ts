import pg from 'pg'
import { vi } from 'vitest'

/** What comes whenever it likes: heartbeats, hints to other processes, what a sandbox writes down about earlier calls. */
const isNobodys = (text: string) => /^select 1$|^select pg_notify|insert into happenings_told/.test(text)

/** Once a second a token is looked up anew, which on a busy machine may be during any call. */
const isLookUp = (text: string) => text.includes('from tokens join apps')

/** Does something, and gives the texts of the statements it sent to the database; those that look a token up if asked. */
export async function statementsOf(work: () => Promise<unknown>, { lookUps = false } = {}): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls
      .map(([query]) => (typeof query === 'string' ? query : (query as unknown as { text: string }).text).trim())
      .filter((text) => !isNobodys(text) && (lookUps || !isLookUp(text)))
  } finally {
    spy.mockRestore()
  }
}
