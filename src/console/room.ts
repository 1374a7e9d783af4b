import type { OpenRoom } from '../room.ts'
import { sweepSignIns } from './sign-in/logins.ts'

/** What the console does without anybody looking; its pages are in `routes.ts`. */
export const openConsole: OpenRoom = ({ settings }) => ({ sweep: sweepSignIns(settings.auditRetentionDays) })
