import { BackupError } from '../backup/error.ts'
import { SettingError } from '../config.ts'
import { AddressError } from '../database/address.ts'
import { NoServerError } from '../database/connector.ts'
import { EmbeddedServerError } from '../database/embedded/server.ts'
import { ELSEWHERE, sqlProblem } from '../database/errors.ts'
import { MigrationError } from '../database/required-server.ts'
import { DirectWayError } from '../database/ways.ts'
import { messageOf } from '../kernel/error-text.ts'
import { Problem } from '../kernel/problem.ts'
import { LeftBehind } from '../sandbox/worlds.ts'
import { NoAnswer, Refused } from '../scenarios/client.ts'
import { CommandError, UsageError } from './command.ts'
import { databaseComplaint } from './database-complaint.ts'

/** PostgreSQL waited for a lock for as long as it may. */
const LOCKED = '55P03'

/** What a command that failed says, and what it ends with: 1 it could not be done, 2 it was called wrongly. */
export interface Complaint {
  readonly text: string
  readonly code: 1 | 2
}

/** Tells a person what went wrong in one sentence; a stack trace only for what is our mistake. */
export function complaintOf(error: unknown, databaseUrl: string | undefined): Complaint {
  const say = (sentence: string, code: 1 | 2 = 1): Complaint => ({ text: `quittance: ${sentence}\n`, code })

  if (error instanceof DirectWayError) {
    const { text, code } = complaintOf(error.cause, error.url)
    return { text: text.replaceAll('DATABASE_URL', 'DATABASE_DIRECT_URL'), code }
  }

  const wrongCall = [UsageError, SettingError, AddressError]
  if (error instanceof Error && wrongCall.some((kind) => error instanceof kind)) return say(error.message, 2)
  const told = [CommandError, BackupError, EmbeddedServerError, NoServerError, NoAnswer, Refused, LeftBehind]
  if (error instanceof Error && told.some((kind) => error instanceof kind)) return say(error.message)
  const aboutDatabase = databaseComplaint(error, databaseUrl)
  if (aboutDatabase) return say(aboutDatabase)
  if (error instanceof MigrationError) return say(error.message)
  if (error instanceof Problem) return say(messageOf(error))
  const code = error instanceof Error ? (error as { code?: string }).code : undefined
  if (error instanceof Error && code === ELSEWHERE) return say(error.message)
  if (code === LOCKED)
    return say(
      'Other transactions hold what this would change: call it again, or end them (pg_stat_activity shows them).',
    )
  const problem = sqlProblem(error, {})
  if (problem?.status === 409) return say('There is already one with this name or address.')
  if (problem?.status === 503) return say(messageOf(problem))
  return { text: `${error instanceof Error ? error.stack : String(error)}\n`, code: 1 }
}
