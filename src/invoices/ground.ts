import type { Account } from '../accounts/schema.ts'
import { serverStart } from '../database/recall.ts'
import { statementOf } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { RecentMap } from '../kernel/recent-map.ts'
import type { Service } from '../room.ts'
import type { Template } from './templates/schema.ts'

/** What a new invoice is made from: the merchant, and the templates that may fill it in. */
export interface Ground {
  readonly account: Account
  readonly default_template_id: string | null
  /** The id of the template that the request names. */
  readonly templateId: string | null
  /** That template, if the merchant has it. */
  readonly asked: Template | null
  readonly usual: Template | null
  /** The versions of the rows, as one text to compare. */
  readonly versions: string
}

/**
 * The rows of a ground, for a merchant and the placeholder of the template asked for; and below, what shows whether they
 * changed.
 */
export const groundRows = (templatePlace: string) => `
  accounts a
    left join invoice_settings s on s.account_id = a.id
    left join invoice_templates asked on asked.account_id = a.id and asked.id = ${templatePlace}
    left join invoice_templates usual on usual.account_id = a.id and usual.id = s.default_template_id`
export const groundVersions = `concat(a.xmin, ' ', s.xmin, ' ', asked.xmin, ' ', usual.xmin, ${serverStart})`

const groundOf = statementOf(`
  select a.body as account, s.default_template_id, asked.body as asked, usual.body as usual, ${groundVersions} as versions
  from ${groundRows('$2')}
  where a.id = $1`)

const GROUNDS_MAX = 1_000
const NEWEST_MAX = 10_000
/** After another process created an invoice for the same merchant, nothing is guessed for so long. */
const SHARED_MS = 1_000

/** The newest invoice of a merchant, as far as this process knows. */
export interface Newest {
  readonly id: string
  readonly number: string
}

/**
 * What a process remembers from one creation to the next, so that most are a single statement. None of it is believed:
 * the commit checks that it is still so, and when it is not, the work starts over and reads.
 */
export class Remembered {
  readonly #grounds = new RecentMap<string, Ground>(GROUNDS_MAX)
  readonly #newest = new RecentMap<string, Newest | { readonly sharedUntil: number }>(NEWEST_MAX)

  ground(tx: Tx, accountId: string, templateId: string | null): Ground | undefined {
    return tx.attempt > 1 ? undefined : this.#grounds.get(keyOf(accountId, templateId))
  }

  async readGround(tx: Tx, accountId: string, templateId: string | null): Promise<Ground> {
    const found = await tx.row<Omit<Ground, 'templateId'>>(groundOf, [accountId, templateId])
    if (!found) throw new Error(`The account ${accountId} of a caller does not exist.`)
    const ground = { ...found, templateId }
    this.#grounds.set(keyOf(accountId, templateId), ground)
    return ground
  }

  /** Only to be called by whoever has the turn for the merchant's numbers. */
  newest(tx: Tx, accountId: string): Newest | undefined {
    if (tx.attempt > 1) this.#newest.set(accountId, { sharedUntil: performance.now() + SHARED_MS })
    const known = this.#newest.get(accountId)
    return known && 'id' in known ? known : undefined
  }

  /**
   * Notes that this invoice will be the newest. If its caller chose the number, `newest` is undefined, because nobody knows
   * which invoice will be the newest. Says whether the invoice is remembered.
   */
  creates(accountId: string, newest: Newest | undefined): boolean {
    const known = this.#newest.get(accountId)
    if (known && 'sharedUntil' in known && known.sharedUntil > performance.now()) return false
    if (newest) this.#newest.set(accountId, newest)
    else this.#newest.delete(accountId)
    return newest !== undefined
  }
}

const keyOf = (accountId: string, templateId: string | null) => `${accountId} ${templateId ?? ''}`

const ofServices = new WeakMap<Service, Remembered>()

export function rememberedBy(service: Service): Remembered {
  const remembered = ofServices.get(service) ?? new Remembered()
  ofServices.set(service, remembered)
  return remembered
}
