/** Something that must always be true of the stored data. */
export interface Rule {
  readonly sentence: string
  /** Returns the rows that break the rule, so it must return none. */
  readonly query: string
}
