import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, type Ground, type Running } from './ground.ts'

/** The program as it is now. */
export const presentProgram = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const READY_WITHIN_MS = 300_000
const STARTS_MAX = 5
const SECRET = 'the secret of a lab, which is long enough to be one'

/** A live service in a process of its own, at a port that it keeps when it starts again. */
export interface ServiceProcess {
  readonly url: string
  readonly running: Running
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Starts it again, perhaps as another version of the program. */
  again(program?: string): Promise<void>
}

type Variables = Record<string, string>

export const liveVariables = (databaseUrl: string, more: Variables = {}): Variables => ({
  QUITTANCE_ENVIRONMENT: 'live',
  QUITTANCE_SECRET: SECRET,
  DATABASE_URL: databaseUrl,
  PUBLIC_URL: 'http://127.0.0.1:1',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_SIGNATURES: 'standard',
  RATE_LIMIT_PER_MINUTE: '0',
  TOKEN_RATE_LIMIT_PER_MINUTE: '0',
  MAIL_PER_INVOICE_PER_DAY: '0',
  MAIL_PER_ACCOUNT_PER_DAY: '0',
  SHUTDOWN_GRACE_SECONDS: '0',
  STORED_MEGABYTES_PER_DAY: '0',
  LOG_LEVEL: 'warn',
  ...more,
})

export async function startService(
  ground: Ground,
  name: string,
  variables: Variables,
  program = presentProgram,
): Promise<ServiceProcess> {
  const port = variables['PORT'] ?? String(await freePort())
  const all = { ...variables, PORT: port, HOST: '127.0.0.1' }
  const service = {
    url: `http://127.0.0.1:${port}`,
    running: await supervised(() => launch(ground, name, all, program)),
    end: (signal: NodeJS.Signals = 'SIGTERM') => service.running.end(signal),
    async again(other = program) {
      service.running = await supervised(() => launch(ground, name, all, other))
    },
  }
  return service
}

/** Starts it as an init system does: once more where it found its database too slow to start on. */
async function supervised(start: () => Promise<Running>): Promise<Running> {
  for (let tries = 1; ; tries++)
    try {
      return await start()
    } catch (error) {
      if (tries === STARTS_MAX) throw error
    }
}

function launch(ground: Ground, name: string, variables: Variables, program: string): Promise<Running> {
  return new Promise((resolve, reject) => {
    let said = ''
    const late = setTimeout(() => reject(new Error(`${name} did not start in time: ${said}`)), READY_WITHIN_MS)
    const running = ground.start(name, [process.execPath, '--disable-proto=delete', program, 'start'], {
      env: variables,
      onOutput(text) {
        if (said.includes('is ready at')) return
        said += text
        if (!said.includes('is ready at')) return
        clearTimeout(late)
        resolve(running)
      },
    })
    void running.ended.then((code) => {
      clearTimeout(late)
      reject(new Error(`${name} ended with ${code} while it started: ${said}`))
    })
  })
}

const execute = promisify(execFile)

/** Runs a command of the program, and gives what it prints with `--json`. The lab goes on: the way there may lead through it. */
async function command<Result>(words: readonly string[], variables: Variables, program: string): Promise<Result> {
  const { DATABASE_URL: _mine, ...env } = process.env
  const { stdout } = await execute(process.execPath, [program, ...words, '--json'], { env: { ...env, ...variables } })
  return JSON.parse(stdout) as Result
}

export interface Merchant {
  readonly clientId: string
  readonly clientSecret: string
}

/** A merchant with an app, as an operator makes them. */
export async function newMerchant(variables: Variables, program = presentProgram): Promise<Merchant> {
  const account = await command<{ id: string }>(
    [
      'accounts',
      'create',
      '--email',
      'shop@example.com',
      '--name',
      'A shop',
      '--time-zone',
      'UTC',
      '--currency',
      'USD',
    ],
    variables,
    program,
  )
  const app = await command<{ client_id: string; client_secret: string }>(
    ['apps', 'create', account.id, '--name', 'Till', '--features', 'invoicing,disputes,webhooks,payments'],
    variables,
    program,
  )
  return { clientId: app.client_id, clientSecret: app.client_secret }
}
