/** What no other attempt would change: whoever tries again on a schedule does not. */
export class ForGood extends Error {
  override readonly name = 'ForGood'
}
