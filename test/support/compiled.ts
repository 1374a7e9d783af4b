import { startProcess as startProcessOf } from '../../src/jobs/process.ts'
import { startThread as startThreadOf } from '../../src/jobs/thread.ts'

const source = new URL('../../src/', import.meta.url).href
const compiled = new URL('../../dist/', import.meta.url).href
const asCompiled = (from: string) => from.replace(source, compiled).replace(/\.ts$/, '.js')

/**
 * Stand in for `src/jobs/thread.ts` and `src/jobs/process.ts` in a test run: the same threads and processes, as they were
 * compiled before it began. From source each would read all its modules anew, which takes a second of a processor.
 */
export const startThread: typeof startThreadOf = (name, from) => startThreadOf(name, asCompiled(from))
export const startProcess: typeof startProcessOf = (name, from, words) => startProcessOf(name, asCompiled(from), words)
