import type { Account } from '../accounts/schema.ts'
import { addAccount, findAccount, listAccounts, saveAccount } from '../accounts/store.ts'
import type { Tx } from '../database/transaction.ts'
import { isZone } from '../kernel/clock.ts'
import { isCurrency } from '../kernel/money.ts'
import { accountLocale, chooseLocale, languages } from '../payer/words/languages.ts'
import { type Command, CommandError, type StoreInput, UsageError } from './command.ts'

const text = (input: StoreInput, name: string, initial?: string): string => {
  const value = input.options[name] ?? initial
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is needed.`)
  return value
}

const summaryOf = ({ id, kind, status, email, name, time_zone, currency_code, country_code, language }: Account) => ({
  id,
  kind,
  status,
  email,
  name,
  time_zone,
  currency_code,
  language: language ?? accountLocale({ country_code }).language,
})

/** Makes and manages accounts. In live there is no other way to get one. */
export const accountCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'accounts list',
    summary: 'List accounts',
    run: async ({ db }) => (await listAccounts(db)).map(summaryOf),
  },
  {
    kind: 'store',
    name: 'accounts create',
    summary: 'Make an account of a merchant or a person',
    options: {
      email: { type: 'string', value: '<address>', description: 'Its e-mail address; unique', personal: true },
      name: {
        type: 'string',
        value: '<name>',
        description: 'The business name, or the full name of a person',
        personal: true,
      },
      kind: { type: 'string', value: '<kind>', description: 'BUSINESS (default) or PERSONAL' },
      'time-zone': { type: 'string', value: '<zone>', description: 'The zone its days are counted in; UTC by default' },
      currency: { type: 'string', value: '<code>', description: 'Its currency; USD by default' },
      country: { type: 'string', value: '<code>', description: 'Its country; US by default' },
      language: {
        type: 'string',
        value: '<tag>',
        description: 'What mails to it are written in; as in its country by default',
      },
    },
    async run(input) {
      const account = await input.transact(async (tx) => {
        const made = readAccount(input, tx.newId('account'), tx.now)
        addAccount(tx, made)
        return made
      })
      return summaryOf(account)
    },
  },
  {
    kind: 'store',
    name: 'accounts language',
    summary: 'Choose what mails to an account are written in',
    arguments: ['account id', 'language'],
    async run({ transact, arguments: [id, language] }) {
      readLanguage(language!)
      return summaryOf(await transact((tx) => change(tx, id!, { language: language! })))
    },
  },
  changeStatus('accounts suspend', 'Suspend an account and end the access tokens of its apps', 'SUSPENDED'),
  changeStatus('accounts activate', 'Lift the suspension of an account', 'ACTIVE'),
]

function readAccount(input: StoreInput, id: string, now: string): Account {
  const kind = text(input, 'kind', 'BUSINESS')
  const email = text(input, 'email')
  const time_zone = text(input, 'time-zone', 'UTC')
  const currency_code = text(input, 'currency', 'USD')
  const country_code = text(input, 'country', 'US')
  if (kind !== 'BUSINESS' && kind !== 'PERSONAL') throw new UsageError('--kind must be BUSINESS or PERSONAL.')
  if (!/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email)) throw new UsageError('--email must be an e-mail address.')
  if (!isZone(time_zone)) throw new UsageError('--time-zone must be an IANA zone, for example Europe/Berlin.')
  if (!isCurrency(currency_code)) throw new UsageError('--currency must be a code of ISO 4217.')
  if (!/^([A-Z]{2}|C2)$/.test(country_code)) throw new UsageError('--country must be two capital letters.')
  const { language } = input.options
  return {
    id,
    kind,
    status: 'ACTIVE',
    email,
    name: text(input, 'name'),
    time_zone,
    currency_code,
    country_code,
    ...(typeof language === 'string' && { language: readLanguage(language) }),
    create_time: now,
  }
}

function readLanguage(tag: string): string {
  if (!/^[a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag) || chooseLocale(tag).language !== tag.slice(0, 2))
    throw new UsageError(`The language must be one of ${languages.join(', ')}, with or without a region: de-AT.`)
  return tag
}

async function change(tx: Tx, id: string, changes: Partial<Account>): Promise<Account> {
  const found = await findAccount(tx, id)
  if (!found) throw new CommandError(`There is no account ${id}.`)
  const changed = { ...found, ...changes }
  saveAccount(tx, found, changed)
  return changed
}

function changeStatus(name: string, summary: string, status: Account['status']): Command {
  return {
    kind: 'store',
    name,
    summary,
    arguments: ['account id'],
    async run({ transact, arguments: [id], announceAccessChange }) {
      const account = await transact((tx) => change(tx, id!, { status }))
      await announceAccessChange()
      return summaryOf(account)
    },
  }
}
