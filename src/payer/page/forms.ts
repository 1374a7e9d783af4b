import { type Quota, useQuota } from '../../database/quota.ts'
import type { Tx } from '../../database/transaction.ts'
import type { Answer } from '../../http/route.ts'
import type { Service } from '../../room.ts'
import { FORM_SECONDS, issueFormToken, readFormToken, sessionCookie, sessionOf } from './form-token.ts'
import { localeFor } from './open-page.ts'
import { pageAnswer } from './respond.ts'
import { messagePage } from './small-pages.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

const usedOnce: Quota = { name: 'form', max: 1, seconds: FORM_SECONDS }

/** Pages that send something back: each carries a token that one browser can use once, for one purpose. */
export function formsOf(service: Service) {
  const secrets = service.settings.secrets!
  const sessionIn = (headers: Headers) => sessionOf(headers['cookie'] as string | undefined)

  return {
    /** A page with a form. */
    page(tx: Tx, headers: Headers, purpose: string, print: (token: string) => string, status = 200): Answer {
      const { session, isNew } = sessionIn(headers)
      const { text } = issueFormToken(secrets, { session, purpose }, tx.now)
      return pageAnswer(status, print(text), {
        ...(isNew && { cookie: sessionCookie(session, service.publicUrl) }),
        isSecure: service.publicUrl.startsWith('https:'),
      })
    },
    /** The nonce of a form's token. Undefined if the token does not fit. */
    nonce: (tx: Tx, headers: Headers, purpose: string, token: string): string | undefined =>
      readFormToken(secrets, { session: sessionIn(headers).session, purpose }, token, tx.now),
    /** Uses up the token of a form, in the commit of the work. False if the token does not fit or was used before. */
    async use(tx: Tx, headers: Headers, purpose: string, token: string, accountId: string): Promise<boolean> {
      const nonce = this.nonce(tx, headers, purpose, token)
      return nonce !== undefined && !(await useQuota(tx, accountId, [{ quota: usedOnce, key: nonce }]))
    },
    session: (headers: Headers): string => sessionIn(headers).session,
    /** The answer to a form that cannot be used. */
    refusal: (headers: Headers, chosen?: string, back?: string): Answer =>
      pageAnswer(
        403,
        messagePage(localeFor(headers, chosen), {
          title: 'refusedForm',
          text: 'refusedFormText',
          ...(back !== undefined && { back }),
        }),
      ),
    missing: (headers: Headers, chosen?: string): Answer =>
      pageAnswer(404, messagePage(localeFor(headers, chosen), { title: 'notFound', text: 'notFoundText' })),
  }
}
