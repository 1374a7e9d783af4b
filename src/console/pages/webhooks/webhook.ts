import { type Content, html } from '../../../http/html.ts'
import type { Instant } from '../../../kernel/clock.ts'
import { Type } from '../../../kernel/type.ts'
import { askTwice } from '../../forms/ask-twice.ts'
import { form as drawForm, type Field, isSaid, newRequestId, type Typed } from '../../forms/fields.ts'
import type { Operations, Refusal } from '../../operate.ts'
import { outdated, saveEdit, seenAs } from '../../outdated.ts'
import { facts, folded, heading, linkButton, pager, sheet, tabs, taken } from '../../parts/parts.ts'
import { throughOwner } from '../../through-app.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { enabling, remove, replaceAtOnce, rotate, sample, show, whileEnabled } from './deeds.ts'
import { After, deliveries, transmissionsOf } from './deliveries.ts'
import { findHealth, type Health, LOOKED_AT, standing, waitingWords } from './health.ts'
import { drawList, NEW_EVENTS, type Webhook } from './list.ts'
import { drawReplay, Id, replay, Span, spanForm, whileDisabled } from './replay.ts'

const act = (action: string, label: string, kind = 'quiet') =>
  html`<form method="post" action="${action}"><input type="hidden" name="request-id" value="${newRequestId()}"><button class="button ${kind}">${label}</button></form>`

interface Left {
  readonly typed: Typed
  readonly refusal: Refusal
}

/** The address, and each kind of event on a line of its own. */
const fieldsOf = ({ url, event_types }: Webhook): readonly Field[] => [
  { kind: 'text', at: '/url', label: 'Address', value: url },
  {
    kind: 'long',
    at: '/event_types',
    label: 'Events, one on a line',
    value: event_types.map(({ name }) => name).join('\n'),
    hint: '* for all.',
  },
]

/** For an edit of a webhook that is not there any more. The form that is drawn with this refusal adds one. */
const deleted: Refusal = {
  name: 'INVALID_RESOURCE_ID',
  message: 'The webhook was deleted since its page was drawn. Add the address again, if it shall listen.',
  debug_id: '–',
}

/** A digest of what an edit replaces. Whether the webhook is disabled, and what it signs with, are not part of that. */
const seenOf = ({ url, event_types }: Webhook): string => seenAs({ url, event_types })

/** Address and events as one form. */
const editing = (operations: Operations, one: Webhook, left?: Left) =>
  drawForm({
    name: 'edit',
    action: `/console/webhooks/${one.id}/edit`,
    route: operations.route('createWebhook'),
    fields: fieldsOf(one),
    button: 'Save',
    seen: seenOf(one),
    isOutdated: left?.refusal === outdated,
    ...left,
  })

/** Deliveries by how they stand, as the API tells it. */
const filters = {
  all: ['All', undefined],
  waiting: ['Waiting', 'PENDING'],
  failed: ['Given up', 'FAILURE'],
} as const
type Filter = keyof typeof filters

interface Drawing {
  readonly left?: Left
  /** Whether the signing secret is shown. */
  readonly isShowing?: boolean
  readonly only?: Filter | undefined
  /** The delivery behind which the list begins. */
  readonly after?: string | undefined
}

