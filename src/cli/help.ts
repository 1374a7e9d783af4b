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

/** Longer lines are hard to read, and narrower ones than the least leave no room for what stands on the right. */
const COLUMNS = { least: 60, most: 100 }
/** A name may have so much of a line. One long name must not move the descriptions of all others. */
const NAME_SHARE_MAX = 0.44

/** The width of the terminal within bounds; elsewhere the most. */
const readable = (columns: number = COLUMNS.most) => Math.min(COLUMNS.most, Math.max(COLUMNS.least, columns))

/** Breaks a text between words, so that no line is longer unless a word is. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Names on the left, what they mean on the right. A name that is too long stands in a line of its own. */
function table(rows: readonly (readonly [string, string])[], columns: number, width: number): string[] {
  return rows.flatMap(([name, description]) => {
    const lines = wrapped(description, columns - width - 4)
    const right = name.length > width ? ['', ...lines] : lines
    return right.map((line, i) => `  ${(i === 0 ? name : '').padEnd(width)}  ${line}`.trimEnd())
  })
}

/** How wide the names are; too long ones stand in lines of their own. */
const widthOf = (rows: readonly (readonly [string, string])[], columns: number) =>
  Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= columns * NAME_SHARE_MAX))

/** What the commands are listed under. */
export const headings: readonly (readonly [heading: string, kind: Command['kind']])[] = [
  ['Run a service, and commands that need none', 'free'],
  ['On a running sandbox', 'sandbox'],
  ['On the database of a service', 'store'],
]

/** Every command with what it does, for lines of so many columns. */
export function overview(commands: readonly Command[], atColumns?: number): string {
  const columns = readable(atColumns)
  const rows = commands.map((command) => [usageOf(command), command.summary] as const)
  const width = widthOf(rows, columns)
  const lines = (kind: Command['kind']) =>
    table(
      rows.filter((_, i) => commands[i]!.kind === kind),
      columns,
      width,
    )
  return [
    'quittance: invoices, disputes and webhooks around a payment',
    '',
    'usage: quittance <command> [--help] [--json]',
    ...headings.flatMap(([heading, kind]) => (lines(kind).length === 0 ? [] : ['', `${heading}:`, ...lines(kind)])),
    '',
    ...wrapped(
      '"quittance <command> --help" shows examples. Every setting is an environment variable or a flag of the same name; docs/configuration.md lists them. Exit codes: 0 done, 1 it could not be done, 2 it was called wrongly.',
      columns,
    ),
  ].join('\n')
}

/** One command with all it takes, for lines of so many columns. */
export function helpOf(command: Command, atColumns?: number): string {
  const columns = readable(atColumns)
  const section = (heading: string, rows: readonly (readonly [string, string])[]) =>
    rows.length === 0 ? [] : ['', `${heading}:`, ...table(rows, columns, widthOf(rows, columns))]
  return [
    `usage: quittance ${usageOf(command)}`,
    '',
    ...wrapped(`${command.summary}.`, columns),
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
