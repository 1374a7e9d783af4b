import { createHmac } from 'node:crypto'
import { isSigned } from '../../kernel/secrets.ts'
import type { Service } from '../../room.ts'

const sign = (secret: string, disputeId: string) =>
  createHmac('sha256', `problem link\0${secret}`).update(disputeId).digest('base64url')

/** The private address at which a payer follows a problem. It is not stored, because it can be made again. */
export const casePath = (service: Service, disputeId: string): string =>
  `/invoice/problem/${disputeId}~${sign(service.settings.secrets![0], disputeId)}`

/** The dispute that a private address opens. Undefined if we did not make the address. */
export function readCaseKey(service: Service, key: string): string | undefined {
  const [disputeId = '', signature = ''] = key.split('~')
  return isSigned(service.settings.secrets!, signature, (secret) => sign(secret, disputeId)) ? disputeId : undefined
}
