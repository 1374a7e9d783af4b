/**
 * The beginning of a text, of at most this length. It never ends inside a character: half of one can neither be stored nor
 * sent.
 */
export const beginning = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
