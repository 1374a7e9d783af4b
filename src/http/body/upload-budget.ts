import { unavailable } from '../../kernel/problem.ts'

/** Counts bytes as they arrive; throws when there is no room for them. */
export type Take = (bytes: number) => void

/** How much of all uploads under way may be in memory at once. Each one alone is bounded; many together are not. */
export class UploadBudget {
  readonly #bytesMax: number
  #held = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get held(): number {
    return this.#held
  }

  /** What `work` takes is given back when it ends, however it ends. */
  async during<Result>(work: (take: Take) => Promise<Result>): Promise<Result> {
    let taken = 0
    try {
      return await work((bytes) => {
        if (this.#held + bytes > this.#bytesMax) {
          throw unavailable('More is being uploaded at once than there is room for; try again shortly.', 2)
        }
        taken += bytes
        this.#held += bytes
      })
    } finally {
      this.#held -= taken
    }
  }
}
