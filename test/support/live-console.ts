import type { Role } from '../../src/console/roles.ts'
import { tokenFor } from '../../src/console/sign-in/form-tokens.ts'
import { beginLogin, digestOf } from '../../src/console/sign-in/logins.ts'
import { addPerson, grantRole } from '../../src/console/sign-in/people.ts'
import { agreed } from '../../src/invoices/payable.ts'
import { recipientCode } from '../../src/invoices/schema/codes.ts'
import { findByRecipientCode } from '../../src/invoices/store.ts'
import { makeLedger } from '../../src/ledger/ledger.ts'
import { approve, conclude, payerOf } from '../../src/payer/pay/pay.ts'
import { json } from './command.ts'
import { live, newLiveWorld } from './live.ts'
import type { World } from './world.ts'

export const CONSOLE_URL = 'https://console.test'

type Fields = Readonly<Record<string, string>>

/** A live service with a console, as many tries as a test needs, and its own address. */
export const newConsoleWorld = (
  settings: Record<string, string> = {},
  options?: Parameters<typeof newLiveWorld>[1],
): Promise<World> => newLiveWorld({ PUBLIC_URL: CONSOLE_URL, CONSOLE_TRIES_PER_MINUTE: '0', ...settings }, options)

/** What the command line is started with beside that service. */
export const besides = (world: World, settings: Record<string, string> = {}) => ({
  DATABASE_URL: world.databaseUrl,
  ...live,
  PUBLIC_URL: CONSOLE_URL,
  ...settings,
})

let invited = 0

/** Invites somebody on the command line: who they are, and where their link leads. */
export async function invite(world: World, role: Role, account?: string, email = `person${++invited}@example.test`) {
  const words = ['console', 'invite', '--role', role, '--email', email, '--name', `A ${role}`]
  const made = await json<{ person_id: string; link: string }>(
    account === undefined ? words : [...words, '--account', account],
    besides(world),
  )
  return { email, personId: made.person_id, path: new URL(made.link).pathname }
}

/** A browser without scripts: it keeps cookies, and sends forms as they stand on the page it is at. */
export function browserOf(world: World) {
  const cookies = new Map<string, string>()

  async function call(method: 'GET' | 'POST', path: string, payload?: string, more: Record<string, string> = {}) {
    const response = await world.call(method, path, payload, {
      headers: {
        host: 'console.test',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'POST' && {
          origin: CONSOLE_URL,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        }),
        ...more,
      },
    })
    for (const line of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(String(line))!
      if (/Max-Age=0/.test(String(line))) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return { ...response, location: String(response.headers['location'] ?? '') }
  }

  const get = (path: string) => call('GET', path)

  return {
    cookies,
    get,
    post: (path: string, fields: Fields = {}, headers?: Record<string, string>) =>
      call('POST', path, new URLSearchParams(fields).toString(), headers),
    /** Sends a body that is written already. */
    postRaw: (path: string, payload: string, headers: Record<string, string>) => call('POST', path, payload, headers),
    /** Sends a form of a page, with what stands in it and what is typed. */
    async send(page: string, action: string, fields: Fields = {}, headers?: Record<string, string>) {
      const { text } = await get(page)
      const form = formIn(text, action)
      if (!form) throw new Error(`${page} has no form for ${action}: ${text.slice(0, 300)}`)
      return call('POST', action, new URLSearchParams({ ...form, ...fields }).toString(), headers)
    },
    /** Opens a link and signs in by it. */
    async signInBy(path: string) {
      const answer = await this.send(path, path)
      if (answer.status !== 303) throw new Error(`not signed in: ${answer.status} ${answer.text}`)
      return answer
    },
  }
}
export type Browser = ReturnType<typeof browserOf>

/** The hidden fields of the form of a page that leads somewhere. */
export function formIn(markup: string, action: string): Fields | undefined {
  const forms = [...markup.matchAll(/<form\b[^>]*method="post"[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form)
  const form = forms.find((one) => one.includes(`action="${action}"`))
  if (form === undefined) return undefined
  const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...hidden].map(([, name, value]) => [name!, value!]))
}

/** Somebody of a role who is signed in, as if by a link. */
export async function signedIn(world: World, role: Role, account?: string) {
  const email = `person${++invited}@example.test`
  const browser = browserOf(world)
  const personId = await world.app.transact(async (tx) => {
    const id = addPerson(tx, { name: `A ${role}`, email })
    grantRole(tx, id, { role, account_id: account ?? null })
    const how = { personId: id, way: 'link', isFresh: false, address: '127.0.0.1', browser: '' } as const
    browser.cookies.set('__Host-quittance', beginLogin(tx, how, world.now()))
    return id
  })
  return { ...browser, email, personId }
}

/** As if everybody who is signed in had just used a passkey, which takes an authenticator. */
export const freshen = (world: World) =>
  world.app.database.query('update console_logins set fresh_time = $1', [world.now()])

/** Gives somebody a passkey that nobody can use. */
export const givePasskey = (world: World, personId: string) =>
  world.app.database.query(
    `insert into console_passkeys (id, person_id, public_key, counter, transports, name, create_time)
     values (gen_random_uuid()::text, $1, '', 0, '{}', 'x', $2)`,
    [personId, world.now()],
  )

/** Sends a form that stands on no page for whoever sends it, with the token and the place that it would have. */
export async function force(
  world: World,
  browser: Pick<Browser, 'cookies' | 'post'>,
  path: string,
  fields: Fields = {},
) {
  const session = browser.cookies.get('__Host-quittance') ?? ''
  const token = tokenFor(world.app.service.settings.secrets!, session, path, world.now())
  const { rows } = await world.app.database.query<{ place: string }>(
    `select coalesce(r.account_id, '') as place from console_logins l join console_roles r using (person_id)
     where l.digest = $1 order by r.account_id nulls first limit 1`,
    [digestOf(session)],
  )
  return browser.post(path, { 'form-token': token, 'form-place': rows[0]?.place ?? '', ...fields })
}

/** The customer pays all of an invoice that was sent, as if a gateway had said so; answers the id of the payment. */
export const payThrough = ({ app }: World, invoiceId: string): Promise<string> =>
  app.transact(async (tx) => {
    const { service } = app
    const stored = await findByRecipientCode(tx, recipientCode(invoiceId))
    const agreement = { ...agreed(stored!, {}), buyer: await payerOf(tx, stored!), nonce: tx.newId('nonce') }
    const attempt = approve(service, tx, stored!, agreement)
    const { capture } = await conclude({ service, ledger: makeLedger(service) }, tx, stored!, attempt, 'COMPLETED')
    return capture!.id
  })
