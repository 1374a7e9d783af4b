import { type Content, type Html, html } from '../../http/html.ts'
import { icon } from '../parts/icons.ts'

/** The field in which a script puts what an authenticator said. */
export const PASSKEY_FIELD = 'passkey'

interface PasskeyForm {
  readonly kind: 'create' | 'get'
  readonly action: string
  /** What the browser is to ask an authenticator, as JSON. */
  readonly options: string
  readonly button: string
  readonly fields?: Content
  /** Whether files go with it, or more fields than the usual encoding takes. */
  readonly inParts?: boolean
}

/** A form that is sent with a passkey. Its button first asks the browser for one, which only a script can do. */
export const passkeyForm = ({ kind, action, options, button, fields, inParts }: PasskeyForm): Html =>
  html`<form class="stack" method="post" action="${action}" data-passkey="${kind}" data-options="${options}"${inParts && html` enctype="multipart/form-data"`}>
<input type="hidden" name="${PASSKEY_FIELD}" value="">${fields}
<p class="problem" role="alert" data-said hidden></p>
<button class="button">${icon('key')}${button}</button>
<noscript><p class="hint">A passkey needs scripts to run on this page.</p></noscript></form>`
