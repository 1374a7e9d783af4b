import { html } from '../../http/html.ts'
import { newRequestId } from '../forms/fields.ts'
import { heading } from '../parts/parts.ts'

/** A page of those who run the service exists in live alone. */
export const ofOperators = { may: 'operate', liveOnly: true } as const

/** One button that is a form. */
export const act = (action: string, label: string, kind = 'quiet', fields: Readonly<Record<string, string>> = {}) =>
  html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<input type="hidden" name="request-id" value="${newRequestId()}"><button class="button small ${kind}">${label}</button></form>`

interface Question {
  readonly title: string
  readonly back: readonly [label: string, href: string]
  readonly text: string
  readonly action: string
  readonly button: string
}

/** What cannot be undone is asked for on a page of its own. */
export const askTwice = ({ title, back, text, action, button }: Question) => ({
  title,
  content: html`${heading(title, { back })}<section class="sheet"><form class="stack" method="post" action="${action}"><p>${text}</p><div class="buttons"><button class="button danger">${button}</button><a class="button quiet" href="${back[1]}">Leave it</a></div></form></section>`,
})
