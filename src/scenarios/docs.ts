import { code, table } from '../kernel/markdown.ts'
import { libraryScenario, scenarioNames } from './library.ts'
import type { Step } from './scenario.ts'

function doing({ as, call, wait, wait_until, receiver }: Step): string {
  if (call !== undefined) return [as, code(call)].filter(Boolean).join(': ')
  return receiver ? `the receiver answers ${receiver.answers}` : `the clock: ${code(wait ?? wait_until ?? '')}`
}

/** What is true afterwards, as far as it fits into a cell. */
function outcome({ expect: { status, dispute, invoice, events, money } }: Step): string {
  const fields = (value: unknown) => (value ?? {}) as { status?: string; dispute_life_cycle_stage?: string }
  const state = fields(dispute).status ?? fields(invoice).status
  return [
    status === undefined ? '' : `answers ${status}`,
    [fields(dispute).dispute_life_cycle_stage, state === '*' ? undefined : state]
      .filter(Boolean)
      .map((word) => code(word!))
      .join(' '),
    Array.isArray(events) ? events.map(code).join(', ') : '',
    typeof money === 'object'
      ? Object.entries(money)
          .map(([book, change]) => `${book} ${change}`)
          .join(', ')
      : '',
  ]
    .filter(Boolean)
    .join('; ')
}

/** The text of `docs/scenarios.md`: how scenarios are written and played, and every one that comes with the service. */
export function scenariosPage(): string {
  const stories = scenarioNames().map((name) => {
    const { title, about, steps } = libraryScenario(name)
    const rows = steps.map((step) => [code(step.step), step.says, doing(step), outcome(step)])
    return `### ${title}\n\n${code(`quittance scenario run ${name}`)}\n\n${about}\n\n${table(['Step', 'What happens', 'By', 'Then'], rows)}`
  })
  return `${introduction}\n## The stories\n\n${stories.join('\n\n')}\n`
}

const introduction = `# Scenarios

This page is printed from \`scenarios/\` by \`npm run docs\`; our tests play every one of them in both dialects.

A scenario is a story in YAML that a sandbox lives through with real calls: people call operations, time passes, and after
each step one sees what came of it. How \`quittance\` is called in a clone is said in [commands](commands.md#calling-it).

\`\`\`
quittance scenario list
quittance scenario show seller-wins
quittance scenario run seller-wins
quittance scenario run seller-wins --until open --forward-to http://127.0.0.1:3000/hook --speed 2
quittance scenario run ./my-story.yaml --reset
\`\`\`

\`--until\` leaves things as they are after a step, so that you can go on by hand. What else happens in the sandbox meanwhile
is seen as part of the story, and may not be what it expects: \`--reset\` empties the sandbox first, and leaves its webhooks. A step that does not come
out as expected ends the run with exit code 1. With \`--json\` every step is one line of JSON.

The same over HTTP, for programs and the console: \`GET /sandbox/scenarios\`, \`POST /sandbox/scenarios/{name}/run\` with \`until\`,
\`pause_seconds\` and \`forward_to\`, and \`GET /sandbox/scenario-runs/{id}?after=3\`, which answers as soon as there are more than
three steps. A process plays one at a time and remembers the last twenty.

## Writing one

\`\`\`yaml
title: A small refund
about: A customer pays, and gets part of it back.
people:
  merchant: sandbox-merchant
  partner: { client_id: sandbox-partner, for: MERCHANTAAAAA }
steps:
  - step: pay
    says: A customer pays 50 dollars.
    call: createSandboxTransaction
    as: merchant
    body: { amount: { currency_code: USD, value: '50.00' } }
  - step: week
    says: A week passes.
    wait: P7D
  - step: refund
    says: 10 dollars are given back.
    call: refundCapture
    as: merchant
    path: { id: '\${pay.id}' }
    body: { amount: { currency_code: USD, value: '10.00' } }
    expect:
      payment: { status: PARTIALLY_REFUNDED }
      events: [PAYMENT.CAPTURE.REFUNDED]
      money: { available: -10.00 USD }
\`\`\`

| Field | What it is |
|---|---|
| \`people\` | who takes part: a client id, or \`client_id\`, \`client_secret\` (the id with \`-secret\` behind it unless said) and the account it acts \`for\`. The story follows the view, events and money of the first |
| \`call\` | an operation of the API by its name, with \`as\`, \`path\`, \`query\`, \`headers\`, \`body\`, and \`files\` with \`name\`, \`type\`, \`content\` and perhaps \`part\` |
| \`wait\`, \`wait_until\` | a duration or an instant: the clock moves, and all that falls due on the way is done |
| \`receiver\` | the story's own webhook receiver, at \`\${receiver.url}\`, answers with the status \`answers\` from now on |
| \`\${pay.id}\` | something out of the answer of an earlier step; also \`\${now}\`, \`\${today}\` and \`\${today + P7D}\`. \`id\` is there also where an answer names it only in a link |
| \`expect\` | what must be true after the step; what is not said is not looked at |

| Expected | Means |
|---|---|
| \`status\` | of the answer; anything below 400 unless said |
| \`answer\`, \`dispute\`, \`invoice\`, \`payment\` | the fields that are named have these values: of the answer, or of the thing the story last made. Lists count whole; \`*\` is anything, \`~text\` contains the text, \`null\` is absent |
| \`events\` | exactly these came about, in any order, or \`none\` |
| \`money\` | by how much \`available\`, \`withheld\` and \`pending\` changed, or \`none\` |
| \`mail\` | these letters are among those written, by \`to\` and \`subject\`, or \`none\` |
| \`received\` | how often an event reached the receiver of the story, or \`none\` |

A file that is not right is refused before anything is played, with every mistake at once:

\`\`\`
my-story.yaml:17:11: expected the name of an operation, found "refundCapturd". Did you mean refundCapture?
\`\`\`
`
