import { makeApp } from '../../accounts/apps.ts'
import { type Account, features } from '../../accounts/schema.ts'
import { findAccount, findAccountByEmail, saveAccount } from '../../accounts/store.ts'
import { CommandError, UsageError } from '../../cli/command.ts'
import { accountCommands } from '../../cli/commands/accounts.ts'
import type { Database } from '../../database/open.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { html } from '../../http/html.ts'
import { Type } from '../../kernel/type.ts'
import { languages } from '../../payer/words/languages.ts'
import type { Service } from '../../room.ts'
import { askTwice } from '../forms/ask-twice.ts'
import { form as drawForm, type Field } from '../forms/fields.ts'
import { onceOnly, wasDone } from '../once.ts'
import type { Refusal } from '../operate.ts'
import { heading, nothing, pager, sheet } from '../parts/parts.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { sentence } from '../words.ts'
import { account, ACCOUNTS as at, drawAccount as drawOne, Id, type Left, unchecked } from './account.ts'
import { ofOperators } from './parts.ts'

export interface AccountParts {
  readonly service: Service
  readonly db: Database
  onAccessChange(): Promise<void>
}

const PAGE_SIZE = 50
const Query = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 254 })),
  after: Type.Optional(Type.String({ maxLength: 254 })),
})

/** Accounts by address, from a given beginning on. The index of addresses has them in this order. */
const byAddress = sql`
  select body from accounts where cell is null and email > $1 and email >= $2 and email < $3 order by email limit $4`

async function search(db: Reader, q: string, after: string): Promise<Account[]> {
  const exact =
    q === '' ? undefined : await findAccount(db, q.toUpperCase()).then((found) => found ?? findAccount(db, q))
  if (exact) return [exact]
  const from = q.toLowerCase()
  const rows = await db.rows<{ body: Account }>(byAddress, [
    after,
    from,
    from === '' ? '\u{10ffff}' : `${from}\u{10ffff}`,
    PAGE_SIZE + 1,
  ])
  return rows.map(({ body }) => body)
}

const fields: readonly Field[] = [
  {
    kind: 'chips',
    at: '/kind',
    label: 'Kind',
    choices: [
      { value: 'BUSINESS', label: 'Business' },
      { value: 'PERSONAL', label: 'Person' },
    ],
  },
  { kind: 'text', at: '/name', label: 'Name' },
  { kind: 'email', at: '/email', label: 'E-mail address' },
  {
    kind: 'pair',
    fields: [
      { kind: 'text', at: '/time-zone', label: 'Time zone', value: 'UTC', hint: 'For example Europe/Berlin.' },
      { kind: 'text', at: '/currency', label: 'Currency', value: 'USD' },
      { kind: 'text', at: '/country', label: 'Country', value: 'US' },
    ],
  },
]

const noScopes: Refusal = {
  name: 'UNPROCESSABLE_ENTITY',
  message: 'Choose something that this kind of account uses.',
  debug_id: '–',
}

const listAt = (q: string | undefined, after?: string) => {
  const query = new URLSearchParams({ ...(q && { q }), ...(after && { after }) })
  return query.size > 0 ? `${at}?${query}` : at
}

/** Runs a command and returns what the command line would print. A refusal stands beside the form. */
async function command(
  sent: Sent,
  { service, db: database, onAccessChange }: AccountParts,
  name: string,
  given: { arguments?: string[]; options?: Record<string, string> },
) {
  const found = accountCommands.find((one) => one.name === name)
  if (found?.kind !== 'store') throw new Error(`There is no command ${name}.`)
  const input = {
    arguments: given.arguments ?? [],
    options: given.options ?? {},
    settings: service.settings,
    output: { out() {}, err() {} },
  }
  found.check?.(input)
  return found.run({ ...input, db: sent.db, database, transact: sent.change, announceAccessChange: onAccessChange })
}

/** The same form, but its work is done only once. */
const once = (sent: Sent): Sent => ({
  ...sent,
  change: (work, options) =>
    sent.change(async (tx) => {
      await onceOnly(tx, sent.who.caller.accountId, sent.typed)
      return work(tx)
    }, options),
})

const refusalOf = (error: unknown): Refusal => {
  if (!(error instanceof UsageError || error instanceof CommandError)) throw error
  const [, option] = /^--([a-z-]+)/.exec(error.message) ?? []
  const said = error.message.replaceAll('--', '')
  const description = said.charAt(0).toUpperCase() + said.slice(1)
  return {
    name: 'INVALID_REQUEST',
    message: description,
    debug_id: '–',
    ...(option !== undefined && { details: [{ issue: 'INVALID_PARAMETER', description, field: `/${option}` }] }),
  }
}

