/** An error that no further attempt would change. Whoever retries on a schedule gives up when it is thrown. */
export class ForGood extends Error {
  override readonly name = 'ForGood'
}
