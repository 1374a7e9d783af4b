import { randomUUID } from 'node:crypto'
import { features } from '../../src/accounts/schema.ts'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { addAccount, findApp, grantConsent } from '../../src/accounts/store.ts'
import { beginLogin, digestOf } from '../../src/console/sign-in/logins.ts'
import { addPerson, grantRole } from '../../src/console/sign-in/people.ts'
import { makeLedger } from '../../src/ledger/ledger.ts'
import { payThrough } from './live-console.ts'
import { type Person, usd, type World } from './world.ts'

/** Whose it is: of the account that somebody works for, of another one, or nobody's. */
export type Whose = 'own' | 'foreign'
export type Params = Readonly<Record<string, string>>

/** Stands in everything that is the other account's, and nowhere else. */
export const FOREIGN = 'foreign-secret'

const DISPUTES = '/v1/customer/disputes'
const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Somebody new who is signed in, and has just shown who they are. */
export async function newLogin(world: World, personId: string): Promise<string> {
  const how = { personId, way: 'passkey', isFresh: true, address: '127.0.0.1', browser: '' } as const
  return world.app.transact(async (tx) => beginLogin(tx, how, world.now()))
}

/**
 * What pages and actions of a live console are about, by the part of the address before its id: something of the merchant's,
 * and the like of the second merchant's. Agents have what is under review for their own, and the rest is not theirs.
 */
