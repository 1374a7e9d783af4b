import { randomBytes } from 'node:crypto'
import type { Operations } from '../console/operate.ts'
import { headerList, json, plain } from '../console/parts/code.ts'
import { icon } from '../console/parts/icons.ts'
import { backTo, status } from '../console/parts/parts.ts'
import { type Eyes, eyes, onlookerAs } from '../console/who.ts'
import type { Reader, Transact } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import { type Content, type Html, html } from '../http/html.ts'
import type { InnerAnswer } from '../http/inner.ts'
import type { Answer, AnyRoute } from '../http/route.ts'
import type { Dialect } from '../kernel/dialect.ts'
import { Problem } from '../kernel/problem.ts'
import { sandboxSecret } from '../sandbox/people.ts'
import type { Described } from './catalogue.ts'
import { spoken } from './dialect.ts'

/** The people of a sandbox whose tokens can be tried; an agent has none. */
export const trying = (Object.keys(eyes) as Eyes[]).flatMap((name) => {
  const { client, label } = eyes[name]
  return client === undefined ? [] : [{ name, client, label }]
})

/** Pages of payers carry tokens of their own, and a gateway its signature: neither can be tried from here. */
export const canBeTried = ({ tag, route }: Described): boolean =>
  tag !== 'Payer pages' && tag !== 'Payment gateway' && route.environment !== 'live'

/** What somebody wants to send. */
export interface Attempt {
  readonly authorization: string
  readonly parameters: Readonly<Record<string, string>>
  readonly body: string
}

const basicOf = (client: string) => `Basic ${Buffer.from(`${client}:${sandboxSecret(client)}`).toString('base64')}`

/**
 * The token of one of the people: the one they have, or a new one. Nobody asked for it, so it is no request, and where their app
 * is disabled or gone there is none.
 */
export async function tokenOf(issue: AnyRoute, client: string, transact: Transact): Promise<string | undefined> {
  const result = await transact((tx) =>
    issue.handle({
      tx,
      body: { grant_type: 'client_credentials' },
      headers: { authorization: basicOf(client) },
    } as never),
  ).catch((error: unknown) => {
    if (error instanceof Problem && error.status === 401) return undefined
    throw error
  })
  const answer = result as (Answer & { readonly body: { readonly access_token: string } }) | undefined
  return answer?.body.access_token
}

/** Where the newest thing of a kind is listed, by the name of the parameter that asks for its id. */
const newest: Readonly<Record<string, readonly [operation: string, list: string, id: string]>> = {
  invoice_id: ['listInvoices', 'items', 'id'],
  template_id: ['listTemplates', 'templates', 'id'],
  webhook_id: ['listWebhooks', 'webhooks', 'id'],
  event_id: ['listEvents', 'events', 'id'],
  transmission_id: ['listTransmissions', 'transmissions', 'transmission_id'],
  'Disputes id': ['listDisputes', 'items', 'dispute_id'],
}

/** What a form begins with: the recorded call, about the newest thing that this person has. */
export async function firstAttempt(
  { tag, parameters, example, id }: Described,
  parts: {
    operations: Operations
    db: Reader
    person: (typeof trying)[number]
    token: string | undefined
    dialect: Dialect
  },
): Promise<Attempt> {
  const values: Record<string, string> = {}
  for (const { name, in: place, required } of parameters) {
    if (place === 'header') continue
    const known = example?.parameters[name]
    if (known !== undefined) values[name] = known
    const [operation, list, field] = newest[name] ?? newest[`${tag} ${name}`] ?? []
    if (operation === undefined || !required) continue
    const found = await newestOf(parts, operation, list!, field!)
    if (found !== undefined) values[name] = found
  }
  const isToken = tag === 'Access tokens'
  const body = id === 'terminateAccessToken' ? { token: '' } : example?.body
  return {
    authorization: isToken ? basicOf(parts.person.client) : parts.token === undefined ? '' : `Bearer ${parts.token}`,
    parameters: values,
    body: body === undefined ? '' : JSON.stringify(spoken(body, parts.dialect), null, 2),
  }
}

async function newestOf(
  { operations, db, person }: { operations: Operations; db: Reader; person: (typeof trying)[number] },
  operation: string,
  list: string,
  field: string,
): Promise<string | undefined> {
  try {
    const { caller } = await onlookerAs(db, person.name)
    const body = await operations.look<Record<string, readonly Record<string, string>[]>>(caller, operation, {
      query: operation === 'listDisputes' ? { page_size: '1' } : { page_size: 1 },
    })
    return body[list]?.[0]?.[field]
  } catch {
    // Somebody who may not list them has none to begin with.
    return undefined
  }
}

interface FormParts {
  readonly attempt: Attempt
  readonly person: string
  readonly search: string
}

