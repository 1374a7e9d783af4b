import { hostname, userInfo } from 'node:os'
import type { Cause } from '../kernel/cause.ts'
import { randomIds } from '../kernel/ids.ts'
import type { Command, CommandInput } from './command.ts'

/** What the audit log keeps of a call: which command, on what, by whom on which machine. */
export function commandCause(
  { name, options = {} }: Command,
  { arguments: words, options: values }: CommandInput,
): Cause {
  const given = Object.entries(options).flatMap(([option, { personal }]) => {
    const value = values[option]
    if (value === undefined) return []
    return value === true ? [`--${option}`] : [`--${option}`, personal ? HIDDEN : String(value)]
  })
  return {
    kind: 'command',
    id: randomIds.next('debug'),
    name,
    arguments: [...words.map(withoutAddress), ...given],
    address: `${userName()} on ${hostname()}`,
  }
}

const HIDDEN = '(not kept)'

/** The address of a person, or of a database with its password. */
const withoutAddress = (word: string) => (/@|:\/\//.test(word) ? HIDDEN : word)

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // Some containers run as an account without a name.
    return `user ${process.getuid?.() ?? '?'}`
  }
}
