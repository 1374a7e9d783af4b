import { html } from '../http/html.ts'
import type { Answer, AnyRoute } from '../http/route.ts'
import type { Service } from '../room.ts'
import type { PageUrls } from './addresses.ts'
import { alone } from './frame.ts'
import { mono } from './parts/parts.ts'
import { pageAnswer, seeOther } from './respond.ts'
import { themeIn } from './theme.ts'

/** What is said of a refusal that has no form to stand beside. */
const refusals: Readonly<Record<number, readonly [title: string, text: string]>> = {
  403: ['Not for you', 'You may not see or do this.'],
  404: ['Nothing here', 'There is nothing at this address that you may see.'],
  413: ['Too large', 'What was sent is larger than is taken.'],
  429: ['Too many requests', 'Wait a moment and load the page again.'],
  500: ['Something went wrong', 'It is our mistake, and it was logged.'],
  503: ['Not at the moment', 'The service is busy or starting; load the page again in a moment.'],
}

type Refusal = NonNullable<AnyRoute['refusal']>

/** Draws refusals as pages. */
export const makeRefusal =
  ({ settings }: Service, urls: PageUrls): Refusal =>
  ({ status, details, message }, headers, debugId, url): Answer => {
    const page = status === 405 ? urls.above(url.split('?', 1)[0]!) : undefined
    if (page !== undefined) return seeOther(page)
    const [title, text] = refusals[status] ?? ['This cannot be done', message]
    return pageAnswer(
      status,
      alone(
        title,
        html`<div class="sheet"><h1>${title}</h1><p>${text}</p>${details.map(({ description }) => html`<p class="hint">${description}</p>`)}<p class="hint">Debug id ${mono(debugId)}</p><p class="below"><a href="/console">Back to the console</a></p></div>`,
        { name: settings.consoleName, theme: themeIn(headers) },
      ),
    )
  }
