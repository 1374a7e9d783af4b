import { createHash } from 'node:crypto'
import type { JobRequest } from './job.ts'

/** The payload of a `fetch-logo` job. Only the job calls the address. */
export interface LogoPayload {
  readonly account_id: string
  readonly url: string
}

/** The name under which the logo of an address is kept. */
export const logoDigest = (url: string): string => createHash('sha256').update(url).digest('hex')

/** The job that fetches a copy of a merchant's logo; nothing happens when there is one already. */
export const logoJob = (accountId: string, url: string): JobRequest => ({
  name: 'fetch-logo',
  payload: { account_id: accountId, url } satisfies LogoPayload,
  key: `logo:${accountId}:${logoDigest(url)}`,
})
