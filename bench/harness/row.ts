/** Anything that can be sent from one process to another. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** One HTTP request of a row. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A bare Fastify with `pg` that runs one named statement for each request and sends the rows it found. */
export interface FastifyPgLimit<Data> {
  readonly kind: 'fastify-pg'
  readonly text: string
  /** The values of the statement's placeholders; they travel in the path, as they would in a real route. */
  values(data: Data, n: number): readonly string[]
}

/**
 * `pgbench` that runs these statements, between `begin` and `commit` when there is more than one. `:id` in a statement
 * is a new number for each transaction. Where `pgbench` is not installed, a loop over `pg` does the same.
 */
export interface PgbenchLimit<Data> {
  readonly kind: 'pgbench'
  statements(data: Data): readonly string[]
}

export type Limit<Data> = FastifyPgLimit<Data> | PgbenchLimit<Data>

/** One line of the table: what the service does, and what this machine could do at best. */
export interface Row<Data = Json> {
  /** What `--only` takes. */
  readonly name: string
  /** What one request does, in a sentence. */
  readonly does: string
  /** What the limit does, in a sentence. */
  readonly against: string
  /** Brings the service into the state the requests need. What it gives reaches `request` and the limit as JSON. */
  prepare(context: Context): Promise<Data>
  /** The n-th request. No two requests of a run have the same n. */
  request(data: Data, n: number): HttpRequest
  /** The status every answer must have; any other fails the row. */
  readonly status: number
  readonly limit: Limit<Data>
  /** Asks a service that keeps nothing of what it read, as if each request were the first for what it shows. */
  readonly forgetful?: boolean
  /** Service divided by limit. A row without it is shown and not judged. */
  readonly required?: number
  readonly goal?: number
}

/** Infers the type of what `prepare` hands to the other functions. */
export function row<Data extends Json>(definition: Row<Data>): Row {
  // The data goes through JSON, which is why it is Json, and comes back to the functions of the same row.
  return definition as unknown as Row
}

/** A row, and the same for what was not read before. */
export function readRow<Data extends Json>(definition: Row<Data>): Row[] {
  const { required: _, ...first } = definition
  return [
    row(definition),
    row({
      ...first,
      name: `${definition.name}-first`,
      does: `the same, by a service that keeps nothing of what it read (READ_MEMORY_MB=0)`,
      // Under ids of its own.
      prepare: (context) => definition.prepare({ ...context, run: `${context.run}f` }),
      forgetful: true,
    }),
  ]
}

/** What a row can do before it is measured. */
export interface Context {
  readonly baseUrl: string
  /** Different in every run, for ids that must not have been used before. */
  readonly run: string
  /** An access token of a sandbox app. */
  token(clientId?: string): Promise<string>
  /** Calls the service and gives the answer's body; any status but 2xx is an error. */
  call<Body>(request: Omit<HttpRequest, 'body'> & { readonly json?: object; readonly token?: string }): Promise<Body>
  /** Comes back when the service has written what it noted of the requests so far. */
  settle(): Promise<void>
  /** Asks the database directly. */
  sql<Found extends object>(text: string, values?: readonly unknown[]): Promise<Found[]>
}

/** A value as SQL for a `pgbench` script, in which a colon would begin a variable even between quotes. */
export function literal(value: string | number | null): string {
  if (typeof value !== 'string') return String(value)
  return `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll(':', '\\x3a')}'`
}
