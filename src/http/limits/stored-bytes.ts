import type { SettingsOf } from '../../config.ts'
import { requireQuota } from '../../database/quota.ts'
import type { Tx } from '../../database/transaction.ts'
import type { httpSettings } from '../settings.ts'

/** Smaller bodies are not counted: how often they can be sent is limited already, and counting would cost more than it saves. */
const UNCOUNTED_BYTES = 8_192
const MEGABYTE = 1_048_576
const DAY_SECONDS = 86_400
/** The part of an account's limit that somebody without an account has, such as a payer who sends evidence. */
const STRANGER_PART = 0.1

export interface Sender {
  /** Undefined for somebody who brings no token. */
  readonly accountId: string | undefined
  readonly network: string
}

/**
 * Counts what a request leaves behind, in the commit that stores it: an account may send only so much in large bodies a day.
 * A body is kept as a document, in events and perhaps in a kept answer, so this limits all of them.
 */
export async function countStored(
  tx: Tx,
  { storedMegabytesPerDay }: Pick<SettingsOf<typeof httpSettings>, 'storedMegabytesPerDay'>,
  { accountId, network }: Sender,
  bytes: number,
): Promise<void> {
  if (bytes <= UNCOUNTED_BYTES || storedMegabytesPerDay === 0) return
  const part = accountId === undefined ? STRANGER_PART : 1
  const max = Math.floor(storedMegabytesPerDay * MEGABYTE * part)
  const quota = { name: 'stored-bytes', max, seconds: DAY_SECONDS }
  // No account has this name.
  const owner = accountId ?? 'strangers'
  const use = { quota, amount: bytes, ...(accountId === undefined && { key: network }) }
  await requireQuota(tx, owner, [use], 'The bytes of large requests')
}
