import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Account } from './schema.ts'

const accountById = sql`select body from accounts where id = $1`
const accountByEmail = sql`select body from accounts where email = lower($1)`

export async function findAccount(db: Reader, id: string): Promise<Account | undefined> {
  return (await db.row<{ body: Account }>(accountById, [id]))?.body
}

export async function findAccountByEmail(db: Reader, email: string): Promise<Account | undefined> {
  return (await db.row<{ body: Account }>(accountByEmail, [email]))?.body
}
