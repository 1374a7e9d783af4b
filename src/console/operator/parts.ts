import { type Content, html } from '../../http/html.ts'
import { newRequestId } from '../forms/fields.ts'

/** A page of those who run the service exists only in live. */
export const ofOperators = { may: 'operate', liveOnly: true } as const

/** Says which of many things a button is about, for those who hear it and do not see what it stands beside. */
export const heard = (name: string) => html`<span class="seen-not"> ${name}</span>`

/** One button, which is a form by itself. */
export const act = (action: string, label: Content, kind = 'quiet', fields: Readonly<Record<string, string>> = {}) =>
  html`<form method="post" action="${action}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<input type="hidden" name="request-id" value="${newRequestId()}"><button class="button small ${kind}">${label}</button></form>`
