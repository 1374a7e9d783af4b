import { isDeepStrictEqual } from 'node:util'
import { readerOf } from '../../../http/validation/reader.ts'
import { fits, onlyKnown } from '../../../http/validation/validator.ts'
import { parseInstant } from '../../../kernel/clock.ts'
import { isSound, normalise } from '../../../kernel/money.ts'
import { invalid, refused } from '../../../kernel/problem.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import { type Dispute, PartnerAction } from '../../schema/dispute.ts'
import { type ActionContext, disputeAction } from '../action.ts'
import { limits } from '../limits.ts'

export const PatchEntry = Type.Object({
  op: Type.Enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
  path: Type.String({ maxLength: 2000 }),
  value: Type.Optional(Type.Unknown()),
  from: Type.Optional(Type.String({ maxLength: 2000 })),
})
export const PatchBody = Type.Array(PatchEntry, { maxItems: 32_767 })
type Entry = Static<typeof PatchEntry>

const email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$' })
const note = Type.String({ minLength: 1, maxLength: 2000 })
const details = Type.Object({ email: Type.Optional(email), note: Type.Optional(note) })
const readDetails = readerOf(details)
const readAction = readerOf(PartnerAction)

type Patchable = Pick<Dispute, 'communication_details' | 'partner_actions'>

/** The seller says how they can be reached; a partner says what it did. All entries are applied, or none. */
export const patch = disputeAction('patch', {
  summary: 'Change parts of the dispute',
  scopes: ['disputes/update-seller', 'disputes/update-partner'],
  body: PatchBody,
  decide(dispute, entries, context) {
    const start: Patchable = {
      ...(dispute.communication_details && { communication_details: dispute.communication_details }),
      ...(dispute.partner_actions && { partner_actions: dispute.partner_actions }),
    }
    const { communication_details, partner_actions } = entries.reduce(
      (document, entry, i) => applied(document, entry, `/${i}`, context),
      start,
    )
    if (entries.every(({ op }) => op === 'test')) return { outcome: 'tested', changes: {} }
    return { outcome: 'patched', changes: { communication_details, partner_actions } }
  },
})

function applied(document: Patchable, entry: Entry, at: string, context: ActionContext): Patchable {
  const { op, path, value } = entry
  if (!/^(\/([^~/]|~[01])*)*$/.test(path))
    throw refused(
      'INVALID_JSON_POINTER_FORMAT',
      'A path is a JSON pointer such as /communication_details.',
      `${at}/path`,
    )
  if (op === 'move' || op === 'copy')
    throw refused('INVALID_PATCH_OPERATION', 'Use add, replace, remove or test.', `${at}/op`)
  if (op !== 'remove' && value === undefined)
    throw refused('PATCH_VALUE_REQUIRED', `${op} needs a value.`, `${at}/value`)
  const pointer = path.replace(/^\/communication_detail(?=\/|$)/, '/communication_details')
  if (pointer === '/partner_actions/-') return withPartnerAction(document, entry, at, context)
  const field = /^\/communication_details(?:\/(email|note))?$/.exec(pointer)
  if (!field || context.isPartner)
    throw refused(
      'NOT_PATCHABLE',
      'A seller can change /communication_details, a partner /partner_actions/-.',
      `${at}/path`,
    )
  return withDetails(document, entry, field[1] as 'email' | 'note' | undefined, at, context)
}

function withDetails(
  { communication_details: old, ...rest }: Patchable,
  { op, value: given }: Entry,
  name: 'email' | 'note' | undefined,
  at: string,
  { now }: ActionContext,
): Patchable {
  const { time_posted: _posted, ...told } = old ?? {}
  const value = name === undefined ? readDetails(given) : given
  const target = name === undefined ? old && told : told[name as keyof typeof told]
  if (op === 'test') {
    // The value as shown holds the time at which it was posted. What the client tests against need not.
    if (!isDeepStrictEqual(target, value) && !(name === undefined && isDeepStrictEqual(old, value)))
      throw refused('PATCH_TEST_FAILED', 'The value is another one.', `${at}/value`)
    return { ...rest, ...(old && { communication_details: old }) }
  }
  if (op === 'remove' && target === undefined)
    throw refused('INVALID_PATCH_OPERATION', 'There is nothing to remove.', `${at}/path`)
  const { [name ?? 'email']: _replaced, ...others } = told as Record<string, string>
  const wanted =
    name === undefined ? (op === 'remove' ? {} : value) : { ...others, ...(op !== 'remove' && { [name]: value }) }
  if (!fits(details, wanted))
    throw invalid(`${at}/value`, 'Send email (3 to 254 characters), note (1 to 2000), or both.')
  const clean = onlyKnown(details, wanted)
  if (Object.keys(clean).length === 0) {
    if (op === 'remove') return rest
    throw invalid(`${at}/value`, 'Send at least one of email and note.')
  }
  return { ...rest, communication_details: { ...clean, time_posted: now } }
}

function withPartnerAction(document: Patchable, { op, value }: Entry, at: string, context: ActionContext): Patchable {
  if (!context.tellsPartnerActions)
    throw refused('NOT_PATCHABLE', 'Only a partner of the seller can add partner actions.', `${at}/path`)
  if (op !== 'add') throw refused('INVALID_PATCH_OPERATION', 'A partner action can only be added here.', `${at}/op`)
  const known = document.partner_actions ?? []
  const given = { create_time: context.now, ...(readAction(value) as object) }
  if (!fits(PartnerAction, given))
    throw invalid(`${at}/value`, 'A partner action needs id, name and status, each of the allowed values.')
  const { amount, ...action } = onlyKnown(PartnerAction, given)
  if (amount && !isSound(amount)) throw invalid(`${at}/value/amount`, 'This is no amount of a currency of ISO 4217.')
  const times = timesOf(action, `${at}/value`)
  if (known.some(({ id }) => id === action.id))
    throw refused('DUPLICATE_PARTNER_ACTION', 'There is a partner action with this id already.', `${at}/value/id`)
  if (known.length >= limits.partnerActions)
    throw refused('TOO_MANY_PARTNER_ACTIONS', `A dispute holds ${limits.partnerActions} partner actions.`, `${at}/path`)
  const told = { ...action, ...(amount && { amount: normalise(amount) }), ...times }
  return { ...document, partner_actions: [...known, told] }
}

/** The times of a partner's action, in the form in which they are kept. */
function timesOf(action: PartnerAction, at: string): Pick<PartnerAction, 'create_time'> {
  const { create_time, update_time, due_time } = action
  const read = (name: string, given: string) => {
    const time = parseInstant(given)
    if (!time) throw invalid(`${at}/${name}`, 'Write an RFC 3339 date-time.')
    return time
  }
  return {
    create_time: read('create_time', create_time),
    ...(update_time !== undefined && { update_time: read('update_time', update_time) }),
    ...(due_time !== undefined && { due_time: read('due_time', due_time) }),
  }
}
