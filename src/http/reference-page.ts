import { createHash } from 'node:crypto'
import { type Content, Html, html } from './html.ts'

type Json = Record<string, unknown>

/** The API reference as one page: nothing is loaded from elsewhere and nothing runs. */
export interface ReferencePage {
  readonly html: string
  readonly contentSecurityPolicy: string
}

const style = `
:root { color-scheme: light dark; --ink: #1d2129; --soft: #5b6472; --line: #dfe3e8; --paper: #fff; --tint: #f5f7f9; --accent: #0b5cad }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa4b2; --line: #2c333d; --paper: #14171c; --tint: #1b2027; --accent: #7ab7f5 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); display: grid; grid-template-columns: 20rem minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .875rem }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.25rem 0 .25rem }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none }
nav a:hover, nav a:focus { color: var(--accent) }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 64rem }
h1 { margin: 0 0 .5rem } section { padding: 1.5rem 0; border-top: 1px solid var(--line) }
h3 { margin: 0 0 .25rem; font-size: 1.1rem }
code, pre { font: .875em/1.5 ui-monospace, monospace } .address { background: var(--tint); padding: .5rem .75rem; border-radius: .4rem; overflow-x: auto; display: block }
.method { font-weight: 700; color: var(--accent); margin-right: .75em }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0 } th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th { font-weight: 600; color: var(--soft) } summary { cursor: pointer; color: var(--soft) } ul { margin: .25rem 0 .25rem 1rem; padding: 0; list-style: none; font-size: .9rem } li { padding: .1rem 0 }
.soft { color: var(--soft) } h4 { margin: 1rem 0 .25rem; font-size: .9rem }
@media (max-width: 60rem) { body { display: block } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line) } }
`

const DEPTH_MAX = 6
const text = (value: unknown) => String(value)

/** Prints an OpenAPI document as a page. */
export function referencePage(api: { info: Json; paths: Record<string, Json>; components: Json }): ReferencePage {
  const schemas = api.components['schemas'] as Record<string, Json>
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as Json,
    })),
  )
  const tags = [...new Set(operations.map(({ operation }) => String((operation['tags'] as string[])[0])))]
  const ofTag = (tag: string) => operations.filter(({ operation }) => (operation['tags'] as string[])[0] === tag)

  const menu = tags.map(
    (tag) =>
      html`<h2>${tag}</h2>${ofTag(tag).map(({ operation }) => html`<a href="#${text(operation['operationId'])}">${text(operation['summary'])}</a>`)}`,
  )
  const body = tags.map((tag) => html`<h2>${tag}</h2>${ofTag(tag).map((entry) => section(entry, schemas))}`)
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Quittance API</title><style>${new Html(style)}</style></head><body><nav aria-label="Operations"><strong>Quittance API</strong> <span class="soft">${text(api.info['version'])}</span>${menu}</nav><main><h1>Quittance API</h1><p>${text(api.info['description'])} The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>${body}</main></body></html>`
  const hash = createHash('sha256').update(style).digest('base64')
  return {
    html: page.text,
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
}

function section(
  { path, method, operation }: { path: string; method: string; operation: Json },
  schemas: Record<string, Json>,
): Html {
  const security = operation['security'] as { oauth2: string[] }[]
  const scopes =
    security.length === 0
      ? 'none: open to everybody'
      : security.map(({ oauth2 }) => oauth2[0] ?? 'any token').join(' or ')
  const body = operation['requestBody'] as { required: boolean; content: Record<string, { schema: Json }> } | undefined
  const bodyTypes = Object.keys(body?.content ?? {})
  const bodySchema = body?.content[bodyTypes[0]!]?.schema
  const responses = Object.entries(
    operation['responses'] as Record<string, { content?: Record<string, { schema: Json }> }>,
  ).filter(([status]) => status !== 'default')
  return html`<section id="${text(operation['operationId'])}"><h3>${text(operation['summary'])}</h3>
<code class="address"><span class="method">${method}</span>${path}</code>
${operation['description'] !== undefined && html`<p>${text(operation['description'])}</p>`}<p class="soft">Scope: ${scopes}</p>
${parameterTable((operation['parameters'] as Json[]).filter(({ name }) => name !== undefined))}
${bodySchema && html`<h4>Body <span class="soft">${bodyTypes.join(', ')}${!body?.required && ', may be left out'}</span></h4>${tree(bodySchema, schemas)}`}
${responses.map(([status, { content }]) => answer(status, content, schemas))}</section>`
}

function answer(
  status: string,
  content: Record<string, { schema: Json }> | undefined,
  schemas: Record<string, Json>,
): Html {
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  const label = status === 'default' ? 'Refusals' : status
  return html`<h4>${label} <span class="soft">${type ?? 'no body'}</span></h4>${media && tree(media.schema, schemas)}`
}

function parameterTable(parameters: Json[]): Content {
  if (parameters.length === 0) return undefined
  const rows = parameters.map(({ name, in: place, required, schema, description }) => {
    const about = description ?? (schema as Json)['description'] ?? ''
    return html`<tr><td><code>${text(name)}</code></td><td>${text(place)}${required === true && ', required'}</td><td>${form(schema as Json)}</td><td>${text(about)}</td></tr>`
  })
  return html`<table><thead><tr><th>Name</th><th>In</th><th>Form</th><th></th></tr></thead><tbody>${rows}</tbody></table>`
}

/** A schema as a folded list of its properties. */
function tree(schema: Json, schemas: Record<string, Json>, depth = 0): Content {
  const {
    properties,
    required = [],
    items,
  } = resolve(schema, schemas) as { properties?: Record<string, Json>; required?: string[]; items?: Json }
  if (items && depth < DEPTH_MAX) return tree(items, schemas, depth)
  if (!properties || depth >= DEPTH_MAX)
    return depth === 0 && html`<p class="soft">${form(resolve(schema, schemas))}</p>`
  const entries = Object.entries(properties).map(([name, property]) => {
    const full = resolve(property, schemas)
    const about = [form(full), required.includes(name) ? 'required' : '', full['description'] ?? '']
      .filter(Boolean)
      .join(' · ')
    return html`<li><code>${name}</code> <span class="soft">${about}</span>${tree(property, schemas, depth + 1)}</li>`
  })
  const list = html`<ul>${entries}</ul>`
  if (depth > 1) return list
  return html`<details${depth === 0 && new Html(' open')}><summary>${entries.length} fields</summary>${list}</details>`
}

function resolve(schema: Json, schemas: Record<string, Json>): Json {
  const reference = schema['$ref']
  return typeof reference === 'string' ? (schemas[reference.split('/').at(-1)!] ?? {}) : schema
}

/** The form of a value in a few words. */
function form(schema: Json): string {
  const {
    type,
    enum: values,
    maxLength,
    minimum,
    maximum,
    anyOf,
  } = schema as {
    type?: unknown
    enum?: unknown[]
    maxLength?: number
    minimum?: number
    maximum?: number
    anyOf?: Json[]
  }
  if (values) return values.length > 12 ? `one of ${values.length} values` : values.join(' | ')
  if (anyOf) return anyOf.map(form).join(' or ')
  const limits = [
    maxLength === undefined ? '' : `up to ${maxLength} characters`,
    minimum === undefined ? '' : `from ${minimum}`,
    maximum === undefined ? '' : `to ${maximum}`,
  ]
  return [String(type ?? 'any'), ...limits].filter(Boolean).join(' ')
}
