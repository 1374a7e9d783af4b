import { type AnyRoute, route, sandboxOnly } from '../http/route.ts'
import { Type } from '../kernel/type.ts'
import type { Worlds } from './worlds.ts'

const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
  maxLength: 28,
  description: 'Letters, digits, dots, dashes and underscores.',
})
const SnapshotShown = Type.Object(
  { name: Type.String(), create_time: Type.String(), now: Type.String({ description: 'What the clock said.' }) },
  { $id: 'Snapshot' },
)
const ForkShown = Type.Object(
  { name: Type.String(), url: Type.String({ description: 'Where it answers.' }) },
  { $id: 'Fork' },
)

/** The operations on whole states of a sandbox. */
export function worldRoutes(worlds: Worlds): AnyRoute[] {
  const shared = { ...sandboxOnly, reads: 'free' } as const
  return [
    route({
      ...shared,
      method: 'GET',
      url: '/sandbox/snapshots',
      operation: 'listSnapshots',
      summary: 'List the states of the sandbox that were kept, oldest first',
      success: { 200: Type.Object({ snapshots: Type.Array(SnapshotShown) }) },
      handle: async () => ({ snapshots: await worlds.list() }),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/snapshots',
      operation: 'saveSnapshot',
      summary: 'Keep the present state of the sandbox under a name, in place of one of the same name',
      body: Type.Object({
        name: Name,
        replace: Type.Optional(
          Type.Boolean({ description: 'Whether one of the same name makes way, as it does unless this is false.' }),
        ),
      }),
      success: { 201: SnapshotShown },
      handle: ({ body }) => worlds.save(body.name, body.replace ?? true),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/snapshots/:name/load',
      operation: 'loadSnapshot',
      summary: 'Go back to a state that was kept, its clock included; access tokens and keys stay as they are',
      params: Type.Object({ name: Name }),
      body: Type.Object({}),
      bodyOptional: true,
      success: { 200: SnapshotShown },
      handle: ({ params }) => worlds.load(params.name),
    }),
    route({
      ...shared,
      method: 'DELETE',
      url: '/sandbox/snapshots/:name',
      operation: 'deleteSnapshot',
      summary: 'Delete a state that was kept',
      params: Type.Object({ name: Name }),
      success: { 204: null },
      handle: ({ params }) => worlds.remove(params.name),
    }),
    route({
      ...shared,
      method: 'GET',
      url: '/sandbox/forks',
      operation: 'listForks',
      summary: 'List the forks of the sandbox that run',
      success: { 200: Type.Object({ forks: Type.Array(ForkShown) }) },
      handle: async () => ({ forks: worlds.forks() }),
    }),
    route({
      ...shared,
      method: 'POST',
      url: '/sandbox/forks',
      operation: 'createFork',
      summary: 'Copy the sandbox and run the copy at an address of its own, for as long as this one runs',
      body: Type.Object({}),
      bodyOptional: true,
      success: { 201: ForkShown },
      handle: () => worlds.fork(),
    }),
    route({
      ...shared,
      method: 'DELETE',
      url: '/sandbox/forks/:name',
      operation: 'deleteFork',
      summary: 'End a fork and forget it',
      params: Type.Object({ name: Type.String({ maxLength: 64 }) }),
      success: { 204: null },
      handle: ({ params }) => worlds.endFork(params.name),
    }),
  ]
}
