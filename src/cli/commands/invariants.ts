import { countAll } from '../../invariants/check.ts'
import { type Command, CommandError } from '../command.ts'
import { print } from '../print.ts'

/** The command is waited for, so a rule may take as long as a large database needs. */
const LIMIT_MS = 600_000

/** Looks now at what a live service looks at every day. */
export const invariantsCommand: Command = {
  kind: 'store',
  name: 'invariants',
  summary: 'Check now that the stored data is consistent: money, states, deliveries',
  examples: [['invariants', 'after a restore or an incident; ends with 1 when any rule is broken']],
  async run({ transact, options, output }) {
    const found: { rule: string; rows: number | 'took too long' }[] = []
    let rules = 0
    for await (const { rule, rows } of countAll(transact, LIMIT_MS)) {
      rules++
      if (rows !== 0) found.push({ rule, rows: rows ?? 'took too long' })
    }
    if (found.length === 0) return { rules, broken: 0 }
    output.out(`${print(found, options['json'] === true)}\n`)
    throw new CommandError(
      `${found.length} of ${rules} rules do not hold: the queries in invariants.sql show the rows. Change nothing, and report it.`,
    )
  },
}
