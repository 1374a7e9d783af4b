import type { Database } from '../database/open.ts'
import type { Reader, Transact } from '../database/transaction.ts'
import type { Cause } from '../kernel/cause.ts'
import type { ClientCall, SandboxClient } from '../scenarios/client.ts'
import type { Settings } from '../settings.ts'

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
  /** What the value can be, for completion. */
  readonly choices?: () => readonly string[]
}

/** Where a command writes, what it found and what went wrong, and when it is told to stop. */
export interface Output {
  out(text: string): void
  err(text: string): void
  /** Whether somebody reads it at a terminal that shows colours. */
  readonly coloured?: boolean
  /** How many columns that terminal has. */
  readonly columns?: number | undefined
  /** Ends a command that would otherwise run on; asked for only by those that do. */
  readonly interrupted?: AbortSignal
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

/** A running sandbox, as a command talks to it. */
export interface Sandbox extends SandboxClient {
  /** What a call answers; a refusal ends the command with what it says. */
  ask<Body = Record<string, unknown>>(
    method: string,
    path: string,
    parts?: Omit<ClientCall, 'method' | 'path'>,
  ): Promise<Body>
  /** What it says its time is. */
  now(): Promise<string>
}

/** What a command that talks to a running sandbox is given beside its input. */
export interface SandboxInput extends CommandInput {
  readonly sandbox: Sandbox
  /** Writes something as it happens: a line for people, or with `--json` one line of JSON. */
  tell(record: object, line: string): void
}

interface CommandBase {
  readonly name: string
  readonly summary: string
  /** Names of the arguments, for the help text; `[name]` may be left out, and of the last `[name…]` there may be several. */
  readonly arguments?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  /** What can be typed behind `quittance`, and what it does. */
  readonly examples: readonly (readonly [words: string, does: string])[]
  /** What an argument can be, by its place, for completion. */
  readonly choices?: readonly (() => readonly string[])[]
  /** Throws when it was called wrongly. Runs before anything is started, opened or migrated; what it gives is not used. */
  check?(input: CommandInput): unknown
}

/** A command that runs until it is told to stop, or that needs no database. */
export interface FreeCommand extends CommandBase {
  readonly kind: 'free'
  /** Which settings it goes by: all where a service is started, those of the database where one is opened, or else none. */
  readonly goesBy?: 'all' | 'database'
  run(input: CommandInput, cause: Cause): Promise<void>
}

/** A command that reads or changes the database once and prints what came of it. */
export interface StoreCommand extends CommandBase {
  readonly kind: 'store'
  run(input: StoreInput): Promise<object | readonly object[] | undefined>
}

/** A command that talks to a running sandbox over HTTP, as its users do, and prints what came of it. */
export interface SandboxCommand extends CommandBase {
  readonly kind: 'sandbox'
  /** Starts a sandbox for as long as it runs when none answers at the usual address. */
  readonly starts?: boolean
  run(input: SandboxInput): Promise<object | readonly object[] | undefined>
}

export type Command = FreeCommand | StoreCommand | SandboxCommand
