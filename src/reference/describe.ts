import { readFileSync } from 'node:fs'
import { type CallExample, describeApi } from '../http/openapi.ts'
import type { AnyRoute } from '../http/route.ts'
import { version } from '../version.ts'
import { references } from './rooms.ts'

/** The whole API as OpenAPI describes it, with what the rooms tell about it and with a call of every operation. */
export const describeWhole = (routes: readonly AnyRoute[], publicUrl?: string) =>
  describeApi(routes, { version, references, examples: examples(), ...(publicUrl !== undefined && { publicUrl }) })
export type ApiDocument = ReturnType<typeof describeWhole>

/** Calls that were recorded from a run of `test/examples`, by operation. */
const examples = (): Readonly<Record<string, CallExample>> =>
  JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8'))
