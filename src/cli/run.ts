import { parseArgs } from 'node:util'
import { readSettings, settings as settingTable } from '../config.ts'
import { EmbeddedServerError } from '../database/embedded/server.ts'
import { sqlProblem } from '../database/errors.ts'
import { MigrationError } from '../database/migrate.ts'
import { Problem } from '../kernel/problem.ts'
import { flagOf, SettingError } from '../setting.ts'
import { version } from '../version.ts'
import { accountCommands } from './accounts.ts'
import { appCommands } from './apps.ts'
import { type Command, CommandError, type Output, UsageError } from './command.ts'
import { docsCommand } from './docs.ts'
import { jobCommands } from './jobs.ts'
import { keyCommands } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { print } from './print.ts'
import { serveCommands } from './serve.ts'
import { withStore } from './store.ts'

const commands: readonly Command[] = [
  ...serveCommands,
  migrateCommand,
  ...accountCommands,
  ...appCommands,
  ...jobCommands,
  ...keyCommands,
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
  try {
    const command = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    if (words.includes('--version')) return say(version)
    if (!command) {
      if (words.length === 0 || words.includes('--help') || words[0] === 'help') return say(overview())
      throw new UsageError(`There is no command "${words.join(' ')}". "quittance --help" lists them.`)
    }
    const rest = words.slice(command.name.split(' ').length)
    if (rest.includes('--help')) return say(helpOf(command))
    await execute(command, rest, environment, output)
    return 0
  } catch (error) {
    return complain(error, output)
  }
}

async function execute(command: Command, words: readonly string[], environment: NodeJS.ProcessEnv, output: Output) {
  const own = Object.fromEntries(
    Object.entries(command.options ?? {}).map(([name, { type, multiple }]) => [
      name,
      { type, multiple: multiple ?? false },
    ]),
  )
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { ...settingOptions, ...own, json: { type: 'boolean' } },
  })
  const expected = command.arguments ?? []
  const needed = expected.filter((name) => !name.startsWith('[')).length
  if (positionals.length < needed || positionals.length > expected.length)
    throw new UsageError(`usage: quittance ${usageOf(command)}`)
  const settings = readSettings(environment, values)
  const input = { settings, arguments: positionals, options: values, output }
  if (command.kind === 'free') return command.run(input)
  const result = await withStore(settings, (store) => command.run({ ...input, ...store }))
  if (result !== undefined) output.out(`${print(result, values['json'] === true)}\n`)
}

/** Tells a person what went wrong in one sentence; a stack trace only for what is our mistake. */
function complain(error: unknown, { err }: Output): number {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error)
  const known = [CommandError, SettingError, EmbeddedServerError, MigrationError]
  if (isUsage || known.some((kind) => error instanceof kind)) {
    err(`quittance: ${(error as Error).message}\n`)
    return isUsage || error instanceof SettingError ? 2 : 1
  }
  if (error instanceof Problem) {
    err(`quittance: ${error.details.map(({ description }) => description).join(' ') || error.message}\n`)
    return 1
  }
  const refusal = sqlProblem(error, {})
  if (refusal?.status === 409) {
    err('quittance: There is already one with this name or address.\n')
    return 1
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (/^(ECONN|ENOTFOUND|EADDR|EACCES|28|3D|08|57)/.test(code)) {
    err(`quittance: ${(error as Error).message}\n`)
    return 1
  }
  err(`${error instanceof Error ? error.stack : String(error)}\n`)
  return 1
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
