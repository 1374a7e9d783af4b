import { createHmac } from 'node:crypto'
import { isSigned } from '../../kernel/secrets.ts'
import type { Service } from '../../room.ts'

const sign = (secret: string, disputeId: string) =>
  createHmac('sha256', `problem link\0${secret}`).update(disputeId).digest('base64url')

/** The private address through which a payer follows a problem. Nothing of it is stored: it can be made again. */
export const casePath = (service: Service, disputeId: string): string =>
  `/invoice/problem/${disputeId}~${sign(service.settings.secrets![0], disputeId)}`

/** The dispute a private address opens; undefined for one we did not make. */
export function readCaseKey(service: Service, key: string): string | undefined {
  const [disputeId = '', signature = ''] = key.split('~')
  return isSigned(service.settings.secrets!, signature, (secret) => sign(secret, disputeId)) ? disputeId : undefined
}
