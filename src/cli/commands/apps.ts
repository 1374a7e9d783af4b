import { makeApp, rotateAppSecret } from '../../accounts/apps.ts'
import { type App, type Feature, features } from '../../accounts/schema.ts'
import { allScopes, isFeature } from '../../accounts/scopes.ts'
import {
  changeAppStatus,
  deleteApp,
  findAccount,
  findApp,
  grantConsent,
  listApps,
  revokeConsent,
} from '../../accounts/store.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { SecretRing } from '../../kernel/secrets.ts'
import type { Settings } from '../../settings.ts'
import { makeSeal, requireSameSecret } from '../../webhooks/signing/seal.ts'
import { type Command, CommandError, type CommandInput, type StoreInput, UsageError } from '../command.ts'
import { requireSecrets } from '../startable.ts'

const summaryOf = ({ client_id, id, account_id, name, status, features: enabled }: App) => ({
  client_id,
  app_id: id,
  account_id,
  name,
  status,
  features: enabled,
})

const names = (value: unknown): string[] => (typeof value === 'string' ? value.split(',').filter(Boolean) : [])

/** The app that a command is about to change. */
async function requireApp(tx: Tx, clientId: string): Promise<App> {
  const app = await findApp(tx, clientId)
  if (!app) throw new CommandError(`There is no app with the client id ${clientId}.`)
  tx.about(app.account_id, app.id)
  return app
}

/** Makes and manages apps: what a client id and secret stand for. */
export const appCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'apps list',
    summary: 'List apps',
    examples: [['apps list', 'shows client ids, accounts and states']],
    run: async ({ db }) => (await listApps(db)).map(summaryOf),
  },
  {
    kind: 'store',
    name: 'apps create',
    summary: 'Make an app for an account and print its secret, once',
    arguments: ['account id'],
    examples: [
      ['apps create 5D7AXM9OKD1Q6 --name Till --features invoicing,webhooks', 'makes an app of a merchant'],
      ['apps create 5D7AXM9OKD1Q6 --name Operator --scopes operator', 'makes one that operates the service'],
    ],
    options: {
      name: { type: 'string', value: '<name>', description: 'What to call it' },
      features: {
        type: 'string',
        value: '<list>',
        description: `Comma-separated; all by default: ${features.join(',')}`,
      },
      scopes: {
        type: 'string',
        value: '<list>',
        description:
          'Comma-separated; by default what a merchant, or a person, needs of its features. "operator" makes an operator',
      },
    },
    check: readPowers,
    run: createApp,
  },
  changeStatus('apps disable', 'Disable an app and end its access tokens', 'DISABLED'),
  changeStatus('apps enable', 'Enable an app again', 'ENABLED'),
  {
    kind: 'store',
    name: 'apps delete',
    summary: 'Delete an app with its secrets, tokens and consents',
    arguments: ['client id'],
    examples: [['apps delete <client id>', 'ends everything it may']],
    async run({ transact, arguments: [clientId], announceAccessChange }) {
      await transact(async (tx) => {
        await requireApp(tx, clientId!)
        deleteApp(tx, clientId!)
      })
      await announceAccessChange()
      return { client_id: clientId, status: 'DELETED' }
    },
  },
  {
    kind: 'store',
    name: 'apps rotate-secret',
    summary: 'Add a second secret and print it, once; the one before stays valid until the next rotation',
    arguments: ['client id'],
    examples: [
      ['apps rotate-secret <client id>', 'adds a secret; the one before still works'],
      ['apps rotate-secret <client id> --revoke', 'ends all earlier ones now'],
    ],
    options: { revoke: { type: 'boolean', description: 'Revoke all earlier secrets at once, and the access tokens' } },
    async run({ db, settings, transact, options, arguments: [clientId], announceAccessChange }) {
      const ring = await requireServiceSecrets(db, settings)
      const secret = await transact(async (tx) =>
        rotateAppSecret(tx, await requireApp(tx, clientId!), options['revoke'] === true, ring),
      )
      await announceAccessChange()
      return { client_id: clientId, client_secret: secret }
    },
  },
  {
    kind: 'store',
    name: 'apps consent',
    summary: 'Let an app act for a merchant, as the merchant agreed',
    arguments: ['client id', 'account id'],
    examples: [
      [
        'apps consent <client id> 5D7AXM9OKD1Q6 --scopes disputes/read-partner',
        'lets it read disputes of this merchant',
      ],
      ['apps consent <client id> 5D7AXM9OKD1Q6 --revoke', 'takes that back'],
    ],
    options: {
      scopes: { type: 'string', value: '<list>', description: 'Comma-separated; all scopes of the app by default' },
      revoke: { type: 'boolean', description: 'Take the consent back' },
    },
    check: readPowers,
    async run(input) {
      const {
        transact,
        options,
        arguments: [clientId, accountId],
        announceAccessChange,
      } = input
      const { scopes: named } = readPowers(input)
      const scopes = await transact(async (tx) => {
        const app = await requireApp(tx, clientId!)
        if (!(await findAccount(tx, accountId!))) throw new CommandError(`There is no account ${accountId}.`)
        const granted = named ?? [...app.scopes]
        if (options['revoke']) revokeConsent(tx, accountId!, app.id)
        else grantConsent(tx, accountId!, app.id, granted)
        return options['revoke'] ? [] : granted
      })
      await announceAccessChange()
      return { client_id: clientId, account_id: accountId, scopes }
    },
  },
]

