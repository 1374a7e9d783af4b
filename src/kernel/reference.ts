/** What the API reference tells about the operations of a room, beyond what their routes and schemas say. */
export interface RoomReference {
  /** What an operation is for and what follows from it, by its name. */
  readonly operations: Readonly<Record<string, string>>
  /**
   * What a field means, by its name; `tax.amount` where it means something else as a part of `tax`. The longest name that
   * fits is taken, and begins at the operation or at the name of a shared schema.
   */
  readonly fields: Readonly<Record<string, string>>
  /** What its refusals mean and what would make the call work, by issue. */
  readonly issues: Readonly<Record<string, IssueReference>>
}

export interface IssueReference {
  /** A status, or several where it depends on the moment. */
  readonly status: number
  readonly when: string
  readonly mend: string
  /** Which operations refuse with it. */
  readonly by: readonly string[]
}
