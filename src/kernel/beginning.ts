/** The beginning of a text, at most so long. It ends between two characters: half of one can neither be stored nor sent. */
export const beginning = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
