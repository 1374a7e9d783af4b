import { type Html, html } from '../../../http/html.ts'
import type { Operations } from '../../operate.ts'
import { nothing } from '../../parts/parts.ts'
import type { Deed } from '../../sign-in/deeds.ts'
import { type Things, thing } from '../../things.ts'
import type { Visit } from '../../visit.ts'

/** An operation in words, as the table of operations has them. */
function said(operations: Operations, action: string): string {
  try {
    return operations.route(action).summary
  } catch {
    return action
  }
}

/** What people did, newest first. */
export const deedsSheet = (list: readonly Deed[], things: Things, operations: Operations, { times }: Visit): Html =>
  html`<section class="sheet flush"><header class="sheet-head"><h2>What people did</h2></header>${
    list.length === 0
      ? nothing('Nothing yet', 'What people change here stands under their names.')
      : html`<table class="rows audit"><thead><tr><th>When</th><th>Who</th><th>What</th></tr></thead><tbody>${list.map(
          ({ create_time, name, action, resource_id, cause }) =>
            html`<tr><td class="nowrap soft">${times.at(create_time)}</td><td class="second">${name ?? 'somebody who is gone'}</td><td class="fill second">${said(operations, action)}<small>${resource_id && html`${thing(resource_id, things, { face: 'account', isLinked: false })}, `}debug id ${cause}</small></td></tr>`,
        )}</tbody></table>`
  }</section>`
