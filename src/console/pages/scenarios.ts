import { type Content, html } from '../../http/html.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { askTwice } from '../forms/ask-twice.ts'
import { bodyFrom, form as drawForm, newRequestId, type Typed } from '../forms/fields.ts'
import { askOnce } from '../once.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../operate.ts'
import { heading, sheet } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'
import { forksSheet } from './forks.ts'

interface Scenario {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly steps: readonly { readonly step: string; readonly says: string }[]
}
interface Run {
  readonly id: string
  readonly scenario: string
  readonly status: 'RUNNING' | 'DONE' | 'FAILED'
  readonly error?: string
  readonly steps: readonly {
    readonly step: string
    readonly says: string
    readonly now: string
    readonly failures: readonly string[]
  }[]
}
interface Snapshot {
  readonly name: string
  readonly create_time: string
  readonly now: string
}

const Name = Type.Object({ name: Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$' }) })
const AT = '/console/scenarios'
const RunId = Type.Object({ id: Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9-]+$' }) })

/** Says which of many things a button is about, for those who hear it and do not see what it stands beside. */
const named = (name: string) => html`<span class="seen-not">: ${name}</span>`

const card = ({ name, title, about, steps }: Scenario) =>
  html`<li class="card"><h2>${title}</h2><p>${about}</p><form method="post" action="/console/scenarios/${name}"><input type="hidden" name="request-id" value="${newRequestId()}"><span class="soft">${steps.length} steps</span><button class="link" name="pause" value="1">Run slowly${named(title)}</button><button class="button quiet small" name="pause" value="0">Run${named(title)}</button></form></li>`

const keptStates = async (visit: Pick<Visit, 'look'>): Promise<Snapshot[]> =>
  (await visit.look<{ snapshots: Snapshot[] }>('listSnapshots')).snapshots

async function keptState(visit: Visit<typeof Name>): Promise<Snapshot> {
  const found = (await keptStates(visit)).find(({ name }) => name === visit.params.name)
  if (!found) throw notFound('The kept state')
  return found
}

async function snapshots(
  visit: Visit,
  operations: Operations,
  left?: { typed: Typed; refusal: Refusal },
): Promise<Content> {
  const kept = await keptStates(visit)
  return sheet(
    'Kept states',
    html`${
      kept.length > 0 &&
      html`<table class="rows"><tbody>${kept.map(
        ({ name, create_time, now }) =>
          html`<tr><td class="fill"><b>${name}</b><small>kept ${visit.times.at(create_time)}, its clock says ${visit.times.at(now)}</small></td><td class="num right"><div class="buttons"><a class="button quiet small" href="/console/snapshots/${name}/load">Go back to it${named(name)}</a><a class="button danger small" href="/console/snapshots/${name}/delete">Delete${named(name)}</a></div></td></tr>`,
      )}</tbody></table>`
    }
${drawForm({ name: 'keep', action: '/console/snapshots', route: operations.route('saveSnapshot'), fields: [{ kind: 'text', at: '/name', label: 'Keep the present state as', hint: 'Letters, digits, dots and dashes.' }], button: 'Keep it', ...left })}`,
  )
}

const startOver = sheet(
  'Start over',
  html`<p class="soft">Everything is forgotten but access tokens and keys, and the people are there again.</p><p class="below"><a class="button danger" href="/console/reset">Start over…</a></p>`,
)

interface Left {
  readonly kept?: { typed: Typed; refusal: Refusal }
  readonly fork?: Refusal
}

async function draw(visit: Visit, operations: Operations, { kept, fork }: Left = {}) {
  const { scenarios } = await visit.look<{ scenarios: Scenario[] }>('listScenarios')
  return {
    title: 'Scenarios',
    ...((kept || fork) && { status: 422 }),
    content: html`${heading('Scenarios', { sub: 'Stories that play by themselves, over the API as anybody would. Watch one in the timeline, or step by step.' })}
<ul class="cards">${scenarios.map(card)}</ul>
<h2 class="section">Whole states</h2><div class="two even">${await snapshots(visit, operations, kept)}<div class="column">${await forksSheet(visit, fork)}${startOver}</div></div>`,
  }
}

function drawRun(run: Run, scenario: Scenario | undefined, { times }: Visit) {
  const left = scenario?.steps.slice(run.steps.length) ?? []
  const words = {
    RUNNING: 'It plays.',
    DONE: 'It is over, and came out as it should.',
    FAILED: 'It did not come out as it should.',
  }
  return {
    title: scenario?.title ?? run.scenario,
    content: html`${heading(scenario?.title ?? run.scenario, { back: ['Scenarios', '/console/scenarios'], sub: words[run.status], actions: html`<a class="button quiet" href="/console">In the timeline</a>` })}
${run.error && html`<div class="notice bad"><p>${run.error}</p></div>`}
<section class="sheet"><ol class="story slim"${run.status === 'RUNNING' && html` data-run="${run.steps.length}"`}>${run.steps.map(
      ({ says, now, failures }) =>
        html`<li><span class="bead"></span><div class="by"><span>${says}</span>${times.at(now)}</div>${failures.map((text) => html`<p class="problem">${text}</p>`)}</li>`,
    )}${left.map(({ says }) => html`<li><span class="bead to-come"></span><div class="by to-come"><span>${says}</span></div></li>`)}</ol></section>
${run.status === 'RUNNING' && html`<p class="below"><a class="button quiet" href="/console/scenario-runs/${run.id}">Look again</a></p>`}`,
  }
}

/** The page, with the reason why there is no further fork. */
export const drawUnforked = (operations: Operations) => (visit: Visit, fork: Refusal) =>
  draw(visit, operations, { fork })

export const scenarioPages = ({ page, form }: Pages, operations: Operations) => [
  page({
    url: '/console/scenarios',
    operation: 'consoleScenarios',
    summary: 'Show scenarios and kept states',
    draw: (visit) => draw(visit, operations),
  }),
  form({
    url: '/console/scenarios/:name',
    operation: 'consoleRunScenario',
    summary: 'Play a scenario',
    params: Name,
    async take(sent) {
      const outcome = await askOnce(sent, () =>
        sent.operateOpenly('runScenario', {
          params: sent.params,
          body: { pause_seconds: sent.typed['pause'] === '1' ? 1 : 0 },
        }),
      )
      if (!outcome) return sent.lead('/console', 'The story is played once; it is in the timeline.')
      requireDone(outcome)
      return sent.lead(`/console/scenario-runs/${(outcome.body as Run).id}`)
    },
  }),
  page({
    url: '/console/scenario-runs/:id',
    operation: 'consoleScenarioRun',
    summary: 'Show how far a scenario got',
    params: RunId,
    query: Type.Object({ after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })) }),
    async draw(visit) {
      const { after } = visit.query
      const run = await visit.look<Run>('showScenarioRun', {
        params: visit.params,
        query: after === undefined ? {} : { after },
      })
      const { scenarios } = await visit.look<{ scenarios: Scenario[] }>('listScenarios')
      return drawRun(
        run,
        scenarios.find(({ name }) => name === run.scenario),
        visit,
      )
    },
  }),
  form({
    url: '/console/snapshots',
    operation: 'consoleKeep',
    summary: 'Keep the present state',
    async take(sent) {
      const { typed } = sent
      // Nothing is replaced: nobody could go back any more to a state of the same name whose place this one took.
      const body = { ...bodyFrom(typed), replace: false }
      const outcome = await askOnce(sent, () => sent.operateOpenly('saveSnapshot', { body }))
      const refusal = outcome && mendable(outcome)
      if (refusal) return sent.again(await draw(sent, operations, { kept: { typed, refusal } }))
      return sent.lead(AT, 'The present state was kept.')
    },
  }),
  page({
    url: '/console/snapshots/:name/load',
    operation: 'consoleAskLoadSnapshot',
    summary: 'Ask before the present state is left for a kept one',
    params: Name,
    async draw(visit) {
      const { name } = await keptState(visit)
      return askTwice({
        title: `Go back to ${name}?`,
        back: ['Scenarios', AT],
        text: 'What happened since then is forgotten. This cannot be undone, unless you leave it now and keep the present state first.',
        action: `/console/snapshots/${name}/load`,
        button: 'Go back to it',
      })
    },
  }),
  form({
    url: '/console/snapshots/:name/load',
    operation: 'consoleLoadSnapshot',
    summary: 'Go back to a kept state',
    params: Name,
    async take(sent) {
      const { name } = sent.params
      const outcome = await sent.operateOpenly('loadSnapshot', { params: sent.params, body: {} })
      if (outcome.status === 404) return sent.turnBack(AT, `Nothing was changed: ${name} is not kept any more.`)
      requireDone(outcome)
      return sent.lead(AT, `The sandbox is as it was kept: ${name}.`)
    },
  }),
  page({
    url: '/console/snapshots/:name/delete',
    operation: 'consoleAskDeleteSnapshot',
    summary: 'Ask before a kept state is deleted',
    params: Name,
    async draw(visit) {
      const { name } = await keptState(visit)
      return askTwice({
        title: `Delete ${name}?`,
        back: ['Scenarios', AT],
        text: 'Nobody can go back to this state any more. This cannot be undone; the sandbox stays as it is now.',
        action: `/console/snapshots/${name}/delete`,
        button: 'Delete the kept state',
      })
    },
  }),
  form({
    url: '/console/snapshots/:name/delete',
    operation: 'consoleDeleteSnapshot',
    summary: 'Delete a kept state',
    params: Name,
    async take(sent) {
      const outcome = await sent.operateOpenly('deleteSnapshot', { params: sent.params })
      // On a second click, the state has been deleted already.
      if (outcome.status !== 404) requireDone(outcome)
      return sent.lead(AT, 'The kept state was deleted.')
    },
  }),
  page({
    url: '/console/reset',
    operation: 'consoleAskReset',
    summary: 'Ask before everything is forgotten',
    draw: async () => ({
      title: 'Start over',
      content: html`${heading('Start over?', { back: ['Scenarios', '/console/scenarios'] })}<section class="sheet"><form class="stack" method="post" action="/console/reset"><p>Invoices, disputes, events, mail and the log are forgotten. This cannot be undone.</p><label class="tick"><input type="checkbox" name="keep" value="webhooks" checked><span>Keep the webhooks</span></label><div class="buttons"><button class="button danger">Forget everything</button><a class="button quiet" href="/console/scenarios">Leave it</a></div></form></section>`,
    }),
  }),
  form({
    url: '/console/reset',
    operation: 'consoleReset',
    summary: 'Start over',
    async take(sent) {
      requireDone(
        await sent.operateOpenly('resetSandbox', {
          body: sent.typed['keep'] === 'webhooks' ? { keep: ['webhooks'] } : {},
        }),
      )
      return sent.lead('/console', 'The sandbox is as new.')
    },
  }),
]
