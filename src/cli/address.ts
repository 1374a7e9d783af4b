import { createServer } from 'node:net'
import type { Settings } from '../settings.ts'
import { CommandError } from './command.ts'

type Address = Pick<Settings, 'host' | 'port'> & { readonly variable?: 'PORT' | 'STATUS_PORT' }

/** Tries the listening address before anything is made or opened, and refuses with the setting that must change. */
export async function requireFreeAddress({ host, port, variable }: Address): Promise<void> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()))
  }).catch((error: unknown) => {
    throw addressRefusal(error, { host, port, ...(variable && { variable }) })
  })
}

/** Why the address cannot be listened on, as a sentence; any other error as it is. */
export function addressRefusal(error: unknown, { host, port, variable = 'PORT' }: Address): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new CommandError(
        `Something else listens on port ${port} of ${host}: stop it, or set ${variable} to another port (0 takes a free one).`,
      )
    case 'EACCES':
      return new CommandError(`This account may not listen on port ${port}: set ${variable} to 1024 or above.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new CommandError(`This machine has no address ${host}: set HOST to one that it has.`)
    default:
      return error
  }
}
