import { readFileSync } from 'node:fs'
import { type CallExample, describeApi } from '../http/openapi/describe.ts'
import type { AnyRoute } from '../http/route.ts'
import { version } from '../version.ts'
import { references } from './rooms.ts'

/** Where the service answered whose calls were recorded. */
const recordedAt = 'http://127.0.0.1:8080'

/** The whole API as OpenAPI describes it, with what the rooms tell about it and with a call of every operation. */
export const describeWhole = (routes: readonly AnyRoute[], publicUrl = recordedAt) =>
  describeApi(routes, { version, references, examples: examplesAt(publicUrl), publicUrl })
export type ApiDocument = ReturnType<typeof describeWhole>

/** Calls that were recorded from a run of `test/examples`, by operation, as a service at this address answers them. */
export function examplesAt(publicUrl: string): Readonly<Record<string, CallExample>> {
  const text = readFileSync(new URL('./examples.json', import.meta.url), 'utf8')
  return JSON.parse(text.replaceAll(recordedAt, JSON.stringify(publicUrl).slice(1, -1)))
}
