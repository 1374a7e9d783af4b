import { fileURLToPath } from 'node:url'
import { type Child, startChild } from './child.ts'

const START_WITHIN_MS = 120_000
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface RunningService extends Child {
  readonly baseUrl: string
  /** The last warnings and errors of its log, to be told when a round fails. */
  complaints(): string
}

const COMPLAINTS_LENGTH = 4_000

/** What a live service needs, and no limit on what one app may ask of it. */
export const live = {
  QUITTANCE_ENVIRONMENT: 'live',
  QUITTANCE_SECRET: 'a secret of the bench, long enough to be one of ours',
  RATE_LIMIT_PER_MINUTE: '0',
  TOKEN_RATE_LIMIT_PER_MINUTE: '0',
}

/** Starts the compiled service for requests only: jobs are enqueued, not run. */
export async function startService(
  databaseUrl: string,
  settings: NodeJS.ProcessEnv = {},
  nodeOptions: readonly string[] = [],
): Promise<RunningService> {
  const child = startChild([...nodeOptions, '--disable-proto=delete', main, 'serve'], {
    ...settings,
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    PORT: '0',
  })
  let complaints = ''
  const listenForComplaints = (text: string) => {
    if (!/"level":[456]0/.test(text)) return
    const lines = text.split('\n').filter((line) => /^{"level":[456]0/.test(line))
    complaints = `${complaints}${lines.join('\n')}\n`.slice(-COMPLAINTS_LENGTH)
  }
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => reject(new Error('The service did not start in time.')), START_WITHIN_MS)
    child.process.once('exit', (code) => reject(new Error(`The service ended with ${code} while it started.`)))
    const stdout = child.process.stdout!.setEncoding('utf8')
    const listen = (text: string) => {
      said += text
      const address = /is ready at (http:[^\s,]+)/.exec(said)?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      // It goes on to log every request. To do more with that here would take the time of what is measured.
      stdout.off('data', listen).on('data', listenForComplaints)
      resolve(address)
    }
    stdout.on('data', listen)
  })
  return { ...child, baseUrl, complaints: () => complaints }
}
