import type { Command } from '../command.ts'
import { accountCommands } from './accounts.ts'
import { appCommands } from './apps.ts'
import { auditCommand } from './audit.ts'
import { backupCommands } from './backup.ts'
import { cellCommands } from './cells.ts'
import { checkCommand } from './check.ts'
import { completionCommand } from './completion.ts'
import { consoleCommands } from './console.ts'
import { deliveryCommands } from './deliveries.ts'
import { docsCommand } from './docs.ts'
import { gauntletCommand } from './gauntlet.ts'
import { invariantsCommand } from './invariants.ts'
import { jobCommands } from './jobs.ts'
import { keyCommands } from './keys.ts'
import { listenCommand } from './listen.ts'
import { migrateCommand } from './migrate.ts'
import { partitionCommands } from './partitions.ts'
import { peopleCommands } from './people.ts'
import { proxyCommand } from './proxy.ts'
import { scenarioCommands } from './scenario.ts'
import { secretCommands } from './secrets.ts'
import { serveCommands } from './serve.ts'
import { triggerCommand } from './trigger.ts'
import { watchCommands } from './watch.ts'
import { worldCommands } from './worlds.ts'

/** Every command there is. Calls, help and completion are read from this table. */
export const commands: readonly Command[] = [
  ...serveCommands,
  checkCommand,
  listenCommand,
  triggerCommand,
  ...scenarioCommands,
  gauntletCommand,
  proxyCommand,
  ...worldCommands,
  ...watchCommands,
  migrateCommand,
  ...partitionCommands,
  ...backupCommands,
  ...accountCommands,
  ...appCommands,
  ...cellCommands,
  ...jobCommands,
  ...deliveryCommands,
  invariantsCommand,
  ...keyCommands,
  ...secretCommands,
  auditCommand,
  ...peopleCommands,
  ...consoleCommands,
  docsCommand(() => commands),
  completionCommand(() => commands),
]
