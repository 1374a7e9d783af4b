import type { Settings } from '../config.ts'
import type { Database } from '../database/open.ts'
import type { Reader, Transact } from '../database/transaction.ts'

/** A mistake in how a command was called; the message says how to call it. Ends with exit code 2. */
export class UsageError extends Error {}

/** Something a command was asked for cannot be done. Ends with exit code 1. */
export class CommandError extends Error {}

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly description: string
  /** What stands for the value in the help text. */
  readonly value?: string
  readonly multiple?: boolean
  /** Its value tells who somebody is, so the audit log does not keep it. */
  readonly personal?: boolean
}

/** Where a command writes: what it found, and what went wrong. */
export interface Output {
  out(text: string): void
  err(text: string): void
}

export interface CommandInput {
  readonly output: Output
  readonly settings: Settings
  readonly arguments: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
}

/** What a command that works on the database is given beside its input. */
export interface StoreInput extends CommandInput {
  readonly db: Reader
  readonly database: Database
  readonly transact: Transact
  /** Tells running services that an app, a secret or a consent changed, and waits until none believes the old. */
  announceAccessChange(): Promise<void>
}

interface CommandBase {
  readonly name: string
  readonly summary: string
  /** Names of the arguments, for the help text; `[name]` may be left out. */
  readonly arguments?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
}

/** A command that runs until it is told to stop, or that needs no database. */
export interface FreeCommand extends CommandBase {
  readonly kind: 'free'
  run(input: CommandInput): Promise<void>
}

/** A command that reads or changes the database once and prints what came of it. */
export interface StoreCommand extends CommandBase {
  readonly kind: 'store'
  run(input: StoreInput): Promise<object | readonly object[] | undefined>
}

export type Command = FreeCommand | StoreCommand
