import { existsSync } from 'node:fs'
import { waysOf } from '../../database/address.ts'
import { COMMAND_CONNECT_TIMEOUT_MS } from '../../database/connector.ts'
import { makeDataDir, refuseMoved } from '../../database/embedded/folders.ts'
import { examine } from '../../database/migrate.ts'
import { type Database, openDatabase } from '../../database/open.ts'
import { Replica } from '../../database/replica.ts'
import { sql } from '../../database/sql.ts'
import { randomIds } from '../../kernel/ids.ts'
import type { Settings } from '../../settings.ts'
import { type Command, CommandError, UsageError } from '../command.ts'
import { complaintOf } from '../complain.ts'
import { mayNotCreate, ownsNot, whereOf } from '../database-complaint.ts'
import { requireOurs, unlessMissing } from '../ours.ts'
import { print } from '../print.ts'
import { requireStartable } from '../startable.ts'

/** What was found of one thing that a service needs. A note is nothing wrong, and nothing that everybody wants. */
interface Finding {
  readonly what: string
  readonly state: 'ok' | 'note' | 'failed'
  readonly says: string
}
type Said = Omit<Finding, 'what'>

const ok = (says: string): Said => ({ state: 'ok', says })
const note = (says: string): Said => ({ state: 'note', says })

/** Tries everything that a service with these settings would need, and changes nothing. */
export const checkCommand: Command = {
  kind: 'free',
  goesBy: 'all',
  name: 'check',
  summary: 'Test everything that a service with these settings needs: database, replica, mail, gateway, single sign-on',
  examples: [
    ['check', 'before the first start, before an upgrade, or beside a service; it changes nothing'],
    ['check --mail-to me@example.com', 'hands the mail server a mail as well'],
  ],
  options: {
    'mail-to': { type: 'string', value: '<address>', description: 'Send a mail to this address', personal: true },
  },
  async run({ settings, options, output }) {
    const mailTo = options['mail-to'] as string | undefined
    if (mailTo !== undefined && settings.smtpUrl === undefined) throw new UsageError('--mail-to needs SMTP_URL.')
    const findings = await Promise.all(
      Object.entries(checks).map(async ([what, check]): Promise<Finding> => {
        const said = await check(settings, mailTo).catch((error: unknown): Said => {
          const { text } = complaintOf(error, settings.databaseUrl)
          return { state: 'failed', says: text.replace(/^quittance: /, '').split('\n')[0]! }
        })
        return { what, ...said }
      }),
    )
    output.out(`${print(findings, options['json'] === true)}\n`)
    const failed = findings.filter(({ state }) => state === 'failed').map(({ what }) => what)
    if (failed.length > 0) throw new CommandError(`A service with these settings would fail: ${failed.join(', ')}.`)
  },
}

/** A folder that is there, since none is made here. */
function requireUsable(dataDir: string): void {
  if (existsSync(dataDir)) refuseMoved(makeDataDir(dataDir))
}

