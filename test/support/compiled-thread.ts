import { Worker } from 'node:worker_threads'

const source = new URL('../../src/', import.meta.url).href
const compiled = new URL('../../dist/', import.meta.url).href

/**
 * Stands in for `src/jobs/thread.ts` in a test run: the same threads, as they were compiled before it began. From source each
 * would read all its modules anew, which takes a second of a processor.
 */
export const startThread = (name: string, from: string): Worker =>
  new Worker(new URL(`./${name}.js`, from.replace(source, compiled)))
