import { Progress } from '../../backup/progress.ts'
import { makeAnswerBox } from '../../http/idempotency.ts'
import { randomIds } from '../../kernel/ids.ts'
import { erasePerson } from '../../people/erase.ts'
import { exportPerson } from '../../people/export.ts'
import { makeSeal, requireSameSecret } from '../../webhooks/signing/seal.ts'
import { type Command, CommandError, UsageError } from '../command.ts'
import { requireSecrets } from '../startable.ts'

/** What a customer may ask of whoever runs the service. docs/privacy.md says what stays, and why. */
export const peopleCommands: readonly Command[] = [
  {
    kind: 'store',
    name: 'people export',
    summary: 'Print everything the records hold about a customer, as JSON',
    arguments: ['e-mail address'],
    examples: [['people export jane@example.com > jane.json', 'writes all of it into a file']],
    check: ({ arguments: [email] }) => requireAddress(email),
    async run({ transact, output, arguments: [email] }) {
      const found = await exportPerson(transact, requireAddress(email))
      output.out(`${JSON.stringify(found, null, 2)}\n`)
      return undefined
    },
  },
  {
    kind: 'store',
    name: 'people erase',
    summary: 'Take a customer out of the records; what was bought and paid stays, without a name',
    arguments: ['e-mail address'],
    examples: [['people erase jane@example.com --yes', 'cannot be taken back']],
    options: { yes: { type: 'boolean', description: 'Confirm; it cannot be undone' } },
    check({ options, arguments: [email] }) {
      requireAddress(email)
      if (options['yes'] !== true)
        throw new CommandError('This cannot be undone: export first, then repeat the command with --yes.')
    },
    async run({ db, transact, settings, output, arguments: [email], announceAccessChange }) {
      const address = requireAddress(email)
      const secrets = requireSecrets(settings)
      // With another secret than the service has, sealed texts could not be opened and would keep the person.
      const box = makeSeal(secrets)
      await requireSameSecret(db, box)
      const say = (sentence: string) => output.err(`quittance: ${sentence}.\n`)
      const progress = new Progress(say)
      const erased = await erasePerson(db, transact, address, {
        code: randomIds.next('token').slice(0, 12),
        answers: makeAnswerBox(secrets),
        box,
        onStopped: (since) => say(`Goes on with what was begun at ${since} and stopped`),
        onProgress: (sentence) => progress.tell(sentence),
      })
      if (erased['accounts']) await announceAccessChange()
      return { erased }
    },
  },
]

function requireAddress(text: string | undefined): string {
  if (text === undefined || !/^[^\s@]+@[^\s@]+$/.test(text)) throw new UsageError('Give an e-mail address.')
  return text
}