async function drawList(visit: Visit, q = '', after = '', left?: Left) {
  const found = await search(visit.db, q.trim(), after)
  const list = found.slice(0, PAGE_SIZE)
  const last = found.length > PAGE_SIZE ? list.at(-1) : undefined
  return {
    title: 'Accounts',
    ...(left && { status: 422 }),
    content: html`${heading('Accounts', { sub: 'Everybody who has one, by address.' })}
<div class="two"><section class="sheet flush"><form class="sieve inside" role="search" aria-label="Search accounts" action="${at}"><input class="boxed" type="search" name="q" maxlength="254" value="${q}" aria-label="Beginning of an address, or an id" placeholder="Beginning of an address, or an id"><button class="button quiet small">Search</button></form>${
      list.length === 0
        ? nothing('No account by that name', 'Search by the beginning of its address, or by its id.')
        : html`<table class="rows"><thead><tr><th>Name</th><th class="gone">Id</th><th>Kind</th><th>Standing</th></tr></thead><tbody>${list.map(
            (one) =>
              html`<tr><td class="second fill"><a class="open" href="${at}/${one.id}">${one.name}</a><small>${one.email}</small></td><td class="mono nowrap gone">${one.id}</td><td class="whole">${sentence(one.kind)}</td><td class="num right">${one.status === 'ACTIVE' ? html`<span class="soft">active</span>` : html`<b class="warn">suspended</b>`}</td></tr>`,
          )}</tbody></table>${pager('By address', { newer: after ? listAt(q) : undefined, older: last ? listAt(q, last.email.toLowerCase()) : undefined })}`
    }</section><aside>${sheet('New account', drawForm({ name: 'new-account', action: at, route: unchecked, fields, button: 'Make the account', ...left }))}</aside></div>`,
  }
}

export function accountPages({ page, form }: Pages, parts: AccountParts) {
  const changing = (name: 'suspend' | 'activate', notice: string) =>
    form({
      url: `${at}/:id/${name}`,
      operation: `console${name === 'suspend' ? 'Suspend' : 'Activate'}Account`,
      summary: name === 'suspend' ? 'Suspend an account' : 'Lift the suspension of an account',
      ...ofOperators,
      params: Id,
      async take(sent) {
        const { id } = await account(sent)
        await command(sent as never, parts, `accounts ${name}`, { arguments: [id] })
        return sent.lead(`${at}/${id}`, notice)
      },
    })
  return [
    page({
      url: at,
      operation: 'consoleAccounts',
      summary: 'List accounts',
      ...ofOperators,
      query: Query,
      draw: (visit) => drawList(visit as Visit, visit.query.q, visit.query.after),
    }),
    form({
      url: at,
      operation: 'consoleCreateAccount',
      summary: 'Make an account',
      ...ofOperators,
      async take(sent) {
        const { typed } = sent
        const options = Object.fromEntries(
          Object.entries(typed).flatMap(([name, value]) =>
            name.startsWith('/') && value.trim() !== '' ? [[name.slice(1), value.trim()]] : [],
          ),
        )
        try {
          const found = options['email'] ? await findAccountByEmail(sent.db, options['email']) : undefined
          const isDone = await wasDone(sent.db, sent.who.caller.accountId, typed, sent.now)
          if (found && !isDone) throw new UsageError('--email is that of another account.')
          const made = found ?? ((await command(once(sent), parts, 'accounts create', { options })) as { id: string })
          return sent.lead(`${at}/${made.id}`, 'The account was made.')
        } catch (error) {
          return sent.again(await drawList(sent, '', '', { typed, refusal: refusalOf(error) }))
        }
      },
    }),
    page({
      url: `${at}/:id`,
      operation: 'consoleAccount',
      summary: 'Show an account',
      ...ofOperators,
      params: Id,
      draw: (visit) => drawOne(visit),
    }),
    page({
      url: `${at}/:id/suspend`,
      operation: 'consoleAskSuspend',
      summary: 'Ask before an account is suspended',
      ...ofOperators,
      params: Id,
      async draw(visit) {
        const { id, name } = await account(visit)
        return askTwice({
          title: `Suspend ${name}?`,
          back: ['The account', `${at}/${id}`],
          text: 'Its access tokens end at once, and nobody can pay its invoices or act for it until the suspension is lifted.',
          action: `${at}/${id}/suspend`,
          button: 'Suspend the account',
        })
      },
    }),
    changing('suspend', 'The account is suspended, and its access tokens ended.'),
    changing('activate', 'The suspension was lifted.'),
    form({
      url: `${at}/:id/language`,
      operation: 'consoleAccountLanguage',
      summary: 'Set the language of an account',
      ...ofOperators,
      params: Id,
      async take(sent) {
        const chosen = languages.find((tag) => tag === sent.typed['language'])
        const { id } = await account(sent)
        if (!chosen) return sent.turnBack(`${at}/${id}`, 'Nothing was changed: choose a language.')
        await sent.change(async (tx) => {
          const before = await findAccount(tx, id)
          if (before) saveAccount(tx, before, { ...before, language: chosen })
        })
        return sent.lead(`${at}/${id}`, 'The language was set.')
      },
    }),
    form({
      url: `${at}/:id/apps`,
      operation: 'consoleAccountApp',
      summary: 'Make an app for an account',
      ...ofOperators,
      isGrave: true,
      twice: 'The app was made already, and its secret is shown this once. If you did not see it, make another app.',
      params: Id,
      async take(sent) {
        const one = await account(sent)
        const { typed } = sent
        const chosen = features.filter((feature) => typed[`/${feature}`] === 'true')
        const name = (typed['/name'] ?? '').trim().slice(0, 100) || 'app'
        const made = await sent.change(async (tx) => {
          await onceOnly(tx, one.id, typed)
          return makeApp(tx, one, { name, features: chosen }, parts.service.settings.secrets!)
        })
        if (!made) return sent.again(await drawOne(sent, { left: { typed, refusal: noScopes } }))
        return sent.again(await drawOne(sent, { secret: { clientId: made.app.client_id, secret: made.secret } }))
      },
    }),
  ]
}
