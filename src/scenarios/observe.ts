import { toMinor, toMoney } from '../kernel/money.ts'
import { type ClientAnswer, type Person, problemText, Refused, type SandboxClient } from './client.ts'
import { operations } from './operations.ts'
import { type Book, books, type Thing, things } from './scenario.ts'

export interface SeenEvent {
  readonly id: string
  readonly event_type: string
  readonly summary?: string
}
export interface SeenMail {
  readonly to: readonly string[]
  readonly subject: string
}
type Document = Readonly<Record<string, unknown>>

/** What came about since somebody last looked. */
export interface Observation {
  readonly events: readonly SeenEvent[]
  readonly mail: readonly SeenMail[]
  /** By how much the money in each book changed; books that did not change are left out. */
  readonly money: Readonly<Partial<Record<Book, string>>>
  /** The things of the story, as they are now. */
  readonly things: Readonly<Partial<Record<Thing, Document>>>
}

interface Balance {
  readonly currency: string
  readonly available_balance: { readonly currency_code: string; readonly value: string }
  readonly withheld_balance: { readonly currency_code: string; readonly value: string }
  readonly pending_balance: { readonly currency_code: string; readonly value: string }
}

const EVENTS_MAX = '300'
/** Mails come with all of their text, so few are read at a time; one step rarely sends more. */
const MAILS_AT_ONCE = 4

/** Looks at a sandbox with the eyes of one person, and tells each time what is new. */
export class Observer {
  readonly #client: SandboxClient
  readonly #person: Person
  readonly #seen = new Set<string>()
  readonly #ids: Partial<Record<Thing, string>> = {}
  #balances = new Map<string, bigint>()
  #hasBegun = false

  constructor(client: SandboxClient, person: Person) {
    this.#client = client
    this.#person = person
  }

  /** Takes note of what is there before the story begins. */
  async begin(now: string): Promise<void> {
    const [, , balances] = await Promise.all([this.#newEvents(now), this.#newMail(), this.#readBalances()])
    this.#balances = balances
    this.#hasBegun = true
  }

  /** Follows the thing that an answer names. */
  follow(operation: string, body: unknown): void {
    const answer = typeof body === 'object' && body !== null ? (body as Document) : {}
    for (const [name, { made, id }] of Object.entries(things) as [Thing, (typeof things)[Thing]][]) {
      if (!(made as readonly string[]).includes(operation)) continue
      const found = id.map((field) => answer[field]).find((value) => typeof value === 'string')
      if (found !== undefined) this.#ids[name] = String(found)
    }
  }

  /** What is new after `since`, which is the time before the step. */
  async look(since: string): Promise<Observation> {
    const [events, mail, balances, seen] = await Promise.all([
      this.#newEvents(since),
      this.#newMail(),
      this.#readBalances(),
      this.#readThings(),
    ])
    const money = changesBetween(this.#balances, balances)
    this.#balances = balances
    return { events, mail, money, things: seen }
  }

  async #read(operation: string, path: string, query: Readonly<Record<string, string>> = {}): Promise<ClientAnswer> {
    const { method } = operations().get(operation)!
    const answer = await this.#client.call({ method, path, query, as: this.#person })
    if (answer.status >= 400) throw new Refused(`${operation} was refused with ${problemText(answer)}`)
    return answer
  }

  async #newEvents(since: string): Promise<SeenEvent[]> {
    const query = { start_time: since, page_size: EVENTS_MAX }
    const { body } = await this.#read('listEvents', '/v1/notifications/webhooks-events', query)
    return this.#unseen((body as { events: SeenEvent[] }).events)
  }

  async #newMail(page = 1): Promise<SeenMail[]> {
    const query = { limit: String(MAILS_AT_ONCE), page: String(page) }
    const { body } = await this.#read('listSandboxMail', '/sandbox/mail', query)
    const { mails, has_more } = body as { mails: (SeenMail & { id: string })[]; has_more: boolean }
    const fresh = this.#unseen(mails)
    if (fresh.length < mails.length || !has_more || !this.#hasBegun) return fresh
    return [...(await this.#newMail(page + 1)), ...fresh]
  }

  /** Lists have the newest first, but a story is told the other way round. */
  #unseen<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
    const fresh = items.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    return fresh.reverse()
  }

  async #readBalances(): Promise<Map<string, bigint>> {
    const { body } = await this.#read('listBalances', '/v1/reporting/balances')
    const { balances } = body as { balances: Balance[] }
    return new Map(
      balances.flatMap((balance) =>
        books.map((book) => [`${book} ${balance.currency}`, toMinor(balance[`${book}_balance`])] as const),
      ),
    )
  }

  async #readThings(): Promise<Observation['things']> {
    const entries = Object.entries(this.#ids).map(async ([name, id]) => {
      const { show } = things[name as Thing]
      const { path, method } = operations().get(show)!
      const answer = await this.#client.call({ method, path: path.replace(/\{\w+\}/, id), as: this.#person })
      // A thing that was deleted is not there any more.
      return answer.status === 200 ? [[name, answer.body as Document] as const] : []
    })
    return Object.fromEntries((await Promise.all(entries)).flat())
  }
}

function changesBetween(before: ReadonlyMap<string, bigint>, now: ReadonlyMap<string, bigint>): Observation['money'] {
  const changes: Partial<Record<Book, string>> = {}
  for (const [key, value] of now) {
    const [book, currency] = key.split(' ') as [Book, string]
    const change = value - (before.get(key) ?? 0n)
    if (change === 0n) continue
    const text = `${change > 0n ? '+' : ''}${toMoney(change, currency).value} ${currency}`
    changes[book] = changes[book] === undefined ? text : `${changes[book]}, ${text}`
  }
  return changes
}
