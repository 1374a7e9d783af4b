import { json, plain, program } from '../console/parts/code.ts'
import { icon } from '../console/parts/icons.ts'
import { broken, status, taken } from '../console/parts/parts.ts'
import { type Content, type Html, html } from '../http/html.ts'
import { type Dialect, dialectNames } from '../kernel/dialect.ts'
import type { problemMessages } from '../kernel/problem.ts'
import type { AnswerForm, Catalogue, Described } from './catalogue.ts'
import { curlOf, programOf } from './code.ts'
import { headerIn, spoken } from './dialect.ts'
import { fieldList, parameterList, prose } from './fields.ts'
import { isGeneral } from './refusals.ts'

export interface Reading {
  readonly catalogue: Catalogue
  readonly dialect: Dialect
  readonly publicUrl: string
  /** The header of whoever tries it; absent where nobody can. */
  readonly authorization?: string
}

/** Everything there is to know about an operation. */
export function operationPage(operation: Described, reading: Reading, tryIt: Content): Html {
  const { catalogue, dialect } = reading
  const { summary, description, parameters, body, answers } = operation
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const parts = (at: string) => ({ catalogue, dialect, at })
  const headers = of('header').map((header) => ({ ...header, name: headerIn(dialect, header.name) }))
  const section = (title: string, anchor: string, content: Content, aside?: Content) =>
    html`<section class="sheet" aria-labelledby="${anchor}"><header class="sheet-head"><h2 id="${anchor}">${title}</h2>${aside && html`<div class="aside">${aside}</div>`}</header>${content}</section>`

  return html`<div class="heading operation"><div><p class="tagline">${operation.tag}</p><h1>${prose(summary)}</h1><p class="address">${taken(`${operation.method} ${operation.path}`, 'the address')}</p></div></div>
<div class="op"><div class="op-text"><section class="sheet lead"><p>${prose(description)}</p>${facts(operation, reading)}</section>
${of('path').length > 0 && section('In the path', 'path', parameterList(of('path'), parts('path')))}
${of('query').length > 0 && section('In the query', 'query', parameterList(of('query'), parts('query')))}
${headers.length > 0 && section('Headers', 'headers', parameterList(headers, parts('header')))}
${body && section('Body', 'body', fieldList(catalogue.resolve(body.schema), parts('body')), html`${contentTypes(body.types)}${!body.required && ', may be left out'}`)}
${answers.map((answer) => answerSection(answer, parts(`answer-${answer.status}`), section))}
${section('Errors', 'errors', refusalTable(operation), html`<a href="/docs/errors">All errors</a>`)}
</div><div class="op-code">${exampleSheets(operation, reading)}${tryIt}</div></div>`
}

/** Three forms of the same are told as one. */
const contentTypes = (types: readonly string[]): string =>
  [...new Set(types.map((type) => (type.startsWith('multipart/') ? 'multipart with files' : type)))].join(', ')

function facts(operation: Described, { dialect }: Reading): Html {
  const { scopes, id, answers } = operation
  const scope =
    scopes === undefined
      ? 'none: open to everybody'
      : scopes.length === 0
        ? 'any token'
        : html`${scopes.map((name, i) => html`${i > 0 && ' or '}<code>${dialect.scope(name)}</code>`)}`
  const others = dialectNames.map((name) =>
    name === dialect.name
      ? html`<b aria-current="true">${name}</b> `
      : html`<a href="/docs/${id}?dialect=${name}">${name}</a> `,
  )
  const { method } = operation
  const once = operation.parameters.some(({ name }) => name.endsWith('-Request-Id'))
  return html`<dl class="lines told"><div><dt>Name</dt><dd>${taken(id, 'the name')}</dd></div><div><dt>Scopes</dt><dd>${scope}</dd></div><div><dt>Answers</dt><dd>${answers.map(({ status: code }) => html`${status(Number(code))} `)}</dd></div><div><dt>Sent twice</dt><dd>${
    method === 'GET'
      ? 'reads, and changes nothing'
      : once
        ? html`takes effect once with <code>${headerIn(dialect, 'Service-Request-Id')}</code>`
        : operation.route.reads === true
          ? 'reads, and changes nothing'
          : 'takes effect each time it can'
  }</dd></div><div><dt>Dialect</dt><dd class="dialects">${others}</dd></div></dl>`
}

type Section = (title: string, anchor: string, content: Content, aside?: Content) => Html

function answerSection(
  { status: code, type, schema }: AnswerForm,
  parts: { catalogue: Catalogue; dialect: Dialect; at: string },
  section: Section,
): Html {
  const title = `Answer ${code}`
  if (schema === undefined) return section(title, `answer-${code}`, html`<p class="about">Done; there is no body.</p>`)
  const full = parts.catalogue.resolve(schema)
  return section(title, `answer-${code}`, fieldList(full, parts), type)
}

const nameOf: Readonly<Record<number, keyof typeof problemMessages>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILURE',
  403: 'NOT_AUTHORIZED',
  404: 'RESOURCE_NOT_FOUND',
  409: 'RESOURCE_CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMIT_REACHED',
  503: 'SERVICE_UNAVAILABLE',
}

/** The rules of the operation first; what every operation refuses is folded. */
function refusalTable({ refusals }: Described): Html {
  const own = refusals.filter((row) => !isGeneral(row))
  const shared = refusals.filter(isGeneral)
  const list = (rows: typeof refusals) =>
    html`<ul class="refusals">${rows.map(
      ({ issue, status: code, when, mend }) =>
        html`<li id="error-${issue}"><p class="what">${status(code)} <code class="name">${broken(issue)}</code><span class="kind">${nameOf[code] ?? ''}</span></p><p class="about">${prose(when)}</p><p class="mend">${prose(mend)}</p></li>`,
    )}</ul>`
  if (own.length === 0) return list(shared)
  return html`${list(own)}<details class="within"><summary>${icon('right')}And ${shared.length} that most operations have</summary>${list(shared)}</details>`
}

/** The call that was recorded: as a command, as a program, and what was answered. */
function exampleSheets(operation: Described, { dialect, publicUrl, authorization }: Reading): Content {
  const { example } = operation
  if (!example) return undefined
  const caller = { publicUrl, dialect, ...(authorization !== undefined && { authorization }) }
  const code = programOf(operation, example, caller)
  const { answer, answerType, status: code200 } = example
  const shown =
    answer === undefined
      ? html`<p class="about">${answerType === undefined ? 'There is no body.' : `Bytes of ${answerType}.`}</p>`
      : answerType === 'application/json'
        ? json(spoken(answer, dialect), { label: 'Body of the answer', numbers: false })
        : plain(String(answer), 'Body of the answer')
  return html`<section class="sheet example" aria-labelledby="example"><header class="sheet-head"><h2 id="example">Example</h2><div class="aside">recorded from a run</div></header>
<details name="as" open><summary>${icon('right')}curl</summary>${program(curlOf(operation, example, caller), 'The call as a command')}</details>
${code !== undefined && html`<details name="as"><summary>${icon('right')}quittance/client</summary>${program(code, 'The call as a program')}</details>`}
<div class="answered"><p class="label">Answer ${status(code200)}${answerType !== undefined && html` <span class="kind">${answerType}</span>`}</p>${shown}</div></section>`
}
