import type { Issue } from '../../../kernel/problem.ts'

/** A request as the log lists it; below that, the same with what was sent and answered. */
export interface LoggedRequest {
  readonly debug_id: string
  readonly time: string
  readonly real_time: string
  readonly method: string
  readonly path: string
  readonly operation: string
  readonly status: number
  readonly duration_ms: number
  readonly client_id?: string
  readonly account_id?: string
  readonly problem?: { readonly name: string; readonly message: string; readonly details: readonly Issue[] }
  readonly unknown_fields?: readonly string[]
}
export interface Side {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
  readonly body?: string
}
export interface Whole extends LoggedRequest {
  readonly request: Side
  readonly answer: Side
}
