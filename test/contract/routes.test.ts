import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyRoute } from '../../src/http/route.ts'
import { describedService } from '../../src/printed.ts'
import { describedRoutes } from '../../src/routes.ts'
import { newWorld, type Person, type World } from '../support/world.ts'

interface ErrorBody {
  name: string
  message: string
  debug_id: string
  error?: string
  details?: { issue: string }[]
}

const routes = describedRoutes(describedService)
const protectedRoutes = routes.filter(({ scopes }) => scopes !== 'public')
const title = ({ method, url }: AnyRoute) => `${method} ${url}`

/** The address of a route with something in the place of every parameter. */
const address = ({ url }: AnyRoute) => url.replace(/:\w+/g, 'X1').replace('*', 'X1')

describe('Every protected operation', () => {
  let world: World
  let stranger: Person
  beforeAll(async () => {
    world = await newWorld()
    stranger = await world.personWithApp(world.people.merchant.id, ['subscriptions'])
  })
  afterAll(() => world.close())

  const payload = (route: AnyRoute) => (route.body ? {} : undefined)

  for (const route of protectedRoutes) {
    it(`${title(route)} refuses a caller without a token`, async () => {
      const { status, headers, body } = await world.call<ErrorBody>(route.method, address(route), payload(route))

      expect(status).toBe(401)
      expect(body.name).toBe('AUTHENTICATION_FAILURE')
      expect(headers['www-authenticate']).toMatch(/^Bearer/)
      expect(headers['service-debug-id']).toBe(body.debug_id)
    })

    it(`${title(route)} refuses a token that nobody was given`, async () => {
      const authorization = `Bearer A21AA${'x'.repeat(92)}`
      const { status, headers, body } = await world.call<ErrorBody>(route.method, address(route), payload(route), {
        headers: { authorization },
      })

      expect(status).toBe(401)
      expect(body).toMatchObject({ name: 'AUTHENTICATION_FAILURE', error: 'invalid_token' })
      expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    })

    if (route.scopes.length > 0)
      it(`${title(route)} refuses a token without its scope`, async () => {
        const { status, body } = await stranger.send<ErrorBody>(route.method, address(route), payload(route))

        expect(status).toBe(403)
        expect(body).toMatchObject({ name: 'NOT_AUTHORIZED' })
        expect(JSON.stringify(body)).toContain('none of the scopes')
      })
  }

  it('is found in the list of all operations', () => {
    expect(protectedRoutes.length).toBeGreaterThan(0)
    expect(new Set(routes.map(({ operation }) => operation)).size).toBe(routes.length)
  })
})

describe('Every address', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const methods = ['DELETE', 'PATCH', 'PUT', 'POST', 'GET'] as const
  const urls = [...new Set(routes.map(({ url }) => url))].map((url) => {
    const taken = routes.filter((route) => route.url === url).map(({ method }) => method)
    return { url, taken, other: methods.find((method) => !taken.includes(method)) }
  })
  it('leaves at least one method out, or there is nothing to refuse', () => {
    expect(urls.filter(({ other }) => other === undefined)).toEqual([])
  })

  for (const { url, taken, other } of urls)
    it(`${url} says which methods it takes`, async () => {
      const { status, headers, body } = await world.call<ErrorBody>(
        other!,
        address(routes.find((route) => route.url === url)!),
      )

      expect(status).toBe(405)
      expect(body.name).toBe('METHOD_NOT_ALLOWED')
      for (const method of taken) expect(headers['allow']).toContain(method)
    })

  it('that does not exist answers 404 in the error body', async () => {
    const { status, headers, body } = await world.call<ErrorBody>('GET', '/v1/nothing/here')
    expect(status).toBe(404)
    expect(body.name).toBe('RESOURCE_NOT_FOUND')
    expect(headers['service-debug-id']).toBe(body.debug_id)
  })
})
