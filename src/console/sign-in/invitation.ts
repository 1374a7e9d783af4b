import { html } from '../../http/html.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'
import type { JobRequest } from '../../kernel/job.ts'
import { makeSendMail } from '../../payer/mail/send.ts'
import type { Service } from '../../room.ts'
import { addLink, consoleUrl, LINK_SECONDS, linkAddress } from './links.ts'
import { findPerson } from './people.ts'

const minutes = 60

interface Invitation {
  /** The account that somebody is to belong to; empty for the service itself. */
  readonly account_id: string
  readonly person_id: string
}

/** The job that mails somebody a link. It does not hold the link, which is made only when the mail goes out. */
export const invitationJob = (personId: string, accountId: string | null): JobRequest => ({
  name: 'console-invitation',
  payload: { account_id: accountId ?? '', person_id: personId },
})

/** The jobs that send the mails of the console. Each attempt makes a link of its own, so that none lies anywhere to be found. */
export function invitationJobs(service: Service): JobDefinition[] {
  const sendMail = makeSendMail(service)
  const { consoleName } = service.settings
  return [
    job<Invitation>({
      name: 'console-invitation',
      foretell: () => 'A mail with a link to sign in goes out.',
      retryAfter: [5, 1 * minutes, 5 * minutes],
      async run({ account_id, person_id }, context) {
        const person = await findPerson(context.db, person_id)
        if (!person) return
        const { code } = await context.transact(async (tx) => addLink(tx, person.id, tx.now))
        const link = linkAddress(consoleUrl(service), code)
        const says = `This link signs you in to ${consoleName}, once, within ${LINK_SECONDS / minutes} minutes:`
        const unasked = 'If you did not expect it, leave it alone.'
        await sendMail(
          account_id,
          {
            to: [person.email],
            fromName: consoleName,
            subject: `Sign in to ${consoleName}`,
            text: `${says}\n\n${link}\n\n${unasked}\n`,
            html: html`<!doctype html><html lang="en"><body><p>${says}</p><p><a href="${link}">${link}</a></p><p>${unasked}</p></body></html>`
              .text,
            links: [link],
          },
          context,
        )
      },
    }),
  ]
}
