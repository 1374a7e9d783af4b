import type { Contents } from './contents.ts'

const EVERY_MS = 2_000

/** Says from time to time how far something is that may take long. Short work says nothing. */
export class Progress {
  readonly #say: (sentence: string) => void
  #last = performance.now()

  constructor(say: (sentence: string) => void) {
    this.#say = say
  }

  tell(sentence: () => string): void {
    if (performance.now() - this.#last < EVERY_MS) return
    this.#last = performance.now()
    this.#say(sentence())
  }

  /** Reports the rows as they pass. */
  over(contents: Contents, doing: string): Contents {
    const { facts, tables } = contents
    const tell = (done: number, name: string, bytes: number) =>
      this.tell(() => `${doing} ${name}: table ${done + 1} of ${facts.tables.length}, ${megabytes(bytes)} so far`)
    return {
      ...contents,
      async *tables() {
        let done = 0
        let bytes = 0
        for await (const { table, pieces, rows } of tables()) {
          const told = async function* () {
            for await (const piece of pieces) {
              bytes += piece.length
              tell(done, table.name, bytes)
              yield piece
            }
          }
          yield { table, pieces: told(), rows }
          done += 1
        }
      },
    }
  }
}

export const megabytes = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
