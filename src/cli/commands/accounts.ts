import type { Account } from '../../accounts/schema.ts'
import { addAccount, findAccount, listAccounts, saveAccount } from '../../accounts/store.ts'
import type { Tx } from '../../database/transaction.ts'
import { isZone, systemClock } from '../../kernel/clock.ts'
import { isCurrency } from '../../kernel/money.ts'
import { accountLocale, chooseLocale, languages } from '../../payer/words/languages.ts'
import { type Command, CommandError, type CommandInput, UsageError } from '../command.ts'
import { moveCommand } from './move.ts'

const text = (input: CommandInput, name: string, initial?: string): string => {
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

/** What can be said of an account, when it is made and later. */
const details: Command['options'] = {
  email: { type: 'string', value: '<address>', description: 'Its e-mail address; unique', personal: true },
  name: {
    type: 'string',
    value: '<name>',
    description: 'The business name, or the full name of a person',
    personal: true,
  },
  'time-zone': { type: 'string', value: '<zone>', description: 'The time zone of its days; UTC by default' },
  currency: { type: 'string', value: '<code>', description: 'Its currency; USD by default' },
  country: { type: 'string', value: '<code>', description: 'Its country; US by default' },
  language: {
    type: 'string',
    value: '<tag>',
    description: 'The language of mails to it; that of its country by default',
  },
  street: { type: 'string', value: '<line>', description: 'First line of its address', personal: true },
  city: { type: 'string', value: '<name>', description: 'City of its address', personal: true },
  state: { type: 'string', value: '<name>', description: 'State or province of its address', personal: true },
  'postal-code': { type: 'string', value: '<code>', description: 'Postal code of its address', personal: true },
  phone: { type: 'string', value: '<number>', description: 'Its phone, as +1 4085550100', personal: true },
  'inquiry-opt-out': { type: 'string', value: '<yes|no>', description: 'Whether its disputes start as claims' },
}

/** Makes and manages accounts. In live there is no other way to get one. */
export const accountCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'accounts list',
    summary: 'List accounts',
    examples: [
      ['accounts list', 'shows ids, addresses and states'],
      ['accounts list --json', 'for programs'],
    ],
    run: async ({ db }) => (await listAccounts(db)).map(summaryOf),
  },
  {
    kind: 'store',
    name: 'accounts create',
    summary: 'Make an account of a merchant or a person',
    examples: [
      [
        "accounts create --email shop@example.com --name 'A shop' --time-zone Europe/Berlin --currency EUR",
        'makes a merchant',
      ],
      ["accounts create --kind PERSONAL --email jane@example.com --name 'Jane Doe'", 'makes a person'],
    ],
    options: {
      kind: { type: 'string', value: '<kind>', description: 'BUSINESS (default) or PERSONAL' },
      ...details,
    },
    check: (input) => readAccount(input, '', systemClock.now()),
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
    name: 'accounts update',
    summary: 'Change what is known of an account; what is not named stays',
    arguments: ['account id'],
    examples: [['accounts update 5D7AXM9OKD1Q6 --language de-AT', 'lets its mails be in German']],
    options: details,
    check: (input) => readDetails(input, { country_code: 'US' }),
    async run(input) {
      const {
        transact,
        arguments: [id],
      } = input
      const account = await transact((tx) => change(tx, id!, (found) => readDetails(input, found)))
      return summaryOf(account)
    },
  },
  changeStatus('accounts suspend', 'Suspend an account and end the access tokens of its apps', 'SUSPENDED'),
  changeStatus('accounts activate', 'Lift the suspension of an account', 'ACTIVE'),
  moveCommand,
]

function readAccount(input: CommandInput, id: string, now: string): Account {
  const kind = text(input, 'kind', 'BUSINESS')
  if (kind !== 'BUSINESS' && kind !== 'PERSONAL') throw new UsageError('--kind must be BUSINESS or PERSONAL.')
  const [email, name] = [text(input, 'email'), text(input, 'name')]
  const initial = { time_zone: 'UTC', currency_code: 'USD', country_code: 'US' }
  const blank: Account = { id, kind, status: 'ACTIVE', email, name, ...initial, create_time: now }
  return { ...blank, ...readDetails(input, blank) }
}

/** What the options say that is to change. */
function readDetails(
  input: CommandInput,
  { country_code: country, addresses = [] }: Pick<Account, 'country_code' | 'addresses'>,
): Partial<Account> {
  const given = (name: string) => (input.options[name] === undefined ? undefined : text(input, name))
  const [email, zone, currency] = [given('email'), given('time-zone'), given('currency')]
  const country_code = given('country') ?? country
  const [language, optOut] = [given('language'), given('inquiry-opt-out')]
  if (email !== undefined && !/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email))
    throw new UsageError('--email must be an e-mail address.')
  if (zone !== undefined && !isZone(zone))
    throw new UsageError('--time-zone must be an IANA zone, for example Europe/Berlin.')
  if (currency !== undefined && !isCurrency(currency)) throw new UsageError('--currency must be a code of ISO 4217.')
  if (!/^([A-Z]{2}|C2)$/.test(country_code)) throw new UsageError('--country must be two capital letters.')
  if (optOut !== undefined && optOut !== 'yes' && optOut !== 'no')
    throw new UsageError('--inquiry-opt-out must be yes or no.')
  const lines = {
    address_line_1: given('street'),
    admin_area_2: given('city'),
    admin_area_1: given('state'),
    postal_code: given('postal-code'),
  }
  const address = present(lines)
  const name = given('name')
  return present({
    email,
    name,
    time_zone: zone,
    currency_code: currency,
    country_code,
    language: language === undefined ? undefined : readLanguage(language),
    addresses: Object.keys(address).length === 0 ? undefined : [{ ...addresses[0], ...address, country_code }],
    phones: readPhones(given('phone')),
    inquiry_opt_out: optOut === undefined ? undefined : optOut === 'yes',
  })
}

const present = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }

function readPhones(phone: string | undefined): Account['phones'] {
  if (phone === undefined) return undefined
  const [, country_code, number] = /^\+([0-9]{1,3})[ -]([0-9 -]{1,20})$/.exec(phone) ?? []
  const national_number = number?.replace(/[ -]/g, '') ?? ''
  if (country_code === undefined || !/^[0-9]{1,14}$/.test(national_number))
    throw new UsageError('--phone must have a country code, for example "+1 4085550100".')
  return [{ country_code, national_number, phone_type: 'MOBILE' }]
}

function readLanguage(tag: string): string {
  if (!/^[a-z]{2}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag) || chooseLocale(tag).language !== tag.slice(0, 2))
    throw new UsageError(`The language must be one of ${languages.join(', ')}, with or without a region: de-AT.`)
  return tag
}

async function change(tx: Tx, id: string, decide: (found: Account) => Partial<Account>): Promise<Account> {
  const found = await findAccount(tx, id)
  if (!found) throw new CommandError(`There is no account ${id}.`)
  const changed = { ...found, ...decide(found) }
  saveAccount(tx, found, changed)
  return changed
}

function changeStatus(name: string, summary: string, status: Account['status']): Command {
  return {
    kind: 'store',
    name,
    summary,
    arguments: ['account id'],
    examples: [[`${name} 5D7AXM9OKD1Q6`, `makes it ${status}`]],
    async run({ transact, arguments: [id], announceAccessChange }) {
      const account = await transact((tx) => change(tx, id!, () => ({ status })))
      await announceAccessChange()
      return summaryOf(account)
    },
  }
}
