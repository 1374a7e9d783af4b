import { databaseAddress, setting, text, whole } from '../config.ts'

/** Where the data is. */
export const databaseSettings = {
  databaseUrl: setting<string | undefined>({
    variable: 'DATABASE_URL',
    confidential: true,
    initial: undefined,
    initialText: 'the embedded server',
    ...databaseAddress,
    description:
      'A PostgreSQL 15 or newer to use instead of the embedded one. May name several servers, of which the one that takes writes is used: `postgres://user:password@one:5432,two:5432/database`.',
  }),
  databaseDirectUrl: setting<string | undefined>({
    variable: 'DATABASE_DIRECT_URL',
    confidential: true,
    initial: undefined,
    initialText: '`DATABASE_URL`',
    ...databaseAddress,
    description:
      'The same database without the pooler that `DATABASE_URL` leads to, for what needs a connection of its own: migrations and notifications between processes. Setting it says that there is a pooler: docs/high-availability.md.',
  }),
  databaseReadUrl: setting<string | undefined>({
    variable: 'DATABASE_READ_URL',
    confidential: true,
    initial: undefined,
    initialText: 'none',
    ...databaseAddress,
    description:
      'A streaming replica of the server at `DATABASE_URL` that lists, searches, pages and reports are read from as long as it keeps up: docs/scaling.md. May name several, of which one is used.',
  }),
  databaseConnections: setting<number>({
    variable: 'DATABASE_CONNECTIONS',
    initial: 20,
    ...whole(2, 500),
    description: 'How many connections to PostgreSQL a process keeps at most, and as many again to a replica.',
  }),
  readMemoryMb: setting<number>({
    variable: 'READ_MEMORY_MB',
    initial: 32,
    ...whole(0, 4_096),
    description:
      'How many MiB a process keeps of invoices and disputes as it last sent them. What is kept is sent again only while the database says that nobody changed it.',
  }),
  dataDir: setting<string>({
    variable: 'QUITTANCE_DATA_DIR',
    initial: './data',
    ...text(),
    description: 'Where the embedded server keeps its data. Not used with `DATABASE_URL`.',
  }),
} as const
