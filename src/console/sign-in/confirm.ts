import type { Reader, Transact } from '../../database/transaction.ts'
import { html } from '../../http/html.ts'
import type { Answer } from '../../http/route.ts'
import type { Instant } from '../../kernel/clock.ts'
import { forbidden } from '../../kernel/problem.ts'
import type { Service } from '../../room.ts'
import type { Typed } from '../forms/fields.ts'
import { alone } from '../frame.ts'
import { pageAnswer } from '../respond.ts'
import type { SignedIn } from '../who.ts'
import { TOKEN_FIELD, tokenFor } from './form-tokens.ts'
import { freshenLogin } from './logins.ts'
import { PASSKEY_FIELD, passkeyForm } from './passkey-form.ts'
import { askOptions, verifyPasskey } from './passkeys.ts'

interface Held {
  readonly person: SignedIn
  /** Where the form leads that is held up. */
  readonly path: string
  readonly typed: Typed
  readonly now: Instant
}

/** Before something grave: the form as it was sent, to be sent again with a fresh passkey. Nothing was changed yet. */
export function confirmAnswer(service: Service, { person, path, typed, now }: Held): Answer {
  const { consoleName, secrets } = service.settings
  const fields = Object.entries(typed).filter(([name]) => name !== TOKEN_FIELD && name !== PASSKEY_FIELD)
  const content = html`<div><h1>Is it you?</h1><p class="soft">This is one of the things that are asked twice. Nothing was changed yet.</p></div>
${
  person.isManaged
    ? html`<p>Sign in again, and then send the form once more.</p><a class="button" href="/console/sign-in/oidc?again=yes">Continue with single sign-on</a>`
    : passkeyForm({
        kind: 'get',
        action: path,
        options: askOptions(service, person.session, 'confirm', now),
        button: 'Use a passkey',
        fields: html`<input type="hidden" name="${TOKEN_FIELD}" value="${tokenFor(secrets!, person.session, path, now)}">${fields.map(
          ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
        )}`,
      })
}
<p><a href="/console">Leave it</a></p>`
  return pageAnswer(403, alone('Is it you?', html`<div class="sheet stack">${content}</div>`, consoleName))
}

/** Notes that somebody has shown with a passkey of theirs who they are; refuses whoever has not. */
export async function confirmPerson(
  service: Service,
  { db, change, typed }: { db: Reader; change: Transact; typed: Typed },
  { id, session }: SignedIn,
  now: Instant,
): Promise<undefined> {
  const answered = { session, text: typed[PASSKEY_FIELD] ?? '', now }
  const { personId, take } = await verifyPasskey(service, db, answered, 'confirm')
  if (personId !== id) throw forbidden('This is the passkey of somebody else.')
  await change(async (tx) => {
    await take(tx)
    freshenLogin(tx, session, now)
    tx.about(null, id)
  })
}
