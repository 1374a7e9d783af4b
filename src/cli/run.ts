import { parseArgs } from 'node:util'
import { readSettings, settings as settingTable, unknownVariables } from '../config.ts'
import { didYouMean } from '../kernel/spelling.ts'
import { flagOf } from '../setting.ts'
import { version } from '../version.ts'
import { accountCommands } from './accounts.ts'
import { appCommands } from './apps.ts'
import { auditCommand } from './audit.ts'
import { commandCause } from './cause.ts'
import { type Command, type CommandInput, type Output, UsageError } from './command.ts'
import { complaintOf } from './complain.ts'
import { docsCommand } from './docs.ts'
import { jobCommands } from './jobs.ts'
import { keyCommands } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { peopleCommands } from './people.ts'
import { print } from './print.ts'
import { secretCommands } from './secrets.ts'
import { serveCommands } from './serve.ts'
import { withStore } from './store.ts'

const commands: readonly Command[] = [
  ...serveCommands,
  migrateCommand,
  ...accountCommands,
  ...appCommands,
  ...jobCommands,
  ...keyCommands,
  ...secretCommands,
  auditCommand,
  ...peopleCommands,
  docsCommand,
]

const terminal: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

const settingOptions = Object.fromEntries(
  Object.values(settingTable).map(({ variable }) => [flagOf(variable), { type: 'string' as const }]),
)

/** Runs one command and gives the exit code: 0 done, 1 it could not be done, 2 it was called wrongly. */
export async function runCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: Output = terminal,
): Promise<number> {
  const say = (text: string) => {
    output.out(`${text}\n`)
    return 0
  }
  let databaseUrl: string | undefined
  try {
    const command = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    if (words.includes('--version')) return say(version)
    if (!command) {
      if (words.length === 0 || words.includes('--help') || words[0] === 'help') return say(overview())
      throw new UsageError(unknownCommand(words))
    }
    const rest = words.slice(command.name.split(' ').length)
    if (rest.includes('--help')) return say(helpOf(command))
    const input = { ...readCall(command, rest, environment), output }
    databaseUrl = input.settings.databaseUrl
    for (const sentence of unknownVariables(environment)) output.err(`quittance: ${sentence}\n`)
    await execute(command, input)
    return 0
  } catch (error) {
    const { text, code } = complaintOf(error, databaseUrl)
    output.err(text)
    return code
  }
}

/** What the words behind a command say. */
function readCall(command: Command, words: readonly string[], environment: NodeJS.ProcessEnv) {
  const { values, positionals } = readFlags(command, words)
  const expected = command.arguments ?? []
  const needed = expected.filter((name) => !name.startsWith('[')).length
  if (positionals.length < needed || positionals.length > expected.length)
    throw new UsageError(`usage: quittance ${usageOf(command)}`)
  return { settings: readSettings(environment, values), arguments: positionals, options: values }
}

function readFlags(command: Command, words: readonly string[]) {
  const own = Object.entries(command.options ?? {}).map(
    ([name, { type, multiple = false }]) => [name, { type, multiple }] as const,
  )
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = {
    ...settingOptions,
    ...Object.fromEntries(own),
    json: { type: 'boolean' },
  }
  // Not strict, because the refusals of the library do not say what there is instead.
  const parsed = parseArgs({ args: [...words], allowPositionals: true, options, strict: false, tokens: true })
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const known = options[name]
    if (!known) {
      const meant = didYouMean(
        rawName,
        Object.keys(options).map((flag) => `--${flag}`),
      )
      throw new UsageError(
        `There is no flag ${rawName}.${meant} "quittance ${command.name} --help" lists those there are.`,
      )
    }
    if (known.type === 'string' && value === undefined) throw new UsageError(`The flag ${rawName} needs a value.`)
    if (known.type === 'boolean' && value !== undefined) throw new UsageError(`The flag ${rawName} takes no value.`)
  }
  return parsed
}

async function execute(command: Command, input: CommandInput): Promise<void> {
  if (command.kind === 'free') return command.run(input)
  const cause = commandCause(command, input)
  const result = await withStore(input.settings, cause, (store) => command.run({ ...input, ...store }))
  if (result !== undefined) input.output.out(`${print(result, input.options['json'] === true)}\n`)
}

function unknownCommand(words: readonly string[]): string {
  const said = words.filter((word) => !word.startsWith('-')).join(' ')
  const names = commands.map(({ name }) => name)
  return `There is no command "${said}".${didYouMean(said, names)} "quittance --help" lists them.`
}

const usageOf = ({ name, arguments: names = [], options = {} }: Command) =>
  [
    name,
    ...names.map((argument) => (argument.startsWith('[') ? argument : `<${argument}>`)),
    Object.keys(options).length > 0 ? '[options]' : '',
  ]
    .filter(Boolean)
    .join(' ')

function overview(): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length))
  const lines = commands.map((command) => `  ${usageOf(command).padEnd(width)}  ${command.summary}`)
  return [
    'quittance: invoices, disputes and webhooks around a payment',
    '',
    'usage: quittance <command> [--help] [--json]',
    '',
    ...lines,
    '',
    'Every setting is an environment variable or a flag of the same name; docs/configuration.md lists them.',
    'Exit codes: 0 done, 1 it could not be done, 2 it was called wrongly.',
  ].join('\n')
}

function helpOf(command: Command): string {
  const options = Object.entries(command.options ?? {})
  const settingsShown = Object.values(settingTable).map(
    ({ variable, description }) => [`--${flagOf(variable)}`, description] as const,
  )
  const table = (rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(0, ...rows.map(([name]) => name.length))
    return rows.map(([name, description]) => `  ${name.padEnd(width)}  ${description}`)
  }
  return [
    `usage: quittance ${usageOf(command)}`,
    '',
    `${command.summary}.`,
    ...(options.length > 0
      ? [
          '',
          'Options:',
          ...table(
            options.map(([name, { value, description }]) => [value ? `--${name} ${value}` : `--${name}`, description]),
          ),
        ]
      : []),
    '',
    'Settings (each also an environment variable):',
    ...table(settingsShown),
  ].join('\n')
}
