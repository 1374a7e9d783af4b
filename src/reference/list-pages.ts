import { program } from '../console/parts/code.ts'
import { broken, heading, status } from '../console/parts/parts.ts'
import { type Content, type Html, html } from '../http/html.ts'
import { problemMessages } from '../kernel/problem.ts'
import type { Catalogue, Described } from './catalogue.ts'
import { prose } from './fields.ts'
import { everyRefusal, isGeneral } from './refusals.ts'
import { type Found, MOST } from './search.ts'

const operationRow = ({ id, method, path, summary }: Described, search: string): Html =>
  html`<li id="${id}"><a class="row" href="/docs/${id}${search}"><span class="verb">${method}</span><span class="does">${prose(summary)}</span><code class="at">${path}</code></a></li>`

/** The first page: how one begins, and everything there is. */
export function overviewPage(
  catalogue: Catalogue,
  { publicUrl, isSandbox, search }: { publicUrl: string; isSandbox: boolean; search: string },
): Html {
  const token = `TOKEN=$(curl -s -u ${isSandbox ? 'sandbox-merchant:sandbox-merchant-secret' : '$CLIENT_ID:$CLIENT_SECRET'} -d grant_type=client_credentials \\
  ${publicUrl}/v1/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s -H "Authorization: Bearer $TOKEN" ${publicUrl}/v2/invoicing/invoices`
  const client = `import { createClient } from 'quittance/client'

const client = createClient({
  url: '${publicUrl}',
  clientId: '${isSandbox ? 'sandbox-merchant' : '…'}',
  clientSecret: ${isSandbox ? "'sandbox-merchant-secret'" : 'process.env.CLIENT_SECRET'},
})
const { items } = await client.invoices.list()`
  const count = catalogue.byId.size
  return html`${heading('API reference', { sub: html`${count} operations, each with a call that was recorded from a run. The same as <a href="/openapi.json">OpenAPI 3.1</a>; version ${catalogue.version}.` })}
<div class="two begin"><section class="sheet"><header class="sheet-head"><h2>Begin with a shell</h2></header>${program(token, 'A token, and a first call')}</section>
<section class="sheet"><header class="sheet-head"><h2>Or with the client</h2></header>${program(client, 'The same with quittance/client')}</section></div>
<section class="sheet"><header class="sheet-head"><h2>What holds for every call</h2></header><ul class="rules">
<li>A token goes into <code>Authorization: Bearer</code>; <a href="/docs/createAccessToken${search}">createAccessToken</a> gives one.</li>
<li>A POST repeated with the same request id takes effect once and gets the first answer again.</li>
<li>Bodies are JSON. Amounts are decimal strings with a currency; times are RFC 3339.</li>
<li>Whatever is refused says why and what would make it work: <a href="/docs/errors${search}">errors</a>. Nothing was changed then.</li>
<li>There are two dialects, <code>service</code> and <code>paypal</code>: names of headers, scopes and a few values. Either is understood everywhere; the page of an operation shows both.</li>
</ul></section>
${catalogue.groups.map(
  ({ tag, operations }) =>
    html`<section class="sheet flush group" aria-labelledby="${slug(tag)}"><header class="sheet-head"><h2 id="${slug(tag)}">${tag}</h2></header><ul class="operations">${operations.map((operation) => operationRow(operation, search))}</ul></section>`,
)}`
}

const slug = (tag: string) => tag.toLowerCase().replaceAll(' ', '-')

/** Every refusal: what it means, what mends it, and where it comes. */
export function errorsPage(search: string): Html {
  const rows = everyRefusal()
  const [most, some] = [rows.filter(isGeneral), rows.filter((row) => !isGeneral(row))]
  // An issue that means several things is led to where it stands first.
  const firsts = new Map([...most, ...some].reverse().map((row) => [row.issue, row]))
  const list = (entries: typeof rows) =>
    html`<ul class="refusals">${entries.map((row) => {
      const { issue, status: code, when, mend, by } = row
      return html`<li${firsts.get(issue) === row && html` id="${issue}"`}><p class="what">${status(code)} <code class="name">${broken(issue)}</code></p><p class="about">${prose(when)}</p><p class="mend">${prose(mend)}</p>${
        by.length > 0 &&
        html`<p class="by">${by.map((id) => html`<a href="/docs/${id}${search}#error-${issue}">${id}</a> `)}</p>`
      }</li>`
    })}</ul>`
  const body = `{
  "name": "UNPROCESSABLE_ENTITY",
  "message": "for people; its wording may change",
  "debug_id": "names this answer in the logs",
  "details": [{ "issue": "A_CODE", "description": "what would make the call work", "field": "/items/0/name", "location": "body" }]
}`
  return html`${heading('Errors', { sub: 'Programs look at the status, at the name and at the issues; people read the description.' })}
<section class="sheet"><header class="sheet-head"><h2>The body of a refusal</h2></header>${program(body, 'The body of a refusal')}<p class="about">What can be told from the request alone is 400, what depends on stored state is 422. Nothing was changed either way. A 5xx may be sent again with the same request id.</p></section>
<section class="sheet"><header class="sheet-head"><h2>Names</h2></header><dl class="lines names">${Object.entries(
    problemMessages,
  ).map(
    ([name, message]) => html`<div id="${name}-name"><dt><code>${broken(name)}</code></dt><dd>${message}</dd></div>`,
  )}</dl></section>
<section class="sheet"><header class="sheet-head"><h2>Issues of most operations</h2></header>${list(most)}</section>
<section class="sheet"><header class="sheet-head"><h2>Issues of some operations</h2></header>${list(some)}</section>`
}

/** What a search found, as a page or as what drops down below the field. */
export function foundList(found: Found, search: string): Html {
  const kinds = [
    ['Operations', found.operations],
    ['Fields', found.fields],
    ['Errors', found.errors],
  ] as const
  return html`${kinds.map(
    ([title, entries]) =>
      entries.length > 0 &&
      html`<section class="hits"><h2>${title}</h2><ul>${entries.map(
        ({ href, name, about, beside }) =>
          html`<li><a class="row" href="${withSearch(href, search)}"><b>${name}</b> <span class="beside">${beside}</span><small>${prose(about)}</small></a></li>`,
      )}</ul></section>`,
  )}`
}

const withSearch = (href: string, search: string): string => {
  const [path, anchor] = href.split('#')
  return `${path}${search}${anchor === undefined ? '' : `#${anchor}`}`
}

export function searchPage(query: string, found: Found, search: string): Html {
  const counts = [found.operations.length, found.fields.length, found.errors.length]
  const count = counts.reduce((a, b) => a + b)
  const told = counts.includes(MOST) ? `The best ${MOST} of each kind.` : `${count} found.`
  const nothing: Content =
    count === 0 &&
    html`<div class="empty"><h2>Nothing is called so</h2><p>Try the name of a field, a part of a path, or a code such as DUPLICATE_INVOICE_NUMBER.</p></div>`
  return html`${heading(query === '' ? 'Search' : html`Search: ${query}`, { sub: query === '' ? 'Operations, paths, fields and errors.' : told })}<div class="sheet found-page">${nothing}${foundList(found, search)}</div>`
}
