import type { Tx } from '../../database/transaction.ts'
import { type Html, html } from '../../http/html.ts'
import {
  countParked,
  dropParked,
  findParked,
  listParked,
  PARKED_COUNTED_MAX,
  type ParkedJob,
  retryParked,
} from '../../jobs/parked.ts'
import { notFound } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { askTwice } from '../forms/ask-twice.ts'
import { onceOnly } from '../once.ts'
import { json } from '../parts/code.ts'
import { folded, heading, nothing, notice, pager, tabs } from '../parts/parts.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { act, heard, ofOperators } from './parts.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 20, pattern: '^[0-9]+$' }) })
const Query = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[a-z0-9-]+$' })),
  after: Type.Optional(
    Type.String({ maxLength: 64, pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z~\\d{1,18}$' }),
  ),
})
const PAGE_SIZE = 25
const at = '/console/operator/jobs'

const addressOf = (name: string | undefined, after?: string) => {
  const query = new URLSearchParams({ ...(name !== undefined && { name }), ...(after !== undefined && { after }) })
  return query.size > 0 ? `${at}?${query}` : at
}

/** Parked jobs with what went wrong; each can be tried again. */
export const jobRows = (list: readonly ParkedJob[], { times }: Visit, whole = false): Html =>
  html`<table class="rows"><tbody>${list.map(
    (one) =>
      html`<tr><td class="second fill"><b>${one.name}</b><small>${one.error ?? 'It gave no reason.'}</small><small>${one.attempts} ${one.attempts === 1 ? 'attempt' : 'attempts'}, parked ${times.at(one.parked_time)}${one.account_id !== '-' && html`, <a href="/console/operator/accounts/${one.account_id}">${one.account_id}</a>`}</small>${whole && folded('What it was to do', json(one.payload, { label: `Payload of job ${one.id}`, numbers: false }))}</td><td class="num right"><div class="buttons">${act(`${at}/${one.id}/retry`, html`Retry${heard(`${one.name} ${one.id}`)}`)}${whole && html`<a class="button small danger" href="${at}/${one.id}/drop">Drop${heard(`${one.name} ${one.id}`)}</a>`}</div></td></tr>`,
  )}</tbody></table>`

const find = async (visit: Pick<Visit<typeof Id>, 'db' | 'params'>): Promise<ParkedJob> => {
  const found = await findParked(visit.db, visit.params.id)
  if (!found) throw notFound('The parked job')
  return found
}

/** What is parked. With `isGone`, it first says that the job somebody decided on is no longer parked. */
async function drawList(visit: Visit, { name, after: place }: Static<typeof Query> = {}, isGone = false) {
  const [parked_time, id] = place?.split('~') ?? []
  const after = parked_time !== undefined && id !== undefined ? { after: { parked_time, id } } : {}
  const [read, names] = await Promise.all([
    listParked(visit.db, { name, limit: PAGE_SIZE + 1, ...after }),
    countParked(visit.db),
  ])
  const list = read.slice(0, PAGE_SIZE)
  const last = read.length > PAGE_SIZE ? list.at(-1) : undefined
  const matching = names.filter((one) => name === undefined || one.name === name)
  const total = matching.reduce((sum, { count }) => sum + count, 0)
  const all = matching.some(({ count }) => count === PARKED_COUNTED_MAX) ? '' : ` ${total}`
  return {
    title: 'Parked jobs',
    ...(isGone && { status: 404 }),
    content: html`${isGone && notice('bad', html`<p>Nothing was done: the job is not parked any more.</p>`)}${heading(
      'Parked jobs',
      {
        sub: 'What failed for good and waits for somebody to look at it.',
        ...(total > 1 && {
          actions: act(`${at}/retry`, `Retry all${all} that match`, '', name === undefined ? {} : { name }),
        }),
      },
    )}<section class="sheet flush">${
      names.length > 1 &&
      tabs('Name', [
        { label: 'All', href: at, here: name === undefined },
        ...names.map((one) => ({
          label: one.name,
          href: addressOf(one.name),
          here: one.name === name,
          count: one.count,
        })),
      ])
    }${
      list.length === 0
        ? nothing('No job is parked', 'Jobs that failed for good stand here, with the error and what they were to do.')
        : html`${jobRows(list, visit as Visit, true)}${pager('Oldest first', {
            newer: place ? addressOf(name) : undefined,
            older: last && addressOf(name, `${last.parked_time}~${last.id}`),
          })}`
    }</section>`,
  }
}

/** Does with a parked job what somebody decided. The job may be gone by then, because of a second click or of somebody else. */
async function settle(sent: Sent<typeof Id>, does: (tx: Tx, job: { id: string }) => void, done: string) {
  const name = await sent.change(async (tx) => {
    await onceOnly(tx, sent.who.caller.accountId, sent.typed)
    const found = await findParked(tx, sent.params.id)
    if (found) does(tx, { id: found.id })
    return found?.name
  })
  return name === undefined ? sent.again(await drawList(sent as Visit, {}, true)) : sent.lead(at, `${name} ${done}.`)
}

export const jobPages = ({ page, form }: Pages) => [
  page({
    url: at,
    operation: 'consoleJobs',
    summary: 'List parked jobs',
    ...ofOperators,
    query: Query,
    draw: (visit) => drawList(visit as Visit, visit.query),
  }),
  form({
    url: `${at}/retry`,
    operation: 'consoleRetryJobs',
    summary: 'Try all parked jobs again that match',
    ...ofOperators,
    async take(sent) {
      const name = sent.typed['name']
      await sent.change(async (tx) => {
        await onceOnly(tx, sent.who.caller.accountId, sent.typed)
        retryParked(tx, { name })
      })
      return sent.lead(at, name === undefined ? 'All of them are tried again.' : `All of ${name} are tried again.`)
    },
  }),
  form({
    url: `${at}/:id/retry`,
    operation: 'consoleRetryJob',
    summary: 'Try a parked job again',
    ...ofOperators,
    twiceAt: at,
    params: Id,
    take: (sent) => settle(sent, retryParked, 'is tried again'),
  }),
  page({
    url: `${at}/:id/drop`,
    operation: 'consoleAskDropJob',
    summary: 'Ask before a job is given up',
    ...ofOperators,
    params: Id,
    async draw(visit) {
      const { id, name, error } = await find(visit)
      return askTwice({
        title: `Drop ${name}?`,
        back: ['Parked jobs', at],
        text: `What it was to do is not done, and nobody is reminded of it. It failed with: ${error ?? 'no reason given'}`,
        action: `${at}/${id}/drop`,
        button: 'Drop the job',
      })
    },
  }),
  form({
    url: `${at}/:id/drop`,
    operation: 'consoleDropJob',
    summary: 'Give a parked job up',
    ...ofOperators,
    twiceAt: at,
    params: Id,
    take: (sent) => settle(sent, (tx, { id }) => dropParked(tx, id), 'was dropped'),
  }),
]
