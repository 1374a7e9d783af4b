import { SettingError } from '../config.ts'
import { addressOf } from '../http/address.ts'
import type { Settings } from '../settings.ts'

/** Where the service is reached. A command does not hear of it from the service, and in live no default would be right. */
export function publicUrlOf({ environment, publicUrl, host, port }: Settings, because: string): string {
  if (publicUrl === undefined && environment === 'live')
    throw new SettingError(`Set PUBLIC_URL to what the service has: ${because}.`)
  return publicUrl ?? addressOf(host, port)
}
