import { defaultOf, flagOf, type Setting } from '../config.ts'
import { settings } from '../settings.ts'
import type { Command } from './command.ts'

type AnySetting = Pick<Setting<unknown>, 'variable' | 'initial' | 'initialText' | 'form' | 'description'>

/** Settings that a command goes by. It takes the others as well, so that one environment serves all commands. */
export function settingsOf(command: Command): readonly AnySetting[] {
  const { sandboxUrl, host, port, ...others } = settings
  const { environment, secrets, databaseUrl, databaseDirectUrl, dataDir, cell } = others
  if (command.kind === 'sandbox') return [sandboxUrl, host, port, ...(command.starts ? [dataDir] : [])]
  const goesBy = command.kind === 'store' ? 'database' : command.goesBy
  if (goesBy === 'all') return [host, port, ...Object.values(others)]
  return goesBy === 'database' ? [environment, databaseUrl, databaseDirectUrl, dataDir, secrets, cell] : []
}

/** A setting as a flag: what it can be and what it is by default, and below what it does. */
const settingRows = (setting: AnySetting): [string, string][] => [
  [`--${flagOf(setting.variable)}`, `${setting.form}; by default ${defaultOf(setting)}`.replaceAll('`', '')],
  ['', setting.description.replaceAll('`', '')],
]

export const usageOf = ({ name, arguments: names = [], options = {} }: Command) =>
  [
    name,
    ...names.map((argument) => (argument.startsWith('[') ? argument : `<${argument}>`)),
    Object.keys(options).length > 0 ? '[options]' : '',
  ]
    .filter(Boolean)
    .join(' ')

/** What is longer than the width stands in a line of its own. */
const table = (rows: readonly (readonly [string, string])[], width: number) =>
  rows.map(([name, description]) =>
    name.length > width
      ? `  ${name}\n  ${' '.repeat(width)}  ${description}`
      : `  ${name.padEnd(width)}  ${description}`,
  )

const widthOf = (rows: readonly (readonly [string, string])[], most = Infinity) =>
  Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= most))

/** What the commands are listed under. */
export const headings: readonly (readonly [heading: string, kind: Command['kind']])[] = [
  ['Run a service, and commands that need none', 'free'],
  ['On a running sandbox', 'sandbox'],
  ['On the database of a service', 'store'],
]

/** Every command in one line each. */
export function overview(commands: readonly Command[]): string {
  const row = (command: Command) => [usageOf(command), command.summary] as const
  // One long name must not move the descriptions of all others.
  const width = widthOf(commands.map(row), 44)
  const lines = (kind: Command['kind']) => table(commands.filter((command) => command.kind === kind).map(row), width)
  return [
    'quittance: invoices, disputes and webhooks around a payment',
    '',
    'usage: quittance <command> [--help] [--json]',
    ...headings.flatMap(([heading, kind]) => (lines(kind).length === 0 ? [] : ['', `${heading}:`, ...lines(kind)])),
    '',
    '"quittance <command> --help" shows examples. Every setting is an environment variable or a flag of the same name;',
    'docs/configuration.md lists them. Exit codes: 0 done, 1 it could not be done, 2 it was called wrongly.',
  ].join('\n')
}

/** One command with all it takes. */
export function helpOf(command: Command): string {
  const section = (heading: string, rows: readonly (readonly [string, string])[]) =>
    rows.length === 0 ? [] : ['', `${heading}:`, ...table(rows, widthOf(rows))]
  return [
    `usage: quittance ${usageOf(command)}`,
    '',
    `${command.summary}.`,
    ...section(
      'Examples',
      command.examples.map(([words, does]) => [`quittance ${words}`, does]),
    ),
    ...section(
      'Options',
      Object.entries(command.options ?? {}).map(([name, { value, description }]) => [
        value ? `--${name} ${value}` : `--${name}`,
        description,
      ]),
    ),
    ...section('Settings (each also an environment variable)', settingsOf(command).flatMap(settingRows)),
  ].join('\n')
}
