import { publicActions } from '../../../disputes/machine/actions/index.ts'
import { type Content, type Html, html, paragraphs } from '../../../http/html.ts'
import { notFound, Problem, refused } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { askTwice } from '../../forms/ask-twice.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { newRequestId, refusalBox } from '../../forms/fields.ts'
import type { Drawn } from '../../frame.ts'
import { isSentAlready, onceOnly } from '../../once.ts'
import type { Refusal } from '../../operate.ts'
import { sheet } from '../../parts/parts.ts'
import { fileAnswer } from '../../respond.ts'
import type { Pages, Visit } from '../../visit.ts'
import { addNote, type Desk, giveItBack, NOTE_LENGTH_MAX, type Side, takeIt } from './desk.ts'
import { draftOf, seenOf } from './draft-forms.ts'
import { dropSeen, findDraftFile } from './drafts.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })

/** The side of the onlooker: the account they work for. */
export const sideOf = ({ who }: Pick<Visit, 'who'>, disputeId: string): Side => ({
  accountId: who.caller.accountId,
  disputeId,
})

/** A note that was not kept, and why. */
export interface NoteLeft {
  readonly content: string
  readonly refusal: Refusal
}

const NOTE = 'content'

/** The form for a note, as it was left when one was refused. */
function noting(at: string, left?: NoteLeft): Html {
  const wrong = left?.refusal.details?.find(({ field }) => field === NOTE)
  return html`<form class="noting" method="post" action="${at}/notes" id="note">${left && refusalBox(left.refusal, wrong ? [] : left.refusal.details)}<input type="hidden" name="request-id" value="${newRequestId()}"><label for="note-text">Note</label><textarea class="boxed" id="note-text" name="${NOTE}" required maxlength="${NOTE_LENGTH_MAX}"${wrong && html` aria-invalid="true"`} aria-describedby="${wrong && 'note-problem '}note-hint">
${left?.content}</textarea>${wrong && html`<p class="problem" id="note-problem">${wrong.description}</p>`}<p class="hint" id="note-hint">Neither the other side nor the API ever shows these.</p><div class="buttons"><button class="button quiet">Keep the note</button></div></form>`
}

/** What one side keeps to itself about a dispute. */
export function deskSheet(
  { taken, notes }: Desk,
  id: string,
  { times, who }: Visit,
  { strays, left }: { strays?: Content; left?: NoteLeft | undefined } = {},
): Html {
  const canWrite = who.may('work') || who.may('decide')
  const at = `/console/disputes/${id}`
  const holder = html`<p>${
    taken ? html`Taken by <b>${taken.person}</b>, ${times.at(taken.create_time)}` : 'Nobody has taken it.'
  }</p>`
  return sheet(
    'Among yourselves',
    html`${canWrite ? html`<form class="taken-by" method="post" action="${at}/${taken ? 'give-back' : 'take'}">${taken && html`<input type="hidden" name="from" value="${taken.person}">`}${holder}<button class="button small quiet">${taken ? 'Give it back' : 'Take it'}</button></form>` : html`<div class="taken-by">${holder}</div>`}${strays}
${
  notes.length > 0 &&
  html`<ol class="story slim">${notes.map(
    ({ person, content, create_time }) =>
      html`<li><span class="bead"></span><div class="by"><span><b>${person}</b></span>${times.at(create_time)}</div><p class="said">${paragraphs(content)}</p></li>`,
  )}</ol>`
}
${canWrite && noting(at, left)}`,
  )
}

const Action = Type.Object({ id: Id.properties.id, action: Type.Enum([...publicActions]) })

type Redraw = (visit: Visit<typeof Id>, left: NoteLeft) => Promise<Drawn>

