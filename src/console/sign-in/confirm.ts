import type { Reader, Transact } from '../../database/transaction.ts'
import type { UploadedFile } from '../../http/body/multipart.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Answer } from '../../http/route.ts'
import type { Instant } from '../../kernel/clock.ts'
import { forbidden } from '../../kernel/problem.ts'
import type { Service } from '../../room.ts'
import type { Typed } from '../forms/fields.ts'
import { alone, type Theme } from '../frame.ts'
import { pageAnswer } from '../respond.ts'
import { roleNames } from '../roles.ts'
import type { SignedIn } from '../who.ts'
import { PLACE_FIELD, placeOf, TOKEN_FIELD, tokenFields, tokenFor } from './form-tokens.ts'
import { freshenLogin } from './logins.ts'
import { PASSKEY_FIELD, passkeyForm } from './passkey-form.ts'
import { askOptions, verifyPasskey } from './passkeys.ts'

/** A form that was sent and has changed nothing yet. */
export interface Held {
  /** The path that it was sent to. */
  readonly path: string
  readonly typed: Typed
  readonly files: readonly UploadedFile[]
  /** How its page looked. */
  readonly theme: Theme
  /** What it asks for, in words, and below that the page that it stands on. */
  readonly what: string
  readonly back: string
}

const ours = new Set([TOKEN_FIELD, PLACE_FIELD, PASSKEY_FIELD])

/** All that was typed, to be sent again. No page can give files back to a browser, so those must be chosen once more. */
const heldFields = ({ typed, files }: Held): Content => [
  ...Object.entries(typed)
    .filter(([name]) => !ours.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`),
  ...[...new Set(files.map(({ partName }) => partName))].map(
    (name) =>
      html`<div><label for="held-${name}">Files, once more</label><input class="upload" type="file" id="held-${name}" name="${name}" multiple required><p class="hint">${files.map(({ fileName }) => fileName).join(', ')}</p></div>`,
  ),
]

/** It is sent in parts, as the form came: there may be more fields, and longer ones, than the other encoding takes. */
const heldForm = (held: Held, fields: Content, button: Html): Html =>
  html`<form class="stack" method="post" action="${held.path}" enctype="multipart/form-data">${fields}${heldFields(held)}${button}</form>`

const heldPage = (
  { settings }: Service,
  { theme, what }: Held,
  [title, soft]: readonly [string, string],
  content: Content,
): Answer =>
  pageAnswer(
    403,
    alone(
      title,
      html`<div class="sheet stack"><div><h1>${title}</h1><p class="soft">${soft} Nothing was changed yet.</p></div><p>You asked for this: <b>${what}</b>.</p>${content}</div>`,
      { name: settings.consoleName, theme },
    ),
  )

/**
 * Lets somebody sign in elsewhere while this page keeps their form. What is sent from here afterwards is asked about once more.
 */
const beside = (held: Held, href: string, label: string): Html =>
  html`<p>Sign in in another tab, come back here and go on.</p><a class="button" href="${href}" target="_blank">${label}</a>${heldForm(held, '', html`<button class="button quiet">Go on</button>`)}`

/** Somebody was signed out while they typed. This page keeps what they sent until they are back. */
export const signedOutAnswer = (service: Service, held: Held): Answer =>
  heldPage(
    service,
    held,
    ['You are signed out', 'What you typed is kept on this page.'],
    beside(held, '/console/sign-in', 'Sign in'),
  )

interface Holder {
  readonly person: SignedIn
  readonly now: Instant
}

const tokensOf = ({ settings }: Service, { path }: Held, { person, now }: Holder): Html =>
  tokenFields(tokenFor(settings.secrets!, person.session, path, now), placeOf(person))

/** A form of another login, of another place or of long ago is sent only after its sender has seen as whom they send it now. */
export function sendAnswer(service: Service, held: Held, holder: Holder): Answer {
  const { name, role, account } = holder.person
  return heldPage(
    service,
    held,
    ['Send it?', 'The page of this form was open for long, or you signed in anew or went to another account since.'],
    html`<p>It is sent as <b>${name}</b>, ${roleNames[role]}${account && html` of <b>${account.name}</b>`}.</p>
${heldForm(held, tokensOf(service, held, holder), html`<button class="button">Send it</button>`)}<p><a class="link" href="${held.back}">Leave it</a></p>`,
  )
}

/** What is asked before something grave: the page holds the form as it was sent, to be sent again with a fresh passkey. */
export function confirmAnswer(service: Service, held: Held, holder: Holder): Answer {
  const { person, now } = holder
  return heldPage(
    service,
    held,
    ['Is it you?', 'This is one of the things that are asked twice.'],
    html`${
      person.isManaged
        ? beside(held, '/console/sign-in/oidc?again=yes', 'Continue with single sign-on')
        : passkeyForm({
            kind: 'get',
            action: held.path,
            options: askOptions(service, person.session, 'confirm', now),
            button: 'Use a passkey',
            fields: html`${tokensOf(service, held, holder)}${heldFields(held)}`,
            inParts: true,
          })
    }
<p><a class="link" href="${held.back}">Leave it</a></p>`,
  )
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
