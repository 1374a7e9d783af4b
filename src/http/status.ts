import { Type } from '../kernel/type.ts'
import type { ReferencePage } from './reference-page.ts'
import { Answer, type AnyRoute, route } from './route.ts'

const State = Type.Object({ status: Type.String(), reasons: Type.Optional(Type.Array(Type.String())) })

export interface StatusParts {
  /** Reasons why this process should not be sent requests now; none when it is ready. */
  notReady(): Promise<string[]>
  metrics(): Promise<string>
  openapi(): object
  page(): ReferencePage
}

/** What machines and people ask of the service itself. None of it needs a token. */
export function statusRoutes({ notReady, metrics, openapi, page }: StatusParts): AnyRoute[] {
  const shared = { method: 'GET', tag: 'Service', scopes: 'public', reads: true, always: true } as const
  return [
    route({
      ...shared,
      url: '/healthz',
      operation: 'showHealth',
      summary: 'Tell that the process answers',
      success: { 200: State },
      handle: async () => ({ status: 'ok' }),
    }),
    route({
      ...shared,
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
      ...shared,
      url: '/metrics',
      operation: 'showMetrics',
      summary: 'Figures for Prometheus',
      produces: ['text/plain'],
      success: { 200: Type.String() },
      handle: async () =>
        new Answer(200, await metrics(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    }),
    route({
      ...shared,
      url: '/openapi.json',
      operation: 'showOpenApi',
      summary: 'This API as an OpenAPI 3.1 document',
      success: { 200: Type.Object({}) },
      handle: async () => openapi(),
    }),
    route({
      ...shared,
      url: '/docs',
      operation: 'showReference',
      summary: 'This API as a page to read',
      produces: ['text/html'],
      success: { 200: Type.String() },
      async handle() {
        const { html, contentSecurityPolicy } = page()
        const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentSecurityPolicy }
        return new Answer(200, html, headers)
      },
    }),
  ]
}
