import { describe, expect, it } from 'vitest'
import { Recall } from '../../../src/database/recall.ts'
import type { AnyRoute } from '../../../src/http/route.ts'
import { makeValidator } from '../../../src/http/validation/validator.ts'
import { dialects } from '../../../src/kernel/dialect.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { readSettings } from '../../../src/settings.ts'
import { expectCostBelow } from '../../support/cpu.ts'

type Schema = Readonly<Record<string, unknown>>

const settings = readSettings({})
const service = { environment: 'sandbox', dialect: dialects.service, settings, publicUrl: 'http://x' } as const
const routes = describedRoutes({ ...service, recall: new Recall(0) })
const places = ['params', 'query', 'body'] as const
const inputs = routes.flatMap((route) => places.flatMap((place) => inputOf(route, place)))

function inputOf(route: AnyRoute, place: (typeof places)[number]) {
  const schema = route[place]
  return schema === undefined ? [] : [{ what: `${route.operation} ${place}`, place, schema }]
}

/** Every schema inside a schema, with the way to it. */
function* nodesOf(node: unknown, path = ''): Generator<readonly [path: string, schema: Schema]> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield [path, node as Schema]
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'enum' && key !== 'const' && key !== 'examples' && key !== 'default')
      yield* nodesOf(child, `${path}/${key}`)
  }
}

describe('the schemas of requests', () => {
  it('can all be compiled, and refuse what no operation takes', () => {
    for (const { what, place, schema } of inputs) {
      const check = makeValidator(schema, place === 'params' ? 'path' : place)
      expect(check(12345), what).toHaveLength(1)
    }
  })

  it('bound every text and every list', () => {
    const unbounded = inputs.flatMap(({ what, schema }) =>
      [...nodesOf(schema)]
        .filter(([, node]) => node['type'] === 'string' || node['type'] === 'array')
        .filter(([, node]) => !('const' in node || 'enum' in node || 'maxLength' in node || 'maxItems' in node))
        .map(([path]) => `${what} ${path}`),
    )

    expect(unbounded).toEqual([])
  })

  it('have patterns that take time in proportion to the text', async () => {
    const patterns = new Set(
      inputs.flatMap(({ schema }) =>
        [...nodesOf(schema)].flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : [])),
      ),
    )
    const characters = [...'aZ05_-+.,:/@ #=~%&é\n']
    const pumps = [...characters, ...characters.flatMap((a) => ['a', '1', '.', '-', ' '].map((b) => a + b))]

    for (const pattern of patterns) {
      const expression = new RegExp(pattern)
      for (const pump of pumps) {
        await expectCostBelow(
          50,
          () => {
            expression.test(`${pump.repeat(5_000 / pump.length)}\0`)
            expression.test(`a${pump.repeat(5_000 / pump.length)}!`)
          },
          `${pattern} on ${JSON.stringify(pump)}`,
        )
      }
    }
  })
})
