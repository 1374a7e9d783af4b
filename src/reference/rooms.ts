import { accountsReference } from '../accounts/reference.ts'
import { auditReference } from '../audit/reference.ts'
import { disputesReference } from '../disputes/reference.ts'
import { serviceReference } from '../http/reference.ts'
import { invoicesReference } from '../invoices/reference.ts'
import type { RoomReference } from '../kernel/reference.ts'
import { ledgerReference } from '../ledger/reference.ts'
import { payerReference } from '../payer/reference.ts'
import { sandboxReference } from '../sandbox/reference.ts'
import { webhooksReference } from '../webhooks/reference.ts'

/** What every room tells about its operations. Read when somebody asks for it, and not when the service starts. */
export const references: readonly RoomReference[] = [
  accountsReference,
  ledgerReference,
  invoicesReference,
  disputesReference,
  webhooksReference,
  payerReference,
  sandboxReference,
  auditReference,
  serviceReference,
]
