/** What the API reference says about the operations of a room, beyond their routes and schemas. */
export interface RoomReference {
  /** What an operation is for and what follows from it, by its name. */
  readonly operations: Readonly<Record<string, string>>
  /**
   * What a field means, by its name, or by `tax.amount` where it means something else as a part of `tax`. The longest name
   * that fits is taken. Names may begin at the operation or at the name of a shared schema.
   */
  readonly fields: Readonly<Record<string, string>>
  /** What the operations refuse with codes of their own. */
  readonly issues: readonly IssueReference[]
}

/** A refusal that some operations have and others do not. */
export interface IssueReference {
  readonly issue: string
  readonly status: number
  /** Which operations refuse with it. */
  readonly by: readonly string[]
  readonly when: string
  /** What would make the call work. */
  readonly mend: string
}
