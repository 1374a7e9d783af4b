import { Type } from '../kernel/type.ts'
import type { describeApi } from './openapi.ts'
import { type ReferencePage, referencePage } from './reference-page.ts'
import { Answer, type AnyRoute, RawJson, route } from './route.ts'

const State = Type.Object({ status: Type.String(), reasons: Type.Optional(Type.Array(Type.String())) })

export interface StatusParts {
  /** Reasons why this process should not be sent requests now; none when it is ready. */
  notReady(): Promise<string[]>
  metrics(): Promise<string>
  /** The API as OpenAPI describes it, for a service at this address. */
  describe(publicUrl: string): Promise<ReturnType<typeof describeApi>>
  /** The address is known once the service listens. */
  publicUrl(): string
}

interface Documents {
  readonly openapi: RawJson
  readonly page: ReferencePage
}

/** Whoever asks while others are being answered is answered with them: anybody may ask, as often as they like. */
function together<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** What machines and people ask of the service itself. None of it needs a token. */
export function statusRoutes({ describe, publicUrl, ...parts }: StatusParts): AnyRoute[] {
  const notReady = together(() => parts.notReady())
  const metrics = together(() => parts.metrics())
  let documents: { readonly publicUrl: string; readonly made: Promise<Documents> } | undefined
  /** Large, and the same for everybody. */
  function made(): Promise<Documents> {
    const url = publicUrl()
    if (documents?.publicUrl !== url)
      documents = {
        publicUrl: url,
        made: describe(url).then((api) => ({ openapi: new RawJson(JSON.stringify(api)), page: referencePage(api) })),
      }
    return documents.made
  }
  const shared = { method: 'GET', tag: 'Service', scopes: 'public', reads: true } as const
  const status = { ...shared, always: true } as const
  const document = { ...shared, limitedBy: 'address' } as const
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
      operation: 'showMetrics',
      summary: 'Figures for Prometheus',
      produces: ['text/plain'],
      success: { 200: Type.String() },
      handle: async () =>
        new Answer(200, await metrics(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    }),
    route({
      ...document,
      url: '/openapi.json',
      operation: 'showOpenApi',
      summary: 'This API as an OpenAPI 3.1 document',
      success: { 200: Type.Object({}) },
      handle: async () => (await made()).openapi,
    }),
    route({
      ...document,
      url: '/docs',
      operation: 'showReference',
      summary: 'This API as a page to read',
      produces: ['text/html'],
      success: { 200: Type.String() },
      async handle() {
        const { html, contentSecurityPolicy } = (await made()).page
        const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentSecurityPolicy }
        return new Answer(200, html, headers)
      },
    }),
  ]
}
