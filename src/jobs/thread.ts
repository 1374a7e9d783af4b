import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/** Starts the module of this name beside `from` on a thread of its own; compiled or, in development, from source. */
export function startThread(name: string, from: string): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, from))
  // To run from source, the thread needs the loader for TypeScript that is there in development.
  const reader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/cjs$/, 'mjs'),
  ).href
  const names = [reader, new URL(`./${name}.ts`, from).href, from].map((text) => JSON.stringify(text))
  return new Worker(`import(${names[0]}).then(({ tsImport }) => tsImport(${names[1]}, ${names[2]}))`, { eval: true })
}
