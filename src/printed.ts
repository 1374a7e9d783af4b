import type { Command } from './cli/command.ts'
import { commandsPage } from './cli/commands-page.ts'
import { compatibilityPage } from './compatibility.ts'
import { defaultOf, type Setting } from './config.ts'
import { Recall } from './database/recall.ts'
import { disputesPage } from './disputes/docs.ts'
import { disputeLifecycle } from './disputes/machine/lifecycle.ts'
import { invariantsFile } from './invariants/rules.ts'
import { invoicesPage } from './invoices/docs.ts'
import { invoiceLifecycle } from './invoices/lifecycle.ts'
import { dialects } from './kernel/dialect.ts'
import { problemMessages } from './kernel/problem.ts'
import type { IssueReference } from './kernel/reference.ts'
import { paymentsPage } from './payer/docs.ts'
import { clientApi } from './printed-client.ts'
import { describeWhole } from './reference/describe.ts'
import { everyRefusal, isGeneral } from './reference/refusals.ts'
import type { Service } from './room.ts'
import { describedRoutes } from './routes.ts'
import { scenariosPage } from './scenarios/docs.ts'
import { readSettings, settings } from './settings.ts'
import { type Emitters, webhooksPage } from './webhooks/docs.ts'

/** The service as the printed documents describe it: a sandbox with default settings. */
export const describedService: Service = {
  environment: 'sandbox',
  dialect: dialects.service,
  settings: readSettings({}),
  publicUrl: 'http://127.0.0.1:8080',
  recall: new Recall(0),
}

/** Every file that is printed from source, with its path below the root of the repository. */
export function printedFiles(commands: readonly Command[]): { path: string; text: string }[] {
  const api = describeWhole(describedRoutes(describedService))
  return [
    { path: 'openapi.json', text: `${narrowJson(JSON.parse(JSON.stringify(api)))}\n` },
    { path: 'src/client/api.ts', text: clientApi(JSON.parse(JSON.stringify(api))) },
    { path: 'invariants.sql', text: invariantsFile() },
    { path: 'docs/configuration.md', text: configurationPage() },
    { path: 'docs/disputes.md', text: disputesPage() },
    { path: 'docs/invoices.md', text: invoicesPage() },
    { path: 'docs/payments.md', text: paymentsPage() },
    { path: 'docs/webhooks.md', text: webhooksPage(emitters()) },
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/scenarios.md', text: scenariosPage() },
    { path: 'docs/compatibility.md', text: compatibilityPage() },
    { path: 'docs/commands.md', text: commandsPage(commands) },
  ]
}

const LINE_MAX = 160

/** JSON in which whatever fits into a line stands in one, and every example: half as long, and as easily compared. */
function narrowJson(value: unknown, indent = '', before = 0): string {
  const line = inLine(value)
  if (typeof value !== 'object' || value === null || indent.length + before + line.length < LINE_MAX) return line
  const deeper = `${indent}  `
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item: unknown) => narrowJson(item, deeper))]
    : [
        '{',
        '}',
        Object.entries(value).map(([key, part]) => {
          const name = `${JSON.stringify(key)}: `
          return name + (key === 'example' ? inLine(part) : narrowJson(part, deeper, name.length))
        }),
      ]
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`
}

function inLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inLine(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

/** What the two tables of moves do not say: how things begin, and what money does. */
const otherEmitters = {
  'INVOICING.INVOICE.CREATED': ['create an invoice'],
  'CUSTOMER.DISPUTE.CREATED': ['create a dispute', 'report a problem on the hosted page'],
  'CHECKOUT.ORDER.APPROVED': ['pay on the hosted page'],
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED': ['an approved payment on the hosted page fails'],
  'PAYMENT.CAPTURE.PENDING': ['pay on the hosted page, when the payment is pending'],
  'PAYMENT.CAPTURE.COMPLETED': ['pay on the hosted page', 'a pending payment clears', 'an appeal that the seller wins'],
  'PAYMENT.CAPTURE.DENIED': ['a pending payment is refused'],
  'PAYMENT.CAPTURE.REFUNDED': ['refund a captured payment', 'a dispute that the seller settles with a refund'],
  'PAYMENT.CAPTURE.REVERSED': ['a dispute or an appeal that is decided for the buyer'],
} as const satisfies Emitters

function emitters(): Emitters {
  const found: Record<string, string[]> = Object.fromEntries(
    Object.entries(otherEmitters).map(([type, sources]) => [type, [...sources]]),
  )
  const moves = [...invoiceLifecycle.rows, ...disputeLifecycle.rows]
  for (const { action, by, emits } of moves) {
    if (emits === 'nothing') continue
    const who = by as readonly string[]
    const source = who.every((role) => role === 'clock') ? `${action} (by time)` : action
    const sources = found[emits] ?? []
    found[emits] = sources.includes(source) ? sources : [...sources, source]
  }
  return found
}

function configurationPage(): string {
  const rows = Object.values(settings).map(
    (setting) => `| \`${setting.variable}\` | ${setting.form} | ${defaultOf(setting)} | ${setting.description} |`,
  )
  const filed = Object.values<Pick<Setting<unknown>, 'variable' | 'confidential'>>(settings).flatMap((setting) =>
    setting.confidential ? `\`${setting.variable}\`` : [],
  )
  return `# Configuration

Every setting is an environment variable, and a flag of the same name in lower case with dashes, without the word
\`quittance\`: \`QUITTANCE_DATA_DIR\` is \`--data-dir\`, \`PORT\` is \`--port\`. A flag wins over a variable.

What nobody else may read can stand in a file, as orchestrators hand secrets over: the variable with \`_FILE\` behind its name names it
(\`QUITTANCE_SECRET_FILE=/run/secrets/quittance\`). These are ${filed.slice(0, -1).join(', ')} and ${filed.at(-1)}. A file is read
when the process starts.

This page is printed from \`src/settings.ts\`, which gathers the settings of every room, by \`npm run docs\`.

| Variable | Form | Default | What it does |
|---|---|---|---|
${rows.join('\n')}
`
}

