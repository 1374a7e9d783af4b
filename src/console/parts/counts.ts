/** What stands beside a name is counted no further than this: whoever has more knows enough. */
export const COUNTED_MAX = 100

/** How many there are, as it stands beside a tab; nothing when there are none. */
export const countShown = (n: number): string | undefined =>
  n === 0 ? undefined : n >= COUNTED_MAX ? `${COUNTED_MAX - 1}+` : String(n)