export async function newSubjects(world: World) {
  const { app, people } = world
  const callers: Record<Whose, Person> = {
    own: await world.personWithApp(people.merchant.id, defaultScopes('BUSINESS', features)),
    foreign: await world.personWithApp(people.otherMerchant.id, defaultScopes('BUSINESS', features)),
  }
  const accounts: Record<Whose, string> = { own: people.merchant.id, foreign: people.otherMerchant.id }
  const buyer = await world.personWithApp(people.buyer.id, defaultScopes('PERSONAL', features))
  const agent = await world.personWithApp(people.buyer.id, ['operator'])
  const words = (whose: Whose) => (whose === 'own' ? 'ours' : FOREIGN)
  let made = 0

  async function does(who: Person, path: string, body: unknown, headers?: Record<string, string>) {
    const answer = await who.post<Record<string, never>>(path, body, headers && { headers })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const row = async (text: string, ...values: unknown[]) =>
    (await app.database.query<Params>(text, values)).rows[0]! as Params

  async function dispute(whose: Whose): Promise<string> {
    const { buyer_transaction_id } = await app.transact(async (tx) =>
      makeLedger(app.service).capture(tx, {
        status: 'COMPLETED',
        seller: { account_id: accounts[whose] },
        buyer: { account_id: people.buyer.id },
        gross: usd('20.00'),
      }),
    )
    const { links } = (await does(buyer, DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
      dispute_amount: usd('20.00'),
      messages: [{ content: words(whose) }],
    })) as unknown as { links: { href: string }[] }
    const id = links[0]!.href.split('/').at(-1)!
    await does(buyer, `${DISPUTES}/${id}/escalate`, { note: words(whose) })
    return id
  }

  /** With a draft of its side, and a file. */
  async function drafted(id: string, accountId: string): Promise<Params> {
    const key = [accountId, id, 'provide-evidence', world.now()]
    await app.database.query(`insert into console_drafts values ($1, $2, $3, '{}', 'somebody', $4)`, key)
    await app.database.query(
      `insert into console_draft_files values ($1, $2, $3, 1, 'slip.png', 'image/png', '', $4)`,
      key,
    )
    return { id, action: 'provide-evidence', n: '1' }
  }

  /** The seller sends a file, and an agent is to decide. */
  async function underReview(whose: Whose): Promise<string> {
    const id = await dispute(whose)
    const evidences = [{ evidence_type: 'OTHER', notes: words(whose), documents: [{ name: 'slip.png' }] }]
    const part = (head: string, body: Buffer) =>
      Buffer.concat([Buffer.from(`--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n`), body, Buffer.from('\r\n')])
    const payload = Buffer.concat([
      part('name="input"\r\ncontent-type: application/json', Buffer.from(JSON.stringify({ evidences }))),
      part('name="file1"; filename="slip.png"', png),
      Buffer.from('--b--\r\n'),
    ])
    await does(callers[whose], `${DISPUTES}/${id}/provide-evidence`, payload, {
      'content-type': 'multipart/form-data; boundary=b',
    })
    return id
  }

  async function invoice(whose: Whose): Promise<Params> {
    const at = '/v2/invoicing/invoices'
    const { id } = await does(callers[whose], at, {
      detail: { currency_code: 'USD', reference: words(whose) },
      primary_recipients: [{ billing_info: { business_name: words(whose), email_address: 'buyer@example.com' } }],
      items: [{ name: words(whose), quantity: '1', unit_amount: usd('9.00') }],
    })
    await does(callers[whose], `${at}/${id}/send`, {})
    const paid = await does(callers[whose], `${at}/${id}/payments`, { method: 'CASH', amount: usd('1.00') })
    const payment = await payThrough(world, id!)
    return { id: id!, kind: 'payments', record: (paid as unknown as { payment_id: string }).payment_id, payment }
  }

  /** Each on an app of its own: all apps of an account are its people's. */
  async function subscribed(whose: Whose) {
    const listener = await world.personWithApp(accounts[whose], defaultScopes('BUSINESS', features))
    const { id } = await does(listener, '/v1/notifications/webhooks', {
      url: `https://${words(whose)}.test/${++made}`,
      event_types: [{ name: '*' }],
    })
    return { id: id!, listener }
  }
  const webhook = async (whose: Whose): Promise<Params> => ({ id: (await subscribed(whose)).id })

  async function delivery(whose: Whose): Promise<Params> {
    const { id, listener } = await subscribed(whose)
    const told = { webhook_id: id, event_type: 'INVOICING.INVOICE.PAID' }
    await does(listener, '/v1/notifications/simulate-event', told)
    return row('select id, event_id, webhook_id from deliveries where webhook_id = $1', id)
  }

  const person = (whose: Whose) =>
    app.transact(async (tx) => {
      const id = addPerson(tx, { name: words(whose), email: `${randomUUID()}@example.test` })
      grantRole(tx, id, { role: 'viewer', account_id: accounts[whose] })
      return id
    })
  /** Whose is the person themselves here: `self` is whoever asks. */
  const owner = async (whose: Whose, self: string) => (whose === 'own' ? self : person('foreign'))

  const make: Readonly<Record<string, (whose: Whose, self: string) => Promise<Params>>> = {
    invoices: invoice,
    disputes: async (whose) => drafted(await dispute(whose), accounts[whose]),
    'disputes of an agent': async (whose) =>
      whose === 'own' ? drafted(await underReview('own'), '') : drafted(await dispute('foreign'), accounts.foreign),
    async documents(whose) {
      const id = await underReview(whose)
      if (whose === 'foreign')
        await does(agent, `${DISPUTES}/${id}/adjudicate`, { adjudication_outcome: 'BUYER_FAVOR' })
      return row('select document_id as document, n::text as n from dispute_documents where dispute_id = $1', id)
    },
    webhooks: webhook,
    deliveries: delivery,
    events: async (whose) => ({ id: (await delivery(whose))['event_id']! }),
    async templates(whose) {
      const { id } = await does(callers[whose], '/v2/invoicing/templates', {
        name: `${words(whose)} ${++made}`,
        template_info: { detail: { currency_code: 'USD' } },
      })
      return { id: id! }
    },
    apps: async (whose) => ({ client: (await world.personWithApp(accounts[whose], [])).clientId }),
    async consents(whose) {
      const { clientId: client } = await world.personWithApp(people.buyer.id, ['invoicing'])
      const given = await findApp(app.database, client)
      await app.transact(async (tx) => grantConsent(tx, accounts[whose], given!.id, ['invoicing']))
      return { client }
    },
    bulks: (whose) =>
      row(
        `insert into console_bulks (account_id, id, action, about, person, subjects, create_time, finish_time)
         values ($1, gen_random_uuid(), 'remind', $2, $2, '{INV2}', $3, $3) returning id`,
        accounts[whose],
        words(whose),
        world.now(),
      ),
    people: async (whose) => ({ id: await person(whose) }),
    logins: async (whose, self) => ({
      id: digestOf(await newLogin(world, await owner(whose, self))).toString('base64url'),
    }),
    async passkeys(whose, self) {
      const id = randomUUID()
      await app.database.query(
        `insert into console_passkeys (id, person_id, public_key, counter, transports, name, create_time)
         values ($1, $2, '', 0, '{}', 'x', $3)`,
        [id, await owner(whose, self), world.now()],
      )
      return { id }
    },
    async 'operator/webhooks'() {
      const { id, webhook_id } = await delivery('own')
      return { id: webhook_id!, delivery: id! }
    },
    async 'operator/accounts'() {
      const id = `ACCOUNT${++made}`
      const email = `${id}@example.test`
      await app.transact(async (tx) => addAccount(tx, { ...people.merchant, id, email, create_time: tx.now }))
      return { id }
    },
    'operator/jobs': () =>
      row(
        `insert into jobs (name, payload, run_at, parked_time, attempts, create_time)
         values ('of-nobody', '{}', $1, $1, 3, $1) returning id::text`,
        world.now(),
      ),
    'operator/keys': () =>
      row(
        `insert into signing_keys (id, sealed, certificate, current, create_time)
         values ('CERT-' || gen_random_uuid(), '', '', false, $1) returning id`,
        world.now(),
      ),
  }

  const all = new Map<string, Params>()
  return {
    kinds: Object.keys(make),
    /** One that is as it was made; `spend` says that an action may have changed it. */
    async of(kind: string, whose: Whose, self: string): Promise<Params> {
      const key = `${kind} ${whose} ${whose === 'own' && /logins|passkeys/.test(kind) ? self : ''}`
      const found = all.get(key) ?? (await make[kind]!(whose, self))
      all.set(key, found)
      return found
    },
    spend(url: string): void {
      for (const key of all.keys())
        if (key.includes(' own') && url.startsWith(`/console/${key.split(' ', 1)[0]}/`)) all.delete(key)
    },
    /** Takes away what nobody could ever do. */
    tidy: () => app.database.query(`delete from jobs where name = 'of-nobody'`, []),
    /** All that is stored of the other account. */
    async foreign(): Promise<string> {
      const { rows } = await app.database.query<{ name: string }>(
        `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
         where c.column_name = 'account_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' order by 1`,
        [],
      )
      const digests = rows.map(
        ({ name }) =>
          `(select '${name} ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') from ${name} t where t.account_id = $1)`,
      )
      const ofPeople = ['console_logins', 'console_passkeys', 'console_links'].map(
        (name) =>
          `(select '${name} ' || count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') from ${name} t
            where t.person_id in (select person_id from console_roles where account_id = $1))`,
      )
      const digest = await row(
        `select concat_ws(E'\\n', ${[...digests, ...ofPeople].join(', ')}) as text`,
        accounts.foreign,
      )
      return digest['text']!
    },
  }
}
