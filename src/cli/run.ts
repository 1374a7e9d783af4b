import { parseArgs } from 'node:util'
import { flagOf } from '../config.ts'
import { didYouMean } from '../kernel/spelling.ts'
import { readSettings, settings as settingTable, unknownVariables } from '../settings.ts'
import { version } from '../version.ts'
import { commandCause } from './cause.ts'
import {
  type Command,
  type CommandInput,
  type Output,
  type Sandbox,
  type SandboxCommand,
  UsageError,
} from './command.ts'
import { commands } from './commands/index.ts'
import { complaintOf } from './complain.ts'
import { helpOf, overview, usageOf } from './help.ts'
import { print } from './print.ts'
import { findSandbox, noSandbox, sandboxUrl } from './sandbox.ts'
import { onParentGone } from './stopping.ts'
import { withStore } from './store.ts'

const terminal: Output = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  coloured: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
  columns: process.stdout.columns || undefined,
  get interrupted() {
    interruption ??= untilInterrupted()
    return interruption.signal
  },
}

let interruption: AbortController | undefined

/** Only for commands that clean up: every other one is ended by the signal itself. */
function untilInterrupted(): AbortController {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort())
  return controller
}

/** Whoever reads what is printed may go before its end, as `head` does: that is an interruption, and no failure. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (interruption) interruption.abort()
    else process.exit(0)
  })
  // There is nobody left to tell.
  process.stderr.on('error', () => {})
}

/** Those that run a service go on, whoever reads what they print. */
const isService = (command: Command | undefined) => command?.kind === 'free' && command.goesBy === 'all'

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
    const command = commandOf(words)
    if (output === terminal && !isService(command)) endWithReader()
    if (words.includes('--version')) return say(version)
    if (!command) {
      const [first, ...asked] = words
      const meant = first === 'help' ? commandOf(asked) : undefined
      if (meant) return say(helpOf(meant, output.columns))
      const isAsking = first === undefined || (first === 'help' && asked.length === 0) || words.includes('--help')
      if (isAsking) return say(overview(commands, output.columns))
      throw new UsageError(unknownCommand(first === 'help' ? asked : words))
    }
    const rest = words.slice(command.name.split(' ').length)
    if (rest.includes('--help')) return say(helpOf(command, output.columns))
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

const commandOf = (words: readonly string[]): Command | undefined =>
  commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))

/** What the words behind a command say. */
function readCall(command: Command, words: readonly string[], environment: NodeJS.ProcessEnv) {
  const { values, positionals } = readFlags(command, words)
  const expected = command.arguments ?? []
  const needed = expected.filter((name) => !name.startsWith('[')).length
  const most = expected.at(-1)?.endsWith('…]') ? Infinity : expected.length
  if (positionals.length < needed || positionals.length > most)
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
    const known = Object.hasOwn(options, name) ? options[name] : undefined
    if (!known) {
      const meant = didYouMean(
        rawName,
        Object.keys(options).map((flag) => `--${flag}`),
      )
      throw new UsageError(`There is no flag ${rawName}.${meant} "quittance ${command.name} --help" lists all flags.`)
    }
    if (known.type === 'string' && value === undefined) throw new UsageError(`The flag ${rawName} needs a value.`)
    if (known.type === 'boolean' && value !== undefined) throw new UsageError(`The flag ${rawName} takes no value.`)
  }
  return parsed
}

async function execute(command: Command, input: CommandInput): Promise<void> {
  command.check?.(input)
  if (command.kind === 'sandbox') return withSandbox(command, input)
  const cause = commandCause(command, input)
  if (command.kind === 'free') return command.run(input, cause)
  const result = await withStore(input, cause, (store) => command.run({ ...input, ...store }))
  if (result !== undefined) input.output.out(`${print(result, input.options['json'] === true)}\n`)
}

async function withSandbox(command: SandboxCommand, input: CommandInput): Promise<void> {
  const { output } = input
  // npx passes no signal on: a command that goes on, and the sandbox it started, would stay behind.
  if (output === terminal && input.settings.stopWithParent) onParentGone(() => interruption?.abort())
  const asJson = input.options['json'] === true
  const tell = (record: object, line: string) => output.out(`${asJson ? JSON.stringify(record) : line}\n`)
  const { sandbox, close } = await reachSandbox(command, input)
  try {
    const result = await command.run({ ...input, sandbox, tell })
    if (result !== undefined) output.out(`${print(result, asJson)}\n`)
  } finally {
    await close()
  }
}

/** The running sandbox; where none runs and the command makes sense without, one for as long as the command runs. */
async function reachSandbox(
  { starts }: SandboxCommand,
  { settings, output }: CommandInput,
): Promise<{ sandbox: Sandbox; close(): Promise<void> }> {
  const url = sandboxUrl(settings)
  const found = await findSandbox(url)
  if (found) return { sandbox: found, close: async () => {} }
  if (!starts || settings.sandboxUrl !== undefined) throw noSandbox(url)
  const { startForCommand } = await import('./commands/serve.ts')
  const { at, close } = await startForCommand(settings)
  output.err(`quittance: no sandbox was running at ${url}; one runs until this command ends.\n`)
  try {
    const sandbox = await findSandbox(at)
    if (!sandbox) throw noSandbox(at)
    return { sandbox, close }
  } catch (error) {
    await close()
    throw error
  }
}

function unknownCommand(words: readonly string[]): string {
  const said = words.filter((word) => !word.startsWith('-')).join(' ')
  const names = commands.map(({ name }) => name)
  const second = names.filter((name) => name.startsWith(`${said} `)).map((name) => name.slice(said.length + 1))
  if (second.length > 0) return `"${said}" needs one of these after it: ${second.join(', ')}.`
  return `There is no command "${said}".${didYouMean(said, names)} "quittance --help" lists them.`
}
