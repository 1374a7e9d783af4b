import type { Reader, Tx } from '../../../database/transaction.ts'
import { plainlyNamed } from '../../../disputes/documents.ts'
import { type Content, type Html, html } from '../../../http/html.ts'
import { Problem, refused } from '../../../kernel/problem.ts'
import type { Typed } from '../../forms/fields.ts'
import { isOfSecondClick, onceOnly, wasDone } from '../../once.ts'
import type { Refusal } from '../../operate.ts'
import { seenAs } from '../../outdated.ts'
import type { Sent, Visit } from '../../visit.ts'
import { type Draft, findDesk, type Side } from './desk.ts'
import { DROP_FILE, dropSeen, keepDraft } from './drafts.ts'

/** Whether an action is an answer that takes long to write, and that colleagues look over. */
export const isDraftable = (action: string): boolean =>
  ['provide-evidence', 'appeal', 'make-offer', 'provide-supporting-info'].includes(action)

/** The other button of such a form, which keeps a draft. */
export const keeping = [{ name: 'draft', label: 'Keep as a draft', loose: true }] as const

/** The field that says which draft a form was drawn with; empty for none. */
const DRAWN_WITH = 'draft'

export const draftNote = ({ person, update_time }: Draft, drop: string, { times, who }: Visit): Html =>
  html`<div class="taken-by"><p>A draft of <b>${person}</b>, ${times.at(update_time)}.</p>${(who.may('work') || who.may('decide')) && html`<a class="button small quiet" href="${drop}">Drop it</a>`}</div>`

/** What a form carries of its draft, and the files that are kept with it. They are sent with the form, unless one is left out. */
export const draftFields = (draft: Draft | undefined, at: string): Html =>
  html`<input type="hidden" name="${DRAWN_WITH}" value="${draft && seenOf(draft)}">${draft && keptFiles(draft, at)}`

const keptFiles = ({ files }: Draft, at: string): Content =>
  files.length > 0 &&
  html`<fieldset class="kept"><legend>Kept with the draft</legend>${files.map(
    ({ n, name, size }) =>
      html`<p><a class="link" href="${at}/${n}">${name}</a> <span class="soft">${Math.ceil(size / 1024)} KiB</span></p><label class="tick"><input type="checkbox" name="${DROP_FILE}${n}" value="true"><span>Leave it out<span class="seen-not">: ${name}</span></span></label>`,
  )}</fieldset>`

/** A digest of what a form was drawn from. It is not made of the update time alone, which two drafts may share. */
export const seenOf = ({ typed, person, update_time, files }: Draft): string =>
  seenAs({ typed, person, update_time, files })

export const draftOf = async (db: Reader, side: Side, action: string): Promise<Draft | undefined> =>
  (await findDesk(db, side)).drafts.find((one) => one.action === action)

const isAnother = (now: Draft | undefined, { [DRAWN_WITH]: drawnWith }: Typed): boolean =>
  drawnWith !== undefined && now !== undefined && seenOf(now) !== drawnWith

/**
 * The draft that a form goes on from. `isAnother` says that this is not the draft it was drawn with but one that a colleague
 * kept since, whose files would be sent along unseen.
 */
export async function draftBehind({ db, typed }: Sent, side: Side, action: string) {
  const draft = await draftOf(db, side, action)
  return { draft, isAnother: isAnother(draft, typed) }
}

/** The form, under an id of its own for sending: its request id was used when a draft was kept from the same page. */
const sending = ({ 'request-id': key, ...typed }: Typed): Typed =>
  key === undefined ? typed : { ...typed, 'request-id': `sent ${key}` }

/**
 * Whether a first click sent the form and dropped its draft. A second click then has no files by which it could be recognised.
 */
export const wasSent = ({ db, typed, now }: Sent, { accountId }: Side): Promise<boolean> =>
  wasDone(db, accountId, sending(typed), now)

/** Forgets the draft that was sent, once. */
export async function dropSent(tx: Tx, { typed }: Sent, side: Side, draft: Draft): Promise<void> {
  if (await wasDone(tx, side.accountId, sending(typed), tx.now)) return
  await onceOnly(tx, side.accountId, sending(typed))
  dropSeen(tx, side, draft)
}

export const anotherDraft: Refusal = {
  name: 'CONFLICT',
  message:
    'A colleague kept a draft of this answer since the page was drawn; the page of the dispute shows it. Send or keep yours now, and it takes its place.',
  debug_id: '–',
}

/**
 * Keeps what was typed, once however often it is sent. Returns a refusal when that cannot be kept, or would be written over
 * another draft.
 */
export async function keep(sent: Sent, side: Side, action: string): Promise<Refusal | undefined> {
  const { typed, who } = sent
  const files = plainlyNamed(sent.files)
  try {
    await sent.change(async (tx) => {
      await onceOnly(tx, side.accountId, typed)
      const before = await draftOf(tx, side, action)
      if (isAnother(before, typed)) throw refused('ANOTHER_DRAFT', anotherDraft.message)
      await keepDraft(tx, side, { action, typed, files, person: who.name, before })
    })
    return undefined
  } catch (error) {
    if (await isOfSecondClick(error, sent)) return undefined
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const { name, message, details } = error
    return { name, message, debug_id: '–', details }
  }
}
