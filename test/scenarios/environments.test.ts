import { describe, expect, it } from 'vitest'
import { describedRoutes } from '../../src/routes.ts'
import { newLiveWorld } from '../support/live.ts'
import { newWorld } from '../support/world.ts'

type Refusal = { details: { issue: string; description: string }[] }

describe('An operation that exists in one environment only', () => {
  it.each([
    ['live', newLiveWorld],
    ['sandbox', newWorld],
  ] as const)('is refused in the other before its body is read: %s', async (environment, open) => {
    const world = await open()
    const foreign = describedRoutes(world.app.service).filter(
      (route) => route.environment !== undefined && route.environment !== environment,
    )
    expect(foreign.length).toBeGreaterThan(0)

    for (const { method, url, scopes } of foreign) {
      const caller =
        scopes === 'public' ? undefined : await world.personWithApp(world.people.merchant.id, scopes.slice(0, 1))
      const headers = { 'content-type': 'application/json' }
      const path = url.replace(/:\w+/g, 'X')
      const answer = caller
        ? await caller.post<Refusal>(path, 'no JSON', { headers })
        : await world.call<Refusal>(method, path, 'no JSON', { headers })
      expect([url, answer.status, answer.body.details[0]?.issue]).toEqual([url, 403, 'PERMISSION_DENIED'])
    }
    await world.close()
  })
})
