import { type Content, html } from '../../http/html.ts'
import { newRequestId } from '../forms/fields.ts'

/** A page of those who run the service exists in live alone. */
export const ofOperators = { may: 'operate', liveOnly: true } as const

/** Which of many, for those who hear a button and do not see what it stands beside. */
export const heard = (name: string) => html`<span class="seen-not"> ${name}</span>`

/** One button that is a form. */
export const act = (action: string, label: Content, kind = 'quiet', fields: Readonly<Record<string, string>> = {}) =>
  html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<input type="hidden" name="request-id" value="${newRequestId()}"><button class="button small ${kind}">${label}</button></form>`
