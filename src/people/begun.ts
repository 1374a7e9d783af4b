import { sql } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import type { Instant } from '../kernel/clock.ts'
import type { SealedBox } from '../kernel/sealed-box.ts'
import type { Traces } from './records.ts'
import { sorted } from './redact.ts'

/**
 * An erasure from its beginning to its end: whom to look for, and the code from which the address that replaces theirs is made.
 */
export interface Begun extends Traces {
  readonly code: string
  /** When an earlier run of it began, if there was one that was stopped on its way. */
  readonly stopped?: Instant
}

const unfinished = sql`select code, sealed, create_time from erasures order by create_time, code`
const keep = sql`
  insert into erasures (code, sealed, create_time) values ($1, $2, $3)
  on conflict (code) do update set sealed = excluded.sealed`
const forget = sql`delete from erasures where code = $1`

interface Row {
  readonly code: string
  readonly sealed: Buffer
  readonly create_time: Instant
}

/**
 * Writes down whom to look for before the first row is changed, because changed rows no longer tell. An erasure that was
 * stopped goes on with what it knew then, and with what has come since.
 */
export async function begin(tx: Tx, box: SealedBox, found: Traces, newCode: string): Promise<Begun> {
  const rows = await tx.rows<Row>(unfinished)
  const [row] = rows.filter((one) => opened(box, one)?.person.email === found.person.email)
  const traces = row ? together(opened(box, row)!, found) : found
  const code = row?.code ?? newCode
  tx.about(null, 'people')
  tx.write(keep, [code, box.close(Buffer.from(JSON.stringify(traces, asList)), code), tx.now])
  return { ...traces, code, ...(row && { stopped: row.create_time }) }
}

/** Forgets whom the erasure looked for, once nothing is left of them. */
export function end(tx: Tx, { code }: Begun): void {
  tx.about(null, 'people')
  tx.write(forget, [code])
}

const asList = (_: string, value: unknown) => (value instanceof Set ? [...value] : value)

/** An entry that no secret of the service can open any more tells nothing. */
function opened(box: SealedBox, { sealed, code }: Row): Traces | undefined {
  try {
    const { person, sought } = JSON.parse(box.open(sealed, code).toString())
    return { person: { ...person, disputes: new Set(person.disputes) }, sought }
  } catch {
    return undefined
  }
}

const together = (before: Traces, now: Traces): Traces => ({
  person: {
    email: now.person.email,
    details: sorted([...before.person.details, ...now.person.details]),
    disputes: new Set([...before.person.disputes, ...now.person.disputes]),
  },
  sought: { email: now.sought.email, ids: [...new Set([...before.sought.ids, ...now.sought.ids])] },
})
