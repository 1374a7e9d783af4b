import type { Output } from './command.ts'

const colours = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

/** Without what a terminal would take for an order: much of what is shown was written by others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
export const plainly = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')

/** Gives a text a colour, or leaves it as it is where nobody would see one. */
export type Paint = (colour: keyof typeof colours, text: string) => string

export const makePaint =
  ({ coloured = false }: Pick<Output, 'coloured'>): Paint =>
  (colour, text) =>
    coloured && text !== '' ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text
