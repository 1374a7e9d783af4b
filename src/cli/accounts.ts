import type { Account } from '../accounts/schema.ts'
import { addAccount, findAccount, listAccounts, saveAccount } from '../accounts/store.ts'
import { isZone } from '../kernel/clock.ts'
import { isCurrency } from '../kernel/money.ts'
import { type Command, CommandError, type StoreInput, UsageError } from './command.ts'

const text = (input: StoreInput, name: string, initial?: string): string => {
  const value = input.options[name] ?? initial
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is needed.`)
  return value
}

const summaryOf = ({ id, kind, status, email, name, time_zone, currency_code }: Account) => ({
  id,
  kind,
  status,
  email,
  name,
  time_zone,
  currency_code,
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
      email: { type: 'string', value: '<address>', description: 'Its e-mail address; unique' },
      name: { type: 'string', value: '<name>', description: 'The business name, or the full name of a person' },
      kind: { type: 'string', value: '<kind>', description: 'BUSINESS (default) or PERSONAL' },
      'time-zone': { type: 'string', value: '<zone>', description: 'The zone its days are counted in; UTC by default' },
      currency: { type: 'string', value: '<code>', description: 'Its currency; USD by default' },
      country: { type: 'string', value: '<code>', description: 'Its country; US by default' },
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
  changeStatus('accounts suspend', 'Suspend an account; its tokens stop working', 'SUSPENDED'),
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
  return {
    id,
    kind,
    status: 'ACTIVE',
    email,
    name: text(input, 'name'),
    time_zone,
    currency_code,
    country_code,
    create_time: now,
  }
}

function changeStatus(name: string, summary: string, status: Account['status']): Command {
  return {
    kind: 'store',
    name,
    summary,
    arguments: ['account id'],
    async run({ transact, arguments: [id], announceAccessChange }) {
      const account = await transact(async (tx) => {
        const found = await findAccount(tx, id!)
        if (!found) throw new CommandError(`There is no account ${id}.`)
        saveAccount(tx, { ...found, status })
        return { ...found, status }
      })
      await announceAccessChange()
      return summaryOf(account)
    },
  }
}
