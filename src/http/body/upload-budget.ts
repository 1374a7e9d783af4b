import { Problem, unavailable } from '../../kernel/problem.ts'
import { FairShare } from '../limits/fair-share.ts'

/** Counts bytes as they arrive. Throws if there is no room for them. */
export type Take = (bytes: number) => void

/** This refusal closes the connection, so that whoever has more to send is not read to the end. */
function tooMuch(): Problem {
  const { details, headers } = unavailable(
    'More is being uploaded at once than there is room for; try again shortly.',
    2,
  )
  return new Problem(503, 'SERVICE_UNAVAILABLE', details, { headers: { ...headers, connection: 'close' } })
}

/**
 * How much of all uploads under way may be in memory at once, and how much of that may belong to one uploader. Each upload
 * has a limit of its own, but many together would have none.
 */
export class UploadBudget {
  readonly #share: FairShare

  constructor(bytesMax: number) {
    this.#share = new FairShare(bytesMax, 1)
  }

  get held(): number {
    return this.#share.total
  }

  /** What `work` takes for this uploader is given back when it ends, however it ends. */
  async during<Result>(who: string, work: (take: Take) => Promise<Result>): Promise<Result> {
    let taken = 0
    try {
      return await work((bytes) => {
        if (!this.#share.take(who, bytes)) throw tooMuch()
        taken += bytes
      })
    } finally {
      this.#share.giveBack(who, taken)
    }
  }
}