/** A client secret made with another secret than the services have would be refused by all of them. */
async function requireServiceSecrets(db: Reader, settings: Settings): Promise<SecretRing> {
  const ring = requireSecrets(settings)
  await requireSameSecret(db, makeSeal(ring))
  return ring
}

/** What an app is to be given, where that was said. */
function readPowers({ options }: CommandInput) {
  return {
    features: options['features'] === undefined ? undefined : knownFeatures(names(options['features'])),
    scopes: options['scopes'] === undefined ? undefined : knownScopes(names(options['scopes'])),
  }
}

async function createApp(input: StoreInput) {
  const {
    db,
    settings,
    transact,
    options,
    arguments: [accountId],
  } = input
  const { features: enabled = [...features], scopes: named } = readPowers(input)
  const ring = await requireServiceSecrets(db, settings)
  return transact(async (tx) => {
    const account = await findAccount(tx, accountId!)
    if (!account) throw new CommandError(`There is no account ${accountId}.`)
    const name = typeof options['name'] === 'string' ? options['name'] : 'app'
    const made = makeApp(tx, account, { name, features: enabled, ...(named && { scopes: named }) }, ring)
    if (!made)
      throw new CommandError('An app of a person has scopes of disputes by default; name any others with --scopes.')
    return { ...summaryOf(made.app), client_secret: made.secret }
  })
}

function knownFeatures(list: string[]): Feature[] {
  const unknown = list.find((name) => !isFeature(name))
  if (unknown !== undefined || list.length === 0)
    throw new UsageError(`--features takes some of ${features.join(',')}.`)
  return list.filter(isFeature)
}

function knownScopes(list: string[]): string[] {
  if (list.length === 0) throw new UsageError(`--scopes takes some of ${allScopes.join(',')}.`)
  const unknown = list.find((name) => !allScopes.includes(name))
  if (unknown !== undefined) throw new UsageError(`There is no scope ${unknown}; there are ${allScopes.join(', ')}.`)
  return list
}

function changeStatus(name: string, summary: string, status: App['status']): Command {
  return {
    kind: 'store',
    name,
    summary,
    arguments: ['client id'],
    examples: [[`${name} <client id>`, `makes it ${status}`]],
    async run({ transact, arguments: [clientId], announceAccessChange }) {
      const app = await transact(async (tx) => {
        const found = await requireApp(tx, clientId!)
        changeAppStatus(tx, clientId!, status)
        return { ...found, status }
      })
      await announceAccessChange()
      return summaryOf(app)
    },
  }
}
