import type { KeyPairKeyObjectResult } from 'node:crypto'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Environment } from './config.ts'
import type { Database } from './database/open.ts'
import type { Recall } from './database/recall.ts'
import type { Reader, Transact } from './database/transaction.ts'
import type { AnyRoute } from './http/route.ts'
import type { JobDefinition } from './jobs/job-definition.ts'
import type { Sweeps } from './jobs/sweep.ts'
import type { WorkSource } from './jobs/work-source.ts'
import type { Clock } from './kernel/clock.ts'
import type { Dialect } from './kernel/dialect.ts'
import type { Happening } from './kernel/happening.ts'
import type { Problem } from './kernel/problem.ts'
import type { Settings } from './settings.ts'

/** What every room must know about the running service. */
export interface Service {
  readonly environment: Environment
  readonly dialect: Dialect
  readonly settings: Settings
  /** Every link is built from it. Known once the service listens, so read it when it is needed. */
  readonly publicUrl: string
  /** What was made of documents when they were last read. */
  readonly recall: Recall
  /** Events are kept in partitions, and carry their day. No when not said. */
  readonly hasDatedEvents?: () => boolean
}

/** What a room gives the house: operations, jobs, and what its unique constraints mean to a caller. */
export interface Room {
  /** Refuses a database that it cannot work on, before anything else is done. */
  readonly check?: (db: Reader) => Promise<void>
  /** Enqueues what is to come without anybody asking for it. Called by every process that works, when it starts. */
  readonly start?: (transact: Transact) => Promise<void>
  readonly routes?: readonly AnyRoute[]
  readonly jobs?: readonly JobDefinition[]
  /** Due work that waits elsewhere than in the jobs table. */
  readonly work?: (parts: WorkParts) => readonly WorkSource[]
  /** By constraint or unique index name. */
  readonly constraints?: Readonly<Record<string, () => Problem>>
  /** Remove what nobody needs any more. Run every hour, each whatever becomes of the others. */
  readonly sweeps?: Sweeps
  /** Releases what the room opened (threads, sockets). Called once, after the last job. */
  readonly close?: () => Promise<void>
}

/** What a room gets when it schedules its own work instead of using the jobs table. */
export interface WorkParts {
  readonly database: Database
  readonly clock: Clock
  /** Where its figures are collected; without it there are none. */
  readonly registry?: Registry
  /** Where each piece of work is told of; without it none is. */
  readonly log?: Logger
  /** Makes the pair of a key that signs, which takes half a second of a processor; the platform's own when not said. */
  readonly newKeyPair?: (() => Promise<KeyPairKeyObjectResult>) | undefined
  /** Told of what went wrong and will be tried again. */
  onError(error: unknown): void
  /** Asked before each attempt to deliver an event what is to go wrong with it; absent in live. */
  faultOf?(delivery: { eventType: string; url: string; attempts: number }): DeliveryFault | undefined
  /** Told of each attempt to deliver an event; absent where nobody watches. */
  tell?(happening: Happening, ofEvent: string): void
}

/** What goes wrong with a delivery because somebody wants to see it. */
export type DeliveryFault = { readonly kind: 'twice' } | { readonly kind: 'later'; readonly seconds: number }

export type OpenRoom = (service: Service) => Room
