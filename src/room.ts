import type { Environment, Settings } from './config.ts'
import type { AnyRoute } from './http/route.ts'
import type { JobDefinition } from './jobs/job-definition.ts'
import type { Dialect } from './kernel/dialect.ts'
import type { Problem } from './kernel/problem.ts'

/** What every room must know about the running service. */
export interface Service {
  readonly environment: Environment
  readonly dialect: Dialect
  readonly settings: Settings
  /** Every link is built from it. Known once the service listens, so read it when it is needed. */
  readonly publicUrl: string
}

/** What a room gives the house: operations, kept promises, and what its unique constraints mean to a caller. */
export interface Room {
  readonly routes?: readonly AnyRoute[]
  readonly jobs?: readonly JobDefinition[]
  /** By constraint or unique index name. */
  readonly constraints?: Readonly<Record<string, () => Problem>>
}

export type OpenRoom = (service: Service) => Room
