import { createHash } from 'node:crypto'
import type { Typed } from './forms/fields.ts'
import type { Refusal } from './operate.ts'

/** What a form was drawn from, in short: with another value somebody changed it meanwhile. */
export const seenAs = (shown: object): string =>
  createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)

/** Whether what a form was drawn from is not there any more. */
export const isOutdated = ({ seen }: Typed, now: string | undefined): boolean => seen !== undefined && seen !== now

/** Of an action that is not possible any more. */
export const faster: Refusal = {
  name: 'CONFLICT',
  message: 'Somebody was faster: it changed since this page was drawn. Look at it as it stands now.',
  debug_id: '–',
}

/** Of an edit: the form that is drawn with it shows what is there now, and whoever sends that has seen it. */
export const outdated: Refusal = {
  name: 'CONFLICT',
  message:
    'Somebody was faster: it changed since this page was drawn. What is there now stands below each field where you typed something else. Save once more, and yours takes its place.',
  debug_id: '–',
}
