import { serverStart } from '../database/recall.ts'
import { statementOf } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { RecentMap } from '../kernel/recent-map.ts'
import type { Account } from './schema.ts'

/** Who may be part of a payment that a sandbox makes: who asks for it, and both sides as they are named or there first. */
export interface Parties {
  readonly caller: Account | null
  readonly seller: Account | null
  readonly buyer: Account | null
  /** The versions of the rows, as one text to compare. */
  readonly versions: string
}

/** Somebody who is named, or whoever of their kind was there first: a sandbox makes up with these what a call leaves out. */
const namedOrFirst = (email: string, kind: Account['kind']) => `
  case when ${email}::text is null
    then (select id from accounts where kind = '${kind}' order by create_time, id limit 1)
    else (select id from accounts where email = lower(${email})) end`
const rows = `(select 1) as one
  left join accounts caller on caller.id = $1
  left join accounts seller on seller.id = ${namedOrFirst('$2', 'BUSINESS')}
  left join accounts buyer on buyer.id = ${namedOrFirst('$3', 'PERSONAL')}`
const versions = `concat(caller.xmin, ' ', seller.xmin, ' ', buyer.xmin, ${serverStart})`

const readParties = statementOf(`
  select caller.body as caller, seller.body as seller, buyer.body as buyer, ${versions} as versions from ${rows}`)
const areSame = statementOf(`select from ${rows} where ${versions} = $4`)

const KNOWN_MAX = 1_000

/**
 * The parties of payments, remembered from one payment to the next. None of it is believed: the commit checks that it is
 * still so, and when it is not, the work starts over and reads. So only those of payments that were made are remembered:
 * a refusal commits nothing that could check.
 */
export class KnownParties {
  readonly #known = new RecentMap<string, Parties>(KNOWN_MAX)

  async find(
    tx: Tx,
    callerId: string,
    named: { readonly seller: string | undefined; readonly buyer: string | undefined },
  ): Promise<Parties> {
    const asked = [callerId, named.seller ?? null, named.buyer ?? null]
    const key = JSON.stringify(asked)
    const known = tx.attempt > 1 ? undefined : this.#known.get(key)
    const found = known ?? (await tx.row<Parties>(readParties, asked))!
    if (!known) tx.afterCommit(() => this.#known.set(key, found))
    tx.guard(areSame, [...asked, found.versions])
    return found
  }
}
