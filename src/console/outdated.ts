import { createHash } from 'node:crypto'
import { Problem } from '../kernel/problem.ts'
import type { Typed } from './forms/fields.ts'
import { mendable, type Outcome, type Provided, type Refusal } from './operate.ts'

/** A digest of what a form was drawn from. Another value means that somebody changed it meanwhile. */
export const seenAs = (shown: object): string =>
  createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)

/** For an action that is not possible any more. */
export const faster: Refusal = {
  name: 'CONFLICT',
  message: 'Somebody was faster: it changed since this page was drawn. Look at it as it stands now.',
  debug_id: '–',
}

/** For an edit. The form that is drawn with this refusal shows what is there now, so whoever sends that form has seen it. */
export const outdated: Refusal = {
  name: 'CONFLICT',
  message:
    'Somebody was faster: it changed since this page was drawn. What is there now stands below each field where you typed something else. Save once more, and yours takes its place.',
  debug_id: '–',
}

/** A form that replaces something which others can replace or delete as well. */
interface Edit<One> {
  show(): Promise<One>
  /** The operation of `show`, which is asked once more at the commit. */
  readonly shown: Omit<Provided, 'isSame'>
  seenOf(one: One): string
  /** Whether it already has all that was typed. */
  isSaid(one: One): boolean
  save(one: One, provided: Provided | undefined): Promise<Outcome>
}

/** What came of an edit: done, refused beside what is there now, or nothing is there any more. */
type Edited<One> =
  | { readonly kind: 'done'; readonly warnings?: string | undefined }
  | { readonly kind: 'refused'; readonly one: One; readonly refusal: Refusal }
  | { readonly kind: 'gone' }

/**
 * Saves an edit, unless somebody else saved another one since its form was drawn, even while this one is being saved. A second
 * click does not count as somebody else.
 */
export async function saveEdit<One>(typed: Typed, edit: Edit<One>): Promise<Edited<One>> {
  const { seen } = typed
  try {
    const before = await edit.show()
    const isSame = (shown: unknown) => edit.seenOf(shown as One) === seen
    const outcome = await edit.save(before, seen === undefined ? undefined : { ...edit.shown, isSame })
    const refusal = mendable(outcome)
    if (!refusal) return { kind: 'done', warnings: outcome.warnings }
    const one = await edit.show()
    if (seen === undefined || isSame(one)) return { kind: 'refused', one, refusal }
    return edit.isSaid(one) ? { kind: 'done' } : { kind: 'refused', one, refusal: outdated }
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { kind: 'gone' }
    throw error
  }
}
