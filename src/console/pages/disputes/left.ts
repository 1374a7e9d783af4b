import type { PublicAction } from '../../../disputes/machine/actions/index.ts'
import { type Content, type Html, html, paragraphs } from '../../../http/html.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { disputeFormOf } from '../../forms/dispute-forms.ts'
import { refusalBox, type Typed } from '../../forms/fields.ts'
import type { Refusal } from '../../operate.ts'
import type { Visit } from '../../visit.ts'
import type { Desk, Draft } from './desk.ts'
import { draftNote } from './draft-forms.ts'

/** A form as it was left, and why it was refused. */
export interface Left {
  readonly action: PublicAction
  readonly typed: Typed
  readonly refusal: Refusal
}

/** What was typed at length into the form of an action. */
const longOnes = (action: PublicAction, typed: Typed, dispute: Dispute, mark: string): string[] =>
  disputeFormOf(action)
    .fields(dispute, mark)
    .flatMap((field) => (field.kind === 'long' && typed[field.at]?.trim() ? [typed[field.at]!] : []))

/** A draft whose action is not possible any more. What was written can be read until the draft is dropped. */
const strayDraft = (
  draft: Draft,
  { at, title }: { readonly at: string; readonly title: string },
  texts: readonly string[],
  visit: Visit,
): Html =>
  html`<div class="stack left-over">${draftNote(draft, `${at}/drop`, visit)}<p class="soft">${title}: this is not possible any more, so it was not sent.</p>${texts.map((text) => html`<p class="said">${paragraphs(text)}</p>`)}${draft.files.map(({ n, name }) => html`<p><a href="${at}/files/${n}">${name}</a></p>`)}</div>`

/** Drafts for actions that are not possible any more, so that whoever kept one finds again what they wrote. */
export const strayDrafts = (
  { dispute, desk }: { readonly dispute: Dispute; readonly desk: Desk },
  actions: readonly PublicAction[],
  visit: Visit,
): Content =>
  desk.drafts
    .filter((draft) => !actions.includes(draft.action as PublicAction))
    .map((draft) => {
      const action = draft.action as PublicAction
      const at = `/console/disputes/${dispute.dispute_id}/drafts/${action}`
      return strayDraft(
        draft,
        { at, title: disputeFormOf(action).title },
        longOnes(action, draft.typed, dispute, visit.who.mark),
        visit,
      )
    })

/** What was written into a form that is not there any more, so that it can be read and used elsewhere. */
export const leftOver = ({ action, typed, refusal }: Left, dispute: Dispute, mark: string): Html =>
  html`<div class="stack left-over">${refusalBox(refusal)}${longOnes(action, typed, dispute, mark).map(
    (text) => html`<p class="label">What you wrote was not sent:</p><p class="said">${paragraphs(text)}</p>`,
  )}</div>`
