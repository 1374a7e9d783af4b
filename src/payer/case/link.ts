import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Service } from '../../room.ts'

const sign = ({ settings }: Service, disputeId: string) =>
  createHmac('sha256', `problem link\0${settings.secret}`).update(disputeId).digest('base64url')

/** The private address through which a payer follows a problem. Nothing of it is stored: it can be made again. */
export const problemPath = (service: Service, disputeId: string): string =>
  `/invoice/problem/${disputeId}~${sign(service, disputeId)}`

/** The dispute a private address opens; undefined for one we did not make. */
export function readProblemKey(service: Service, key: string): string | undefined {
  const [disputeId = '', signature = ''] = key.split('~')
  const given = Buffer.from(signature, 'base64url')
  const right = Buffer.from(sign(service, disputeId), 'base64url')
  return given.length === right.length && timingSafeEqual(given, right) ? disputeId : undefined
}
