/** Two words are near if at most a third of the letters of the shorter one are wrong, and never more than this many. */
const DISTANCE_MAX = 3

/** The known word that was probably meant. Undefined if none is near. Case, dashes and underscores do not count. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const meant = plain(word)
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const letters = plain(candidate)
    const limit = Math.min(DISTANCE_MAX, Math.floor(Math.min(letters.length, meant.length) / 3))
    const distance = Math.abs(letters.length - meant.length) > limit ? Infinity : distanceOf(meant, letters)
    if (distance <= limit && distance < (best?.distance ?? Infinity)) best = { word: candidate, distance }
  }
  return best?.word
}

/** ` Did you mean X?` with its leading blank, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** Longer words are compared only up to this length. */
const LENGTH_MAX = 64

const plain = (word: string) =>
  word
    .slice(0, LENGTH_MAX)
    .toLowerCase()
    .replace(/[-_\s]/g, '')

/** How many letters must be put in, taken out, replaced or swapped with their neighbour to make one word the other. */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1), isSwap ? before[j - 2]! + 1 : 999)
    }
    before = last
    last = row
  }
  return last[b.length]!
}
