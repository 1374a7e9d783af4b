import { setTimeout as pause } from 'node:timers/promises'
import { Type } from '../kernel/type.ts'
import { Answer, type AnyRoute, route } from './route.ts'

const State = Type.Object({ status: Type.String(), reasons: Type.Optional(Type.Array(Type.String())) })

export interface StatusParts {
  /** Reasons why this process should not be sent requests now; none when it is ready. */
  notReady(): Promise<string[]>
  metrics(): Promise<string>
  /** The least time between two gatherings of figures, where it is not the usual one. */
  readonly betweenFiguresMs?: number | undefined
}

/**
 * Figures are gathered no more often than this. Whoever asks sooner waits, and then gets current figures. Printing them
 * holds up everybody else for ten milliseconds and more.
 */
const BETWEEN_FIGURES_MS = 1_000

/** Whoever asks while others are being answered gets the same answer: anybody may ask, as often as they like. */
function together<Result>(work: () => Promise<Result>, betweenMs = 0): () => Promise<Result> {
  let underWay: Promise<Result> | undefined
  let beganAt = Number.NEGATIVE_INFINITY
  const begin = async () => {
    const early = beganAt + betweenMs - performance.now()
    if (early > 0) await pause(early)
    beganAt = performance.now()
    return work()
  }
  return () => {
    underWay ??= begin().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** What machines and people ask of the service itself. None of it needs a token. */
export function statusRoutes(parts: StatusParts): AnyRoute[] {
  const notReady = together(() => parts.notReady())
  const metrics = together(() => parts.metrics(), parts.betweenFiguresMs ?? BETWEEN_FIGURES_MS)
  const status = { method: 'GET', tag: 'Service', scopes: 'public', reads: true, always: true } as const
  return [
    route({
      ...status,
      url: '/healthz',
      operation: 'showHealth',
      summary: 'Tell that the process answers',
      success: { 200: State },
      handle: async () => ({ status: 'ok' }),
    }),
    route({
      ...status,
      url: '/readyz',
      operation: 'showReadiness',
      summary: 'Tell whether requests should be sent here: database, schema, disk, not shutting down',
      success: { 200: State, 503: State },
      async handle() {
        const reasons = await notReady()
        return reasons.length === 0 ? { status: 'ready' } : new Answer(503, { status: 'not ready', reasons })
      },
    }),
    route({
      ...status,
      url: '/metrics',
      onlyStatusPort: true,
      operation: 'showMetrics',
      summary: 'Figures for Prometheus',
      produces: ['text/plain'],
      success: { 200: Type.String() },
      handle: async () =>
        new Answer(200, await metrics(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    }),
  ]
}
