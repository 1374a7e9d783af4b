import { harnessFile, nextMessage, startChild } from './child.ts'
import type { LoadOrder, LoadResult } from './load.ts'

/** The load generator in a process of its own. */
export interface Generator {
  run(order: LoadOrder): Promise<LoadResult>
  stop(): Promise<void>
}

export async function startGenerator(): Promise<Generator> {
  const child = startChild(harnessFile('load.ts'))
  await nextMessage(child)
  return {
    run(order) {
      const result = nextMessage<LoadResult>(child)
      child.process.send(order)
      return result
    },
    stop: () => child.stop(),
  }
}
