import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'

const homeOf = sql`
  select m.home from account_forwards f join account_moves m on m.account_id = f.account_id where f.kind = $1 and f.key = $2`

/** Where an account has gone, for somebody who still asks for it here. Undefined when the key is of no account that left. */
export async function findForward(
  db: Reader,
  kind: 'token' | 'client' | 'invoice',
  key: string,
): Promise<{ home: string | null } | undefined> {
  return db.row<{ home: string | null }>(homeOf, [kind, key])
}

/** The same as a sentence for the caller. */
export async function whereItWent(db: Reader, kind: 'token' | 'client', key: string): Promise<string | undefined> {
  const found = await findForward(db, kind, key)
  return (
    found && `This account has moved${found.home === null ? '' : ` to ${found.home}`}, where its credentials are good.`
  )
}