function issueRows(isMeant: (row: IssueReference) => boolean): string {
  const rows = everyRefusal()
    .filter(isMeant)
    .map(({ issue, status, when, mend }) => `| \`${issue}\` | ${status} | ${when} | ${mend} |`)
  return [...new Set(rows)].toSorted().join('\n')
}

function errorsPage(): string {
  const rows = Object.entries(problemMessages).map(([name, message]) => `| \`${name}\` | ${message} |`)
  return `# Errors

A refusal has this body, under a status of 400 or above:

\`\`\`json
{
  "name": "UNPROCESSABLE_ENTITY",
  "message": "for people; its wording may change",
  "debug_id": "names this answer in the logs, and stands in a header too",
  "details": [{ "issue": "A_CODE", "description": "what would make the call work", "field": "/items/0/name", "location": "body" }],
  "links": [{ "rel": "information_link", "href": "…/docs/theOperation", "method": "GET" }]
}
\`\`\`

Programs look at the status, at \`name\` and at \`details[].issue\`. \`field\` is a JSON pointer into the body, or the name of a path
or query parameter or of a header, and \`location\` says which: \`body\`, \`path\`, \`query\` or \`header\`. Violations are reported together, at most fifty: first all that the schema
finds, and when it finds none, all that the rules find.

**400 or 422?** What can be told from the request alone is 400; what depends on stored state is 422. Nothing was changed either
way. A 401 for a bad token also carries \`error\` and \`error_description\`; what OAuth has a word for, the token operations
say with those two alone. A 5xx is our mistake or a moment in which we cannot answer: send the request again with the same
request id.

The webhook operations (\`/v1/notifications/…\`) answer in the older shape that their clients know: \`information_link\` stands
beside \`links\`, a malformed request is called \`VALIDATION_ERROR\`, something unknown \`INVALID_RESOURCE_ID\`, and in \`details\` the
code is \`code\`, \`issue\` is the sentence, and \`field\` is written without slashes:

\`\`\`json
{ "details": [{ "field": "event_types.0.name", "code": "A_CODE", "issue": "what would make the call work", "location": "body" }] }
\`\`\`

## Names

| Name | What it means |
|---|---|
${rows.join('\n')}

## Issues of most operations

| Issue | Status | When | What to do |
|---|---|---|---|
${issueRows(isGeneral)}

## Issues of some operations

Of which, the page of each operation says ([reference](reference.md)), and \`/docs/errors\` for all of them.

| Issue | Status | When | What to do |
|---|---|---|---|
${issueRows((row) => !isGeneral(row))}

This page is printed from source by \`npm run docs\`.
`
}