async function drawOne(
  visit: Visit<typeof Id>,
  operations: Operations,
  { left, isShowing = false, only = 'all', after }: Drawing = {},
) {
  const one = await show(visit)
  const { transmissions: list, next } = await transmissionsOf(visit, one.id, { status: filters[only][1], after })
  const health = (await findHealth(visit.db, visit.who.caller, [one.id], visit.now as Instant)).get(one.id)
  const at = `/console/webhooks/${one.id}`
  const isOn = one.status === 'ENABLED'
  const listAt = (name: string, begin?: string) => {
    const query = new URLSearchParams({ ...(name !== 'all' && { only: name }), ...(begin && { after: begin }) })
    return query.size > 0 ? `${at}?${query}` : at
  }
  return {
    title: 'A webhook',
    ...(left && { status: 422 }),
    content: html`${heading(html`<span class="mono">${one.url}</span>`, {
      back: ['Webhooks', '/console/webhooks'],
      sub: isOn ? health && standing(health) : 'Disabled: nothing is sent, and what happens is kept for a replay',
      actions: html`${isOn && act(`${at}/sample`, 'Send a sample')}${isOn ? act(`${at}/disable`, 'Disable') : act(`${at}/enable`, 'Enable')}${linkButton('Delete', `${at}/delete`, { kind: 'danger' })}`,
    })}
${facts([
  ['Id', taken(one.id, 'id')],
  [
    'Events',
    one.event_types.some(({ name }) => name === '*')
      ? 'Every event'
      : one.event_types
          .map(({ name }) => name)
          .slice(0, 5)
          .join(', '),
    one.event_types.length > 5 ? `and ${one.event_types.length - 5} more` : undefined,
  ],
  ...(health ? healthFacts(health, visit) : []),
  ...(one.previous_secret_expire_time && one.previous_secret_expire_time > visit.now
    ? [['The earlier secret', html`signs too until ${visit.times.at(one.previous_secret_expire_time)}`] as const]
    : []),
])}
<div class="two"><div class="column"><section class="sheet flush"><header class="sheet-head"><h2>Deliveries</h2></header>${tabs(
      'Which',
      Object.entries(filters).map(([name, [label]]) => ({
        label,
        href: listAt(name),
        here: name === only,
      })),
    )}${deliveries(list, visit, { toOne: true, isFiltered: only !== 'all' || after !== undefined })}${(after || next) && pager('Newest first', { newer: after && listAt(only), older: next && listAt(only, next) })}</section></div>
<aside>${visit.who.may('settle') && sheet('Send again', isOn ? spanForm(at, {}, visit) : whileDisabled)}${visit.who.may('manage') && html`${secretSheet(one, at, isShowing || visit.who.face === 'sandbox')}${sheet('Change', folded('Address and events', editing(operations, one, left), undefined, left !== undefined))}`}</aside></div>`,
  }
}

/** A day of one address: how much arrived, how quickly, and what waits. */
const healthFacts = ({ sent, arrived, half_ms, slowest_ms, waiting, next_time }: Health, { times }: Visit) => [
  [
    'Arrived, 24 hours',
    sent === 0 ? '–' : `${arrived} of ${sent}`,
    sent >= LOOKED_AT ? `of the newest ${LOOKED_AT}` : undefined,
  ] as const,
  ...(half_ms === null
    ? []
    : [['Answers in', `${half_ms} ms`, `half of them; the slowest in ${slowest_ms} ms`] as const]),
  ['Waiting', waitingWords(waiting), next_time ? html`next ${times.ahead(next_time)}` : undefined] as const,
]

/** In live, the secret is shown to an admin who has just proved who they are, and to nobody else. */
const secretSheet = ({ signing_secret }: Webhook, at: string, isShown: boolean): Content =>
  sheet(
    'Signing secret',
    html`${isShown && signing_secret !== undefined && html`<p>${taken(signing_secret, 'signing secret')}</p>`}<div class="buttons below">${!isShown && act(`${at}/secret`, 'Show it')}${act(`${at}/rotate`, 'Replace it')}</div><p class="hint">For a day both sign, so that nothing is missed.</p>${folded('Somebody else knows it?', html`<p>Replaced at once, no earlier secret signs any more. Your handler refuses what arrives until it has the new one, and it comes again later.</p><div class="buttons below">${act(`${at}/replace`, 'Replace it at once', 'danger')}</div>`)}`,
  )

/** The same visit, made as the app that the webhook belongs to; the account may have several apps. */
const at = <V extends Visit<typeof Id>>(visit: V) => throughOwner(visit, 'webhook', visit.params.id)

