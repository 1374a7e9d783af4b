import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Instant } from '../../kernel/clock.ts'

const AGE_SECONDS_MAX = 300

const secondsOf = (now: Instant) => Math.floor(Date.parse(now) / 1000)
const mac = (secret: string, seconds: number, text: string) =>
  createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex')

/** `t=<seconds>,v1=<HMAC-SHA256 over "t.text">`: proves that somebody who has the secret said this at that time. */
export const signText = (secret: string, text: string, now: Instant): string =>
  `t=${secondsOf(now)},v1=${mac(secret, secondsOf(now), text)}`

/** Whether a signature is right and at most five minutes old. */
export function isSigned(secret: string, text: string, signature: string, now: Instant): boolean {
  const [, seconds, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  if (seconds === undefined || given === undefined) return false
  if (Math.abs(Number(seconds) - secondsOf(now)) > AGE_SECONDS_MAX) return false
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(mac(secret, Number(seconds), text), 'hex'))
}
