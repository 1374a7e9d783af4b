import { type Content, html } from '../../http/html.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { askTwice } from '../forms/ask-twice.ts'
import { newRequestId, refusalBox } from '../forms/fields.ts'
import type { Drawn } from '../frame.ts'
import { askOnce } from '../once.ts'
import { mendable, type Refusal, requireDone } from '../operate.ts'
import { icon } from '../parts/icons.ts'
import { sheet } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'

interface Fork {
  readonly name: string
  readonly url: string
}

const forksOf = async (visit: Pick<Visit, 'look'>): Promise<Fork[]> =>
  (await visit.look<{ forks: Fork[] }>('listForks')).forks

/** The second sandboxes that began as this one, and how to make another. */
export async function forksSheet(visit: Pick<Visit, 'look'>, refusal?: Refusal): Promise<Content> {
  const forks = await forksOf(visit)
  return sheet(
    'Forks',
    html`${
      forks.length > 0 &&
      html`<table class="rows"><tbody>${forks.map(
        ({ name, url }) =>
          html`<tr><td class="fill"><a class="mono" href="${url}">${url} ${icon('out')}</a><small>${name}</small></td><td class="num right"><a class="button danger small" href="/console/forks/${name}/end">End it<span class="seen-not">: ${name}</span></a></td></tr>`,
      )}</tbody></table>`
    }<form class="stack" method="post" action="/console/forks" id="fork"><input type="hidden" name="request-id" value="${newRequestId()}">${refusal && refusalBox(refusal)}<p class="soft">A copy of this sandbox at an address of its own: what happens in one is never seen in the other. It ends with this one.</p><div class="buttons"><button class="button">Make a fork</button></div></form>`,
  )
}

const Name = Type.Object({ name: Type.String({ maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }) })
const AT = '/console/scenarios'

export const forkPages = ({ page, form }: Pages, redraw: (visit: Visit, refusal: Refusal) => Promise<Drawn>) => [
  form({
    url: '/console/forks',
    operation: 'consoleFork',
    summary: 'Copy the sandbox and run the copy',
    async take(sent) {
      const outcome = await askOnce(sent, () => sent.operateOpenly('createFork', { body: {} }))
      if (!outcome) return sent.lead(AT, 'A fork is made already; look again in a moment.')
      const refusal = mendable(outcome)
      if (refusal) return sent.again(await redraw(sent as Visit, refusal))
      return sent.lead(AT, `The fork answers at ${(outcome.body as Fork).url}.`)
    },
  }),
  page({
    url: '/console/forks/:name/end',
    operation: 'consoleAskEndFork',
    summary: 'Ask before a fork is ended',
    params: Name,
    async draw(visit) {
      const fork = (await forksOf(visit)).find(({ name }) => name === visit.params.name)
      if (!fork) throw notFound('The fork')
      return askTwice({
        title: `End the fork ${fork.name}?`,
        back: ['Scenarios', AT],
        text: `${fork.url} answers no more, and all that happened there is forgotten. This cannot be undone.`,
        action: `/console/forks/${fork.name}/end`,
        button: 'End the fork',
      })
    },
  }),
  form({
    url: '/console/forks/:name/end',
    operation: 'consoleEndFork',
    summary: 'End a fork and forget it',
    params: Name,
    async take(sent) {
      const outcome = await sent.operateOpenly('deleteFork', { params: sent.params })
      // On a second click, the fork has ended already.
      if (outcome.status !== 404) requireDone(outcome)
      return sent.lead(AT, 'The fork has ended.')
    },
  }),
]