export function disputeDeskPages({ form, page }: Pages, redraw: Redraw) {
  const nameOf = ({ who }: Pick<Visit, 'who'>) => who.name
  /** The id of the dispute, given only when this person can see it. */
  const seen = async (sent: Pick<Visit<typeof Id>, 'look' | 'params'>) =>
    (await sent.look<Dispute>('showDispute', { params: { id: sent.params.id } })).dispute_id
  return [
    form({
      url: '/console/disputes/:id/take',
      operation: 'consoleTakeDispute',
      summary: 'Take a dispute',
      may: ['work', 'decide'],
      params: Id,
      async take(sent) {
        const side = sideOf(sent, await seen(sent))
        const holder = await sent.change(async (tx) => takeIt(tx, side, nameOf(sent)))
        const at = `/console/disputes/${side.disputeId}`
        return holder === nameOf(sent)
          ? sent.lead(at, 'You have taken it.')
          : sent.turnBack(at, `Somebody was faster: ${holder} has taken it.`)
      },
    }),
    form({
      url: '/console/disputes/:id/give-back',
      operation: 'consoleGiveDisputeBack',
      summary: 'Give a dispute back',
      may: ['work', 'decide'],
      params: Id,
      async take(sent) {
        const side = sideOf(sent, await seen(sent))
        const holder = await sent.change(async (tx) => giveItBack(tx, side, sent.typed['from']))
        const at = `/console/disputes/${side.disputeId}`
        return holder === undefined
          ? sent.lead(at, 'Nobody has taken it now.')
          : sent.turnBack(at, `Nothing was changed: ${holder} has taken it meanwhile.`)
      },
    }),
    form({
      url: '/console/disputes/:id/notes',
      operation: 'consoleNoteDispute',
      summary: 'Keep a note about a dispute among yourselves',
      may: ['work', 'decide'],
      params: Id,
      async take(sent) {
        const side = sideOf(sent, await seen(sent))
        const content = (sent.typed[NOTE] ?? '').trim()
        try {
          if (content === '' || content.length > NOTE_LENGTH_MAX)
            throw refused('INVALID_NOTE', `A note has between one and ${NOTE_LENGTH_MAX} characters.`, NOTE)
          await sent.change(async (tx) => {
            await onceOnly(tx, side.accountId, sent.typed)
            await addNote(tx, side, nameOf(sent), content)
          })
        } catch (error) {
          if (!(error instanceof Problem) || error.status !== 422) throw error
          const { name, message, details } = error
          if (!isSentAlready(error))
            return sent.again(await redraw(sent, { content, refusal: { name, message, debug_id: '–', details } }))
        }
        return sent.lead(`/console/disputes/${side.disputeId}`, 'The note was kept.')
      },
    }),
    page({
      url: '/console/disputes/:id/drafts/:action/drop',
      operation: 'consoleAskDropDraft',
      summary: 'Ask before a draft is dropped',
      may: ['work', 'decide'],
      params: Action,
      async draw(visit) {
        const side = sideOf(visit, await seen(visit as never))
        const draft = await draftOf(visit.db, side, visit.params.action)
        if (!draft) throw notFound('The draft')
        const at = `/console/disputes/${side.disputeId}`
        return askTwice({
          title: 'Drop the draft?',
          back: ['The dispute', at],
          text: `What ${draft.person} wrote is forgotten${draft.files.length > 0 ? ', and so are its files' : ''}. This cannot be undone.`,
          action: `${at}/drafts/${draft.action}/drop`,
          button: 'Drop the draft',
          seen: seenOf(draft),
        })
      },
    }),
    form({
      url: '/console/disputes/:id/drafts/:action/drop',
      operation: 'consoleDropDraft',
      summary: 'Drop a draft',
      may: ['work', 'decide'],
      params: Action,
      async take(sent) {
        const side = sideOf(sent, await seen(sent as never))
        const at = `/console/disputes/${side.disputeId}`
        const isDropped = await sent.change(async (tx) => {
          const draft = await draftOf(tx, side, sent.params.action)
          if (draft && sent.typed['seen'] !== undefined && sent.typed['seen'] !== seenOf(draft)) return false
          if (draft) dropSeen(tx, side, draft)
          return true
        })
        return isDropped
          ? sent.lead(at, 'The draft was dropped.')
          : sent.turnBack(at, 'Nothing was dropped: a colleague kept another draft meanwhile. Look at it first.')
      },
    }),
    page({
      url: '/console/disputes/:id/drafts/:action/files/:n',
      operation: 'consoleDraftFile',
      summary: 'Show a file of a draft',
      may: ['see', 'decide'],
      params: Type.Object({ ...Action.properties, n: Type.String({ maxLength: 6, pattern: '^[1-9][0-9]*$' }) }),
      async draw(visit) {
        const side = sideOf(visit, await seen(visit as never))
        const file = await findDraftFile(visit.db, side, visit.params.action, Number(visit.params.n))
        if (!file) throw notFound('The file')
        return fileAnswer(file.bytes, {
          'content-type': file.content_type,
          'content-disposition': `attachment; filename="${file.name.replace(/[^\w.,\- ]/g, '_')}"`,
        })
      },
    }),
  ]
}
