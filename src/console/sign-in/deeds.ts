import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Instant } from '../../kernel/clock.ts'

/** Something that a person did, as the audit log has it. */
export interface Deed {
  readonly create_time: Instant
  readonly name: string | null
  readonly action: string
  readonly resource_id: string | null
  readonly account_id: string | null
  readonly cause: string
}

const DEEDS_MAX = 30

const ofEverybody = sql`
  select a.create_time, p.name, a.action, a.resource_id, a.account_id, a.cause
  from (select create_time, seq, actor, action, resource_id, account_id, cause from audit_log
    where actor like 'person:%' order by create_time desc, seq desc limit $1) a
    left join console_people p on p.id = substr(a.actor, 8)
  order by a.create_time desc, a.seq desc`
const ofAccount = sql`
  select a.create_time, p.name, a.action, a.resource_id, a.account_id, a.cause
  from (select create_time, seq, actor, action, resource_id, account_id, cause from audit_log
    where actor like 'person:%' and account_id = $2 order by create_time desc, seq desc limit $1) a
    left join console_people p on p.id = substr(a.actor, 8)
  order by a.create_time desc, a.seq desc`

/** What people did last, at an account or everywhere. */
export const listDeeds = (db: Reader, accountId?: string): Promise<Deed[]> =>
  accountId === undefined ? db.rows<Deed>(ofEverybody, [DEEDS_MAX]) : db.rows<Deed>(ofAccount, [DEEDS_MAX, accountId])
