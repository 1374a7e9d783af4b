import { html } from '../../http/html.ts'
import { heading } from '../parts/parts.ts'
import { newRequestId } from './fields.ts'

interface Question {
  readonly title: string
  readonly back: readonly [label: string, href: string]
  readonly text: string
  readonly action: string
  readonly button: string
  /** What the question is about, so that it is noticed when something else has taken its place. */
  readonly seen?: string
}

/** A page that asks before something is done that cannot be undone. */
export const askTwice = ({ title, back, text, action, button, seen }: Question) => ({
  title,
  content: html`${heading(title, { back })}<section class="sheet"><form class="stack" method="post" action="${action}"><input type="hidden" name="request-id" value="${newRequestId()}">${seen !== undefined && html`<input type="hidden" name="seen" value="${seen}">`}<p>${text}</p><div class="buttons"><button class="button danger">${button}</button><a class="button quiet" href="${back[1]}">Leave it</a></div></form></section>`,
})