const checks: Readonly<Record<string, (settings: Settings, mailTo: string | undefined) => Promise<Said>>> = {
  async settings(settings) {
    await requireStartable(settings)
    return ok(`Those of a ${settings.environment === 'live' ? 'live service' : 'sandbox'}.`)
  },

  async links({ environment, publicUrl }) {
    if (publicUrl === undefined)
      return environment === 'live'
        ? note('PUBLIC_URL is not set: links in mails and answers lead to HOST and PORT.')
        : ok('Links lead to HOST and PORT.')
    const isPlain = environment === 'live' && publicUrl.startsWith('http:')
    return isPlain ? note(`Links lead to ${publicUrl}, which is not encrypted.`) : ok(`Links lead to ${publicUrl}.`)
  },

  async database(settings) {
    if (settings.databaseUrl === undefined) {
      requireUsable(settings.dataDir)
      return ok(`The embedded PostgreSQL, which starts with the service, on the data in ${settings.dataDir}.`)
    }
    const ways = waysOf(settings, undefined)
    const where = whereOf(settings.databaseUrl)
    const { version, pending, isNew, mayCreate, isOwner } = await examine(ways)
    if (pending.length > 0 && !mayCreate) throw new CommandError(mayNotCreate(where))
    if (pending.length > 0 && !isOwner) throw new CommandError(ownsNot(where))
    const server = `PostgreSQL ${version} at ${where}`
    if (isNew) return ok(`${server}, with nothing in it: migrate, or the first start, makes the tables.`)
    return withDatabase(ways.directUrl ?? ways.databaseUrl, async (database) => {
      const asked = requireOurs(database, settings)
      await (pending.length === 0 ? asked : asked.catch(unlessMissing))
      if (pending.length > 0) return note(`${server}; migrate, or the next start, applies ${pending.join(', ')}.`)
      const { fsync, commit } = (await database.row<{ fsync: string; commit: string }>(durability))!
      const off = fsync === 'off' ? 'fsync' : commit === 'off' ? 'synchronous_commit' : undefined
      return off === undefined
        ? ok(`${server}, with the schema of this version.`)
        : note(`${server} runs with ${off} off: when its machine fails, what was acknowledged is lost.`)
    })
  },

  async replica({ databaseUrl, databaseReadUrl }) {
    if (databaseReadUrl === undefined || databaseUrl === undefined) return ok('None: all is read from the database.')
    return withDatabase(databaseUrl, (primary) =>
      withDatabase(
        databaseReadUrl,
        async (database) => {
          let away: string | undefined
          const replica = new Replica({ primary, replica: database, onChange: (why) => (away = why) })
          await replica.start()
          await replica.close()
          const where = whereOf(databaseReadUrl)
          if (away === 'behind') return note(`The server at ${where} is behind: until it is not, the database is read.`)
          return away === undefined
            ? ok(`The server at ${where} has all that the database has.`)
            : { state: 'failed', says: `DATABASE_READ_URL: the replica at ${where} cannot be used, it is ${away}.` }
        },
        { standby: true },
      ),
    )
  },

  async mail({ environment, smtpUrl: url, smtpAllowPrivate, smtpAllowPlain, mailFrom }, mailTo) {
    if (url === undefined)
      return environment === 'live' ? note('SMTP_URL is not set: no mails are sent.') : ok('Kept in the sandbox.')
    const { openMailServer } = await import('../../outbound/mail.ts')
    const server = openMailServer({ url, allowPrivate: smtpAllowPrivate, allowPlain: smtpAllowPlain })
    const { host } = new URL(url)
    const says = 'This is what a mail of this service looks like on its way: "quittance check" sent it.'
    const failed = (error: unknown): never => {
      throw new CommandError(`SMTP_URL: the mail server at ${host} does not take mails from us: ${messageOf(error)}`)
    }
    await server.greet().catch(failed)
    if (mailTo === undefined) return ok(`${host} lets us in; --mail-to shows whether a mail from ${mailFrom} arrives.`)
    const from = { name: 'Quittance', address: mailFrom }
    const subject = 'A mail to see that mails arrive'
    await server
      .send({
        id: `check-${randomIds.next('debug')}`,
        from,
        to: [mailTo],
        subject,
        text: says,
        html: `<p>${says}</p>`,
        attachments: [],
      })
      .catch(failed)
    return ok(`${host} took a mail from ${mailFrom}: look whether it arrived.`)
  },

  async gateway({ environment, gatewayUrl: url, gatewaySecrets: secrets, gatewayAllowHttp, gatewayAllowPrivate }) {
    if (url === undefined || secrets === undefined)
      return environment === 'live'
        ? note('GATEWAY_URL is not set: pages ask payers to pay otherwise.')
        : ok('The one of the sandbox.')
    const [{ openGateway }, { openOutbound }, { signText }, { systemClock }] = await Promise.all([
      import('../../outbound/gateway.ts'),
      import('../../outbound/http.ts'),
      import('../../payer/pay/gateway-signature.ts'),
      import('../../kernel/clock.ts'),
    ])
    const outbound = openOutbound({ allowHttp: gatewayAllowHttp, allowPrivate: gatewayAllowPrivate })
    const gateway = openGateway({ url, outbound, sign: (text) => signText(secrets[0], text, systemClock.now()) })
    try {
      const charge = await gateway.status(NO_CHARGE)
      return charge === undefined
        ? ok(`${url} answers, and knows nothing of a charge that was never made.`)
        : {
            state: 'failed',
            says: `GATEWAY_URL: ${url} says ${charge.status} of a charge that was never made; it must answer 404.`,
          }
    } catch (error) {
      throw new CommandError(`GATEWAY_URL: ${url} cannot be asked: ${messageOf(error)}`)
    } finally {
      await outbound.close()
    }
  },

  async 'single sign-on'(settings) {
    const { consoleOidcIssuer: issuer } = settings
    if (issuer === undefined) return ok('None: people come to the console with passkeys.')
    const { discoverIssuer } = await import('../../console/sign-in/oidc.ts')
    await discoverIssuer(settings).catch((error: unknown) => {
      throw new CommandError(`CONSOLE_OIDC_ISSUER: ${issuer} does not answer as an issuer does: ${messageOf(error)}`)
    })
    return ok(`${issuer} answers.`)
  },
}

const durability = sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`

const NO_CHARGE = 'A-CHARGE-THAT-WAS-NEVER-MADE'

/** What went wrong, and what caused it, in one line. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  const told = error.message || (error as NodeJS.ErrnoException).code || error.name
  const more = inner instanceof Error && !told.includes(inner.message) ? ` (${messageOf(inner)})` : ''
  return `${told.replaceAll(/\s+/g, ' ').trim()}${more}`
}

async function withDatabase<T>(
  url: string,
  work: (database: Database) => Promise<T>,
  { standby = false } = {},
): Promise<T> {
  const database = openDatabase(url, {
    connectionsMax: 2,
    connectTimeoutMs: COMMAND_CONNECT_TIMEOUT_MS,
    applicationName: 'quittance check',
    ...(standby && { standby }),
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
