import { createPrivateKey, createPublicKey } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { inject } from 'vitest'
import type { Feature } from '../../src/accounts/schema.ts'
import { type AppOptions, openApp } from '../../src/app.ts'
import { logOptions } from '../../src/cli/log.ts'
import { databaseIn, inDatabase, type Ways } from '../../src/database/address.ts'
import { after, systemClock } from '../../src/kernel/clock.ts'
import type { Money } from '../../src/kernel/money.ts'
import { people } from '../../src/sandbox/people.ts'
import { readSettings, type Settings } from '../../src/settings.ts'
import { addNewApp } from './apps.ts'
import { callTo, peopleOf } from './call.ts'
import { newDatabase, patience } from './database.ts'
import { assertInvariants } from './invariants.ts'
import { newState, type Opened, takeBack, takeOr } from './used-worlds.ts'

export { assertion, basic, type Response } from './call.ts'
export { START } from './server.ts'

export const usd = (value: string): Money => ({ currency_code: 'USD', value })

export type World = Awaited<ReturnType<typeof newWorld>>
export type Person = ReturnType<World['person']>

export interface WorldOptions {
  /** Nobody used it before: for tests of plans, and of what a process counts or remembers, which a reset leaves alone. */
  readonly isOwn?: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** Does what is due by itself, as a service does; else a test says when. */
  readonly works?: boolean
  readonly log?: Logger
  /** Leads the service to its database by another way than the straight one. */
  readonly through?: (databaseUrl: string) => Promise<Ways>
}

const isAddress = (setting: string) => setting === 'PUBLIC_URL'

/** Straight, or by the pooler that the lab put there. */
async function usualWay(databaseUrl: string): Promise<Ways> {
  const pooler = process.env['TEST_POOLER_URL']
  if (pooler === undefined) return { databaseUrl }
  return { databaseUrl: inDatabase(pooler, databaseIn(databaseUrl)), directUrl: databaseUrl }
}

let keysGiven = 0

/** A pair that was made when the run began, and another one the next time. */
async function keyPairAtHand() {
  const keys = inject('signingKeys')
  const privateKey = createPrivateKey(keys[keysGiven++ % keys.length]!)
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** On a busy machine everything may well be late: that is no reason to refuse anybody, but where a test is about it. */
export const patient: Partial<AppOptions> = {
  loopDelay: { enable: () => true, disable: () => true, reset() {}, mean: 0 },
  ...patience,
  statementTimeoutMs: 60_000,
  // Whoever asks for figures in a test asks again.
  betweenFiguresMs: 0,
  newKeyPair: keyPairAtHand,
}

/** A running service on a database of its own, with a clock that stands still, and people to use it. */
export async function newWorld(options: WorldOptions = {}) {
  const { settings: extra = {}, works = false, isOwn = false, log, through = usualWay } = options
  const settings: Settings = readSettings({ LOG_LEVEL: 'error', PORT: '0', ...extra })
  const open = async (): Promise<Opened> => {
    const { url: databaseUrl, drop } = await newDatabase({ stopped: settings.environment === 'sandbox' })
    const state = newState()
    const app = await openApp({
      settings,
      ...(await through(databaseUrl)),
      log: log ?? pino(logOptions(settings.logLevel)),
      ...(settings.seed === undefined && { ids: { next: (kind) => state.ids.next(kind) } }),
      realTime: { now: () => after(systemClock.now(), state.realSeconds) },
      ...patient,
      works,
    })
    return { app, databaseUrl, address: extra['PUBLIC_URL'], state, drop }
  }
  const isUsual = !isOwn && !works && !log && through === usualWay && Object.keys(extra).every(isAddress)
  const opened = await (isUsual ? takeOr(extra['PUBLIC_URL'], open) : open())
  const { app, state } = opened
  const call = callTo(app)
  const { person, tokenFor } = peopleOf(call)
  /** A new app of an account, and someone who calls with it. */
  async function personWithApp(
    account: string,
    scopes: readonly string[],
    parts: { features?: readonly Feature[]; actingFor?: string } = {},
  ) {
    const { clientId, secret } = await app.transact(async (tx) =>
      addNewApp(tx, { accountId: account, scopes, features: parts.features, secrets: settings.secrets! }),
    )
    return person(clientId, { secret, ...(parts.actingFor !== undefined && { actingFor: parts.actingFor }) })
  }

  return {
    app,
    personWithApp,
    databaseUrl: opened.databaseUrl,
    people,
    call,
    person,
    tokenFor,
    merchant: person('sandbox-merchant'),
    otherMerchant: person('sandbox-merchant-2'),
    buyer: person('sandbox-buyer'),
    partner: person('sandbox-partner'),
    now: () => app.clock.now(),
    /** Lets time pass; everything that falls due on the way is done when this comes back. */
    async pass(duration: string) {
      const { status, body, text } = await call<{ fired: { work: string; at: string; key?: string }[] }>(
        'POST',
        '/sandbox/clock',
        { advance: duration },
      )
      if (status !== 200) throw new Error(`the clock did not move: ${text}`)
      return body.fired
    },
    /** Lets real time pass, which access tokens live on. The service's own clock does not move. */
    passReally(seconds: number) {
      state.realSeconds += seconds
    },
    /** Does everything that is due now. */
    settle: () => app.drain(),
    /** The events the service recorded, oldest first. */
    events: async (resourceId?: string) => {
      const rows = await app.database.query<{
        type: string
        resource_id: string
        resource: Record<string, never>
      }>(
        "select type, resource_id, body::json->'resource' as resource from events where $1::text is null or resource_id = $1 order by seq",
        [resourceId ?? null],
      )
      return rows.rows
    },
    async close() {
      await assertInvariants(app.database)
      if (isUsual && (await takeBack(opened))) return
      await app.close()
      await opened.drop()
    },
  }
}
