/** What the API reference tells about the operations of a room, beyond what their routes and schemas say. */
export interface RoomReference {
  /** What an operation is for and what follows from it, by its name. */
  readonly operations: Readonly<Record<string, string>>
  /**
   * What a field means, by its name; `tax.amount` where it means something else as a part of `tax`. The longest name that
   * fits is taken, and begins at the operation or at the name of a shared schema.
   */
  readonly fields: Readonly<Record<string, string>>
  /** What it refuses with codes of its own. */
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
