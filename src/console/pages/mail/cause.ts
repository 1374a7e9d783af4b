import { type Content, html } from '../../../http/html.ts'
import type { ShownMail as Mail } from '../../../payer/mail/store.ts'
import { mark } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { eyes, eyesOf } from '../../who.ts'
import type { Thread } from '../threads.ts'

/** A request by what it did: the action that was taken on a thing, or else its method and path. */
const did = (method: string, path: string) =>
  /[A-Z0-9-]{6,}\/([a-z]+(?:-[a-z]+)*)$/.exec(path.split('?', 1)[0]!)?.[1] ?? `${method} ${path}`

/** Which request of whom led to a mail, or what fell due. The timeline tells it for as long as it remembers. */
export async function causeOf({ id, cause }: Mail, visit: Visit): Promise<Content> {
  const { threads } = await visit.look<{ threads: Thread[] }>('listSandboxTimeline', {
    query: { subject: id, page_size: 1 },
  })
  const root = threads[0]?.happenings[0]
  const isRequest = cause !== undefined && /^[\da-f]+$/i.test(cause)
  if (root?.kind === 'request') {
    const { method, path, client_id } = root.details as Record<string, string | undefined>
    const who = eyesOf(client_id)
    return html`<span>caused by <a href="/console/requests/${root.ref}">${did(method ?? '', path ?? '')}</a>${who && html` of ${mark(who)} ${eyes[who].label}`}</span>`
  }
  if (root && root.kind !== 'mail')
    return html`<span>caused by <a href="/console?subject=${encodeURIComponent(id)}">${root.summary}</a>${
      isRequest && html`, which goes back to <a href="/console/requests/${cause}">a request</a>`
    }</span>`
  return isRequest && html`<span>caused by <a href="/console/requests/${cause}">a request</a></span>`
}
