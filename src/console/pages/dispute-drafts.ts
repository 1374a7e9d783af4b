import type { Reader } from '../../database/transaction.ts'
import { plainlyNamed } from '../../disputes/documents.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { Problem, refused } from '../../kernel/problem.ts'
import { type Draft, findDesk, type Side } from '../desk.ts'
import { DROP_FILE, keepDraft } from '../drafts.ts'
import type { Typed } from '../forms/fields.ts'
import { isSentAlready, onceOnly } from '../once.ts'
import type { Refusal } from '../operate.ts'
import { seenAs } from '../outdated.ts'
import type { Sent, Visit } from '../visit.ts'

/** Answers that take long to write, and that colleagues look over. */
export const isDraftable = (action: string): boolean =>
  ['provide-evidence', 'appeal', 'make-offer', 'provide-supporting-info'].includes(action)

/** The other button of such a form. */
export const keeping = [{ name: 'draft', label: 'Keep as a draft', loose: true }] as const

/** The field that says which draft a form was drawn with; empty for none. */
const DRAWN_WITH = 'draft'

export const draftNote = ({ person, update_time }: Draft, drop: string, { times }: Visit): Html =>
  html`<form class="taken-by" method="post" action="${drop}"><p>A draft of <b>${person}</b>, ${times.at(update_time)}.</p><button class="button small quiet">Drop it</button></form>`

/** What a form carries of its draft, and the files that are kept with it: they are sent with the form, unless one is left out. */
export const draftFields = (draft: Draft | undefined, at: string): Html =>
  html`<input type="hidden" name="${DRAWN_WITH}" value="${draft && seenOf(draft)}">${draft && keptFiles(draft, at)}`

const keptFiles = ({ files }: Draft, at: string): Content =>
  files.length > 0 &&
  html`<fieldset class="kept"><legend>Kept with the draft</legend>${files.map(
    ({ n, name, size }) =>
      html`<p><a href="${at}/${n}">${name}</a> <span class="soft">${Math.ceil(size / 1024)} KiB</span></p><label class="tick"><input type="checkbox" name="${DROP_FILE}${n}" value="true"><span>Leave it out<span class="seen-not">: ${name}</span></span></label>`,
  )}</fieldset>`

/** Not by its time, which two drafts may have in common. */
const seenOf = ({ typed, person, update_time, files }: Draft): string => seenAs({ typed, person, update_time, files })

const draftOf = async (db: Reader, side: Side, action: string): Promise<Draft | undefined> =>
  (await findDesk(db, side)).drafts.find((one) => one.action === action)

const isAnother = (now: Draft | undefined, { [DRAWN_WITH]: drawnWith }: Typed): boolean =>
  drawnWith !== undefined && now !== undefined && seenOf(now) !== drawnWith

/** Whether a colleague kept a draft since the form was drawn: its files would go along unseen. */
export const isAnotherDraft = async ({ db, typed }: Sent, side: Side, action: string): Promise<boolean> =>
  isAnother(await draftOf(db, side, action), typed)

export const anotherDraft: Refusal = {
  name: 'CONFLICT',
  message:
    'A colleague kept a draft of this answer since the page was drawn; the page of the dispute shows it. Send or keep yours now, and it takes its place.',
  debug_id: '–',
}

/** Keeps what was typed, once however often it is sent; a refusal, where that cannot be kept or would be written over another draft. */
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
    if (isSentAlready(error)) return undefined
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const { name, message, details } = error
    return { name, message, debug_id: '–', details }
  }
}