export const webhookPages = ({ page, form }: Pages, operations: Operations) => [
  page({
    url: '/console/webhooks/:id',
    operation: 'consoleWebhook',
    summary: 'Show a webhook',
    may: 'see',
    params: Id,
    query: Type.Object({
      only: Type.Optional(Type.Enum(Object.keys(filters) as Filter[])),
      after: Type.Optional(After),
    }),
    draw: async (visit) => drawOne(await at(visit), operations, visit.query),
  }),
  page({
    url: '/console/webhooks/:id/replay',
    operation: 'consoleCountReplay',
    summary: 'Say how many events a replay would send',
    may: 'settle',
    params: Id,
    query: Span,
    draw: async (visit) => drawReplay(await at(visit)),
  }),
  page({
    url: '/console/webhooks/:id/delete',
    operation: 'consoleAskDeleteWebhook',
    summary: 'Ask before a webhook is deleted',
    may: 'manage',
    params: Id,
    async draw(visit) {
      const { id, url } = await show(await at(visit))
      return askTwice({
        title: 'Delete the webhook?',
        back: ['The webhook', `/console/webhooks/${id}`],
        text: `Nothing is sent to ${url} any more, what waits for it is dropped, and its signing secret ends. This cannot be undone; a webhook that is disabled keeps all of it.`,
        action: `/console/webhooks/${id}/delete`,
        button: 'Delete the webhook',
      })
    },
  }),
  form({
    url: '/console/webhooks/:id/edit',
    operation: 'consoleEditWebhook',
    summary: 'Change the address or the events of a webhook',
    may: 'manage',
    params: Id,
    async take(here) {
      const sent = await at(here)
      const { typed } = sent
      const names = (typed['/event_types'] ?? '').split(/\s+/).filter(Boolean)
      const shown = { operation: 'showWebhook', params: { webhook_id: sent.params.id } }
      const edited = await saveEdit<Webhook>(typed, {
        show: () => show(sent),
        shown,
        seenOf,
        isSaid: (one) => isSaid(fieldsOf(one), { ...typed, '/event_types': names.join('\n') }),
        save: (_, provided) =>
          sent.operate('updateWebhook', {
            params: shown.params,
            body: [
              { op: 'replace', path: '/url', value: typed['/url'] ?? '' },
              { op: 'replace', path: '/event_types', value: names.map((name) => ({ name })) },
            ],
            provided,
          }),
      })
      if (edited.kind === 'gone') {
        const left = { typed: { ...typed, [NEW_EVENTS]: names.join(' ') }, refusal: deleted }
        return sent.again({ ...(await drawList(sent as Visit, operations, { left })), status: 404 })
      }
      if (edited.kind === 'refused')
        return sent.again(await drawOne(sent, operations, { left: { typed, refusal: edited.refusal } }))
      const { warnings } = edited
      return sent.lead(
        `/console/webhooks/${sent.params.id}`,
        warnings === undefined ? 'The webhook was changed.' : `The webhook was changed, but look again: ${warnings}.`,
      )
    },
  }),
  ...(
    [
      ['replay', 'Send what failed again', 'settle', whileEnabled(replay)],
      ['sample', 'Send a sample event', 'manage', whileEnabled(sample)],
      ['secret', 'Show the signing secret', 'manage', showSecret(operations)],
      ['rotate', 'Replace the signing secret', 'manage', rotate],
      ['replace', 'Replace a signing secret that leaked, at once', 'manage', replaceAtOnce],
      ['enable', 'Send events to a webhook again', 'manage', enabling('enableWebhook', 'Events are sent there again.')],
      [
        'disable',
        'Stop sending events to a webhook',
        'manage',
        enabling('disableWebhook', 'Nothing is sent there any more.'),
      ],
      ['delete', 'Delete a webhook', 'manage', remove],
    ] as const
  ).map(([name, summary, may, take]) =>
    form({
      url: `/console/webhooks/:id/${name}`,
      operation: `consoleWebhook${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary,
      may,
      isGrave: ['rotate', 'replace', 'secret'].includes(name),
      params: Id,
      take: async (sent) => take(await at(sent)),
    }),
  ),
]

const showSecret = (operations: Operations) => async (sent: Sent<typeof Id>) =>
  sent.again(await drawOne(sent, operations, { isShowing: true }))
