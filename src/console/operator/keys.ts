import { type Html, html } from '../../http/html.ts'
import { notFound, refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { listKeys, SigningKeys, withdrawKey } from '../../webhooks/signing/keys.ts'
import { makeSeal } from '../../webhooks/signing/seal.ts'
import { askTwice } from '../forms/ask-twice.ts'
import { onceOnly } from '../once.ts'
import { heading, mono, nothing } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'
import { act, heard, ofOperators } from './parts.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }) })
const at = '/console/operator/keys'
type Key = Awaited<ReturnType<typeof listKeys>>[number]

/** Keys, and what each of them is good for now. */
export function keyRows(list: readonly Key[], { times }: Visit, withActions: boolean): Html {
  if (list.length === 0) return nothing('No key yet', 'The first delivery makes one.')
  return html`<table class="rows"><tbody>${list.map(
    (one) =>
      html`<tr><td class="second fill">${mono(one.id)}<small>since ${times.at(one.create_time)}${one.withdraw_time && html`, withdrawn ${times.at(one.withdraw_time)}`}</small></td><td class="whole">${
        one.current
          ? html`<span class="good nowrap">signs now</span>`
          : one.withdraw_time
            ? html`<b class="warn">withdrawn</b>`
            : html`<span class="soft nowrap">still served</span>`
      }</td>${withActions && html`<td class="num right">${!one.current && !one.withdraw_time && html`<a class="button small danger" href="${at}/${one.id}/withdraw">Withdraw${heard(one.id)}</a>`}</td>`}</tr>`,
  )}</tbody></table>`
}

async function earlier(visit: Pick<Visit<typeof Id>, 'db' | 'params'>): Promise<Key> {
  const key = (await listKeys(visit.db)).find(({ id }) => id === visit.params.id)
  if (!key) throw notFound('The certificate')
  if (key.current) throw refused('KEY_SIGNS_NOW', 'Deliveries are signed with this key now: replace it first.')
  return key
}

export function keyPages({ page, form }: Pages, service: Service) {
  return [
    page({
      url: at,
      operation: 'consoleKeys',
      summary: 'List the keys that deliveries are or were signed with',
      ...ofOperators,
      async draw(visit) {
        const list = await listKeys(visit.db)
        return {
          title: 'Signing keys',
          content: html`${heading('Signing keys', {
            sub: 'Deliveries are signed with one; the certificates of earlier ones stay served until they are withdrawn.',
            ...(list.length > 0 && { actions: act(`${at}/rotate`, 'Replace the key', '') }),
          })}<section class="sheet flush">${keyRows(list, visit, true)}</section>`,
        }
      },
    }),
    form({
      url: `${at}/rotate`,
      operation: 'consoleRotateKey',
      summary: 'Sign deliveries with a new key',
      ...ofOperators,
      isGrave: true,
      twice: 'The key was replaced, once.',
      async take(sent) {
        if (!(await listKeys(sent.db)).some(({ current }) => current))
          throw refused('NO_KEY_YET', 'There is no key yet; the first delivery makes one.')
        const keys = new SigningKeys(sent.db, makeSeal(service.settings.secrets!), service)
        const id = await sent.change(async (tx) => {
          await onceOnly(tx, sent.who.caller.accountId, sent.typed)
          return keys.rotate(tx)
        })
        return sent.lead(at, `Deliveries are signed with ${id} from now on.`)
      },
    }),
    page({
      url: `${at}/:id/withdraw`,
      operation: 'consoleAskWithdrawKey',
      summary: 'Ask before a key is withdrawn',
      ...ofOperators,
      params: Id,
      async draw(visit) {
        const { id } = await earlier(visit)
        return askTwice({
          title: `Withdraw ${id}?`,
          back: ['Signing keys', at],
          text: 'Its certificate is served no more, and nothing it signed verifies from then on. This cannot be undone.',
          action: `${at}/${id}/withdraw`,
          button: 'Withdraw the key',
        })
      },
    }),
    form({
      url: `${at}/:id/withdraw`,
      operation: 'consoleWithdrawKey',
      summary: 'Withdraw a key',
      ...ofOperators,
      isGrave: true,
      twiceAt: at,
      params: Id,
      async take(sent) {
        const { id } = await earlier(sent)
        await sent.change(async (tx) => {
          await onceOnly(tx, sent.who.caller.accountId, sent.typed)
          withdrawKey(tx, id)
        })
        return sent.lead(at, `${id} was withdrawn.`)
      },
    }),
  ]
}
