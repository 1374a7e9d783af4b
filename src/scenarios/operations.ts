import { readFileSync } from 'node:fs'

/** How an operation is called. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly string[]
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
}

let known: ReadonlyMap<string, Operation> | undefined

/** Every operation by its name, as the printed description of the API has it. */
export function operations(): ReadonlyMap<string, Operation> {
  known ??= readOperations()
  return known
}

function readOperations(): ReadonlyMap<string, Operation> {
  const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
  const { paths } = JSON.parse(text) as Described
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) => {
        if (operationId === undefined) return []
        const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
        return [[operationId, { method: method.toUpperCase(), path, parameters }] as const]
      }),
    ),
  )
}
