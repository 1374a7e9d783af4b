import { openAudit } from './audit/room.ts'
import { openConsole } from './console/room.ts'
import { disputesFollow, openDisputes } from './disputes/room.ts'
import { openInvariants } from './invariants/room.ts'
import { openInvoices } from './invoices/room.ts'
import { openLedger } from './ledger/routes.ts'
import { openPayer } from './payer/room.ts'
import type { OpenRoom } from './room.ts'
import { openWebhooks } from './webhooks/room.ts'

/** Every room with operations or jobs of its own. */
export const rooms: readonly OpenRoom[] = [
  openLedger(disputesFollow),
  openInvoices,
  openDisputes,
  openWebhooks,
  openPayer,
  openAudit,
  openInvariants,
  openConsole,
]