/** The form with which the operation is called from the page. */
export function tryForm(operation: Described, { attempt, person, search }: FormParts): Html {
  const { id, parameters, body, scopes, tag } = operation
  const asked = parameters.filter(({ in: place }) => place !== 'header')
  const must = asked.filter(({ required }) => required)
  const may = asked.filter(({ required }) => !required)
  const input = ({ name, description }: (typeof asked)[number]) =>
    html`<div class="entry"><label for="try-${name}"><code>${name}</code></label><input class="boxed" id="try-${name}" name="parameter.${name}" value="${attempt.parameters[name] ?? ''}" maxlength="2000" spellcheck="false" autocomplete="off"${description !== undefined && html` title="${description}"`}></div>`
  const isMultipart = body?.types.some((type) => type.startsWith('multipart/'))
  const open = may.some(({ name }) => attempt.parameters[name])
  return html`<section class="sheet try" aria-labelledby="try"><header class="sheet-head"><h2 id="try">Try it</h2><div class="aside">calls this sandbox</div></header>
${(scopes !== undefined || tag === 'Access tokens') && html`<p class="persons" role="group" aria-label="Whose token">${trying.map(({ client, label }) => (client === person ? html`<b aria-current="true">${label}</b> ` : html`<a href="/docs/${id}?as=${client}${search.replace('?', '&')}#try">${label}</a> `))}</p>`}
<form class="stack" method="post" action="/docs/${id}/try${search}" enctype="${isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}" data-try>
${(scopes !== undefined || tag === 'Access tokens') && html`<div class="entry"><label for="try-authorization"><code>Authorization</code></label><input class="boxed" id="try-authorization" name="authorization" value="${attempt.authorization}" maxlength="4000" spellcheck="false" autocomplete="off"></div>`}
${must.map(input)}${may.length > 0 && html`<details class="within"${open && html` open`}><summary>${icon('right')}${may.length} more</summary>${may.map(input)}</details>`}
${body && html`<div class="entry"><label for="try-body">Body <span class="kind">${body.types[0]!}</span></label><textarea class="boxed mono" id="try-body" name="body" rows="${Math.min(18, Math.max(3, attempt.body.split('\n').length))}" spellcheck="false">${attempt.body}</textarea></div>`}
${isMultipart && html`<div class="entry"><label for="try-file">A file</label><input class="boxed" id="try-file" type="file" name="file1"></div>`}
<p class="buttons"><button class="button">Send</button></p></form><div class="outcome" aria-live="polite"></div></section>`
}

/** What came of an attempt. */
export function outcome({ status: code, headers, bytes }: InnerAnswer, debugId: string): Html {
  const type = String(headers['content-type'] ?? '').split(';')[0]!
  const shown = Object.entries(headers).filter(([name]) => !['connection', 'date', 'content-length'].includes(name))
  return html`<div class="answer-of-try"><p class="label">Answer ${status(code)} ${type !== '' && html`<span class="kind">${type}</span>`}</p>${bodyOf(type, bytes)}
<details class="within"><summary>${icon('right')}Headers</summary>${headerList(
    shown.map(([name, value]) => [name, String(value)]),
    'Headers of the answer',
  )}</details>
<p class="about"><a href="/console/requests/${debugId}">What it caused</a></p></div>`
}

const SHOWN_MAX = 60_000

function bodyOf(type: string, bytes: Buffer): Content {
  if (bytes.length === 0) return html`<p class="about">There is no body.</p>`
  if (!/json|^text\/|pem/.test(type)) return html`<p class="about">${bytes.length.toLocaleString('en')} bytes.</p>`
  const text = bytes.subarray(0, SHOWN_MAX).toString()
  if (type === 'application/json' && bytes.length <= SHOWN_MAX)
    return json(JSON.parse(text), { label: 'Body of the answer', numbers: false })
  return plain(bytes.length > SHOWN_MAX ? `${text}…` : text, 'Body of the answer')
}

/** The page after the form, where no script shows it in its place. */
export const outcomePage = (operation: Described, shown: Html, form: Html): Html =>
  html`<div class="heading">${backTo(operation.id, `/docs/${operation.id}`)}<div><h1>${operation.summary}</h1></div></div><div class="op"><div class="op-text"><section class="sheet">${shown}</section></div><div class="op-code">${form}</div></div>`

/** What the form sent, as it goes into the request. */
export function payloadOf(
  { body }: Described,
  text: string,
  files: readonly UploadedFile[],
): { readonly type: string; readonly payload: Buffer } | undefined {
  if (!body || (text.trim() === '' && files.length === 0)) return undefined
  if (body.types.includes('application/x-www-form-urlencoded'))
    return { type: 'application/x-www-form-urlencoded', payload: Buffer.from(formText(text)) }
  if (files.length === 0) return { type: 'application/json', payload: Buffer.from(text) }
  const boundary = randomBytes(18).toString('base64url')
  const quoted = (name: string) => name.replace(/[\r\n"\\]/g, '_')
  const part = (disposition: string, type: string, bytes: Buffer) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]
  const payload = Buffer.concat([
    ...part('name="input"', 'application/json', Buffer.from(text)),
    ...files.flatMap(({ fileName, contentType, bytes }, i) =>
      part(`name="file${i + 1}"; filename="${quoted(fileName)}"`, quoted(contentType), bytes),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  return { type: `multipart/form-data; boundary=${boundary}`, payload }
}

/** The fields of a form, written as JSON; whatever is not goes out as it is. */
function formText(text: string): string {
  try {
    return new URLSearchParams(JSON.parse(text) as Record<string, string>).toString()
  } catch {
    return text
  }
}
