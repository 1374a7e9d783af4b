import { isOwnOrigin as isOrigin } from '../payer/page/form-token.ts'
import type { Service } from '../room.ts'
import { consoleUrl } from './sign-in/links.ts'

/** Whether a form came from a page of the console. The console may have an address of its own, besides that of the service. */
export const isOwnOrigin = (headers: Parameters<typeof isOrigin>[0], service: Service): boolean =>
  [service.publicUrl, consoleUrl(service)].some((publicUrl) =>
    isOrigin(headers, { publicUrl, environment: service.environment }),
  )
