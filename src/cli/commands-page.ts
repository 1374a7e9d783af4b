import { code, table } from '../kernel/markdown.ts'
import type { Command } from './command.ts'
import { headings, usageOf } from './help.ts'

/** The options of a command, each with what it does. */
const optionsOf = ({ options = {} }: Command): string =>
  Object.entries(options)
    .map(([name, { value, description }]) => `${code(value ? `--${name} ${value}` : `--${name}`)} ${description}`)
    .join('<br>')

/** Escapes what would end the cell of a table. */
const escaped = (cell: string) => cell.replaceAll('|', '\\|')

const rowsOf = (commands: readonly Command[], kind: Command['kind']) =>
  commands
    .filter((command) => command.kind === kind)
    .map((command) => [code(usageOf({ ...command, options: {} })), command.summary, optionsOf(command)].map(escaped))

/** `docs/commands.md`: what one does with the commands of the workbench, and every command there is. */
export const commandsPage = (commands: readonly Command[]): string =>
  `${introduction}
## Every command

Behind \`quittance\`; options stand in any order. Every command takes every setting as a flag too, and its \`--help\` lists
those it goes by ([configuration.md](configuration.md)).

${headings.map(([heading, kind]) => `### ${heading}\n\n${table(['Command', 'What it does', 'Options'], rowsOf(commands, kind))}`).join('\n\n')}
`

const introduction = `# Commands

This page is printed from the commands themselves by \`npm run docs\`; the table at the end has every one.

## Calling it

\`quittance\` stands for the program. In a clone of the repository, after \`npm ci\`, it is

\`\`\`
npm run -s quittance -- scenario list    # compiles first what has changed
npm run build                            # or once, and then
npx quittance scenario list
\`\`\`

and where [the package is installed](testing.md#installing), \`npx quittance\`. In [the image](ci.md#an-image) it is what stands behind the name of the image.

## Common to all commands

Commands that talk to a running sandbox find it at \`--url\` or \`QUITTANCE_URL\`, or where \`HOST\` and \`PORT\` say. \`listen\`, \`trigger\`,
\`scenario run\`, \`gauntlet\` and \`proxy\` start one on the data in \`QUITTANCE_DATA_DIR\` for as long as they run, when no address was
named and none answers. Every command has \`--help\` with examples, and \`--json\` for programs: a command that goes on for a while prints one
line of JSON for each thing that happens. There are colours at a terminal only, and none with \`NO_COLOR\`. A failure is one sentence;
exit code 1 says that the work could not be done, 2 that the command was called wrongly.

\`quittance completion bash\`, \`zsh\` or \`fish\` prints what makes the shell complete commands, flags, events and scenarios.

## listen

Subscribes for as long as it runs, and shows each event as it comes: when, what, about what, and how your handler answered.

\`\`\`
$ quittance listen --events 'CUSTOMER.DISPUTE.*' --forward-to http://127.0.0.1:3000/hook --signing-secret whsec_…
Listening at http://127.0.0.1:8080 as webhook 5GP028458E2496506, signed with whsec_…. Ctrl-C ends it.
09:30:12  CUSTOMER.DISPUTE.CREATED  PP-R-ABZ-10000001  204  3 ms
\`\`\`

\`--forward-to\` sends each delivery on with its body byte for byte and all its headers, so both signatures stand: that of the
certificate and that of the secret which is printed at the start. \`--signing-secret\` adds a signature with the secret your handler
already has. What the handler answers is what the sandbox hears, so retries are those your handler would get; no answer is
502. \`--print\` shows whole events, \`--skip-verify\` takes a self-signed certificate, \`--as\` listens for another app, and
\`--reached-at\` names this machine to a sandbox on another. The webhook is deleted at the end; one that was left behind by a
command that was killed is deleted by the next \`listen\` of the same app on the same machine. A reset takes it along like any other;
then there is another, with a secret of its own, and what happens in between is not heard: \`reset --keep-webhooks\` leaves it, and so does \`scenario run --reset\`.

## trigger

Makes the state behind an event with real calls, and prints each: \`quittance trigger CUSTOMER.DISPUTE.CREATED\` makes a payment
and a dispute about it. \`--override step.path=value\` sends something else in one of the calls. The clock is not moved. Three
events never happen by themselves (\`CHECKOUT.ORDER.COMPLETED\`, \`PAYMENT.CAPTURE.DECLINED\`, \`RISK.DISPUTE.CREATED\`); they are
simulated for webhooks that subscribed to them.

## scenario

\`list\`, \`show NAME\` and \`run NAME\` or \`run FILE\`: [scenarios.md](scenarios.md).

## gauntlet

The exam of a webhook handler. It is sent real events of a dispute, signed with the secret it knows (\`--signing-secret\`, or that of
the webhook with its address), in all the ways that a handler meets sooner or later:

| Exam | What a good handler does |
|---|---|
| valid | takes it with a 2xx within ten seconds |
| duplicate | answers 2xx to both of two deliveries at once, and acts on one: the id tells |
| out of order | takes the end of a dispute before its beginning |
| late | takes what happened three days ago and is delivered now |
| wrong signature | refuses it with 4xx |
| old timestamp | refuses with 4xx a true signature of an hour ago |
| unknown event | answers 2xx and ignores it |
| large | takes a body of a megabyte |
| slow to read | waits for a body that takes more than a second to come |
| retried after 500 | takes an event again that it has had, signed anew |

Whether a handler acts once on what comes twice cannot be seen from outside: the exam sees what it answers. Exit code 1 says
that it failed some. Only the signature with the secret is used; deliveries that the certificate signs come with \`listen\`.

## proxy

Leads clients with hard-coded hosts to the sandbox: [proxy.md](proxy.md).
`
