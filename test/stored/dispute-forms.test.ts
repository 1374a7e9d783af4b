import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generatedForm } from '../../src/console/forms/dispute-forms.ts'
import type { Field } from '../../src/console/forms/fields.ts'
import { disputeActions, publicActions } from '../../src/disputes/machine/actions/index.ts'
import { nodes } from '../../src/disputes/machine/nodes.ts'
import { nodeName } from '../../src/disputes/machine/step.ts'
import { open } from '../scenarios/disputes/people.ts'
import { consoleOf, formsIn } from '../support/console.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let id: string
let body: string
beforeAll(async () => {
  world = await newWorld()
  id = await open(world.buyer, { reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' })
  await world.settle()
  const { rows } = await world.app.database.query<{ body: string }>('select body::text from disputes where id = $1', [
    id,
  ])
  body = rows[0]!.body
})
afterAll(async () => {
  await world.app.database.query('update disputes set body = $2::jsonb where id = $1', [id, body])
  await world.close()
})

const agents = ['adjudicate', 'require-evidence']

/** What the API links to: parties act as parties at the console, and agents as agents. */
async function linked(as: 'merchant' | 'buyer' | 'partner' | 'agent'): Promise<string[]> {
  const person = as === 'agent' ? world.merchant : world[as]
  const { body: shown } = await person.get<{ links: { href: string; method: string }[] }>(`/v1/customer/disputes/${id}`)
  const posts = shown.links.filter(({ method }) => method === 'POST').map(({ href }) => href.split('/').at(-1)!)
  return [...new Set(posts)].filter((action) => agents.includes(action) === (as === 'agent'))
}

/** Where each field of a form stands in the body. */
const places = (fields: readonly Field[]): string[] =>
  fields.flatMap((field) => (field.kind === 'pair' ? places(field.fields) : field.kind === 'files' ? [] : [field.at]))

describe('The forms of a dispute', () => {
  for (const { node, meaning } of nodes)
    it(`are the links of the answer, no more and no fewer, for everybody: ${nodeName(node)}, ${meaning}`, async () => {
      await world.app.database.query(`update disputes set body = ($2::jsonb - 'timer') || $3::jsonb where id = $1`, [
        id,
        body,
        JSON.stringify({ ...node, ...(node.finality === 'APPEALABLE' && { lost_by: 'seller' }) }),
      ])
      for (const as of ['merchant', 'buyer', 'partner', 'agent'] as const) {
        const page = await consoleOf(world, as).page(`/console/disputes/${id}`)
        const links = await linked(as)

        expect(
          // The likeliest comes first, in whatever order the links stand.
          formsIn(page)
            .map((action) => action.split('/').at(-1)!)
            .sort(),
          as,
        ).toEqual(links.sort())
        // Each says what follows, and what is not possible says why.
        expect(page.match(/<div class="then">/g)?.length ?? 0, as).toBe(links.length)
        expect(page).not.toMatch(/undefined|dispute_life_cycle_stage [A-Z]|>requires *</)
      }
    })

  it('can be made of the schema of any action, so that a new one needs none of its own', () => {
    const dispute = { dispute_amount: { currency_code: 'USD', value: '1.00' } } as never
    for (const action of publicActions) {
      const { title, fields } = generatedForm(action)
      expect(title, action).not.toBe('')
      for (const place of places(fields(dispute))) {
        let schema = disputeActions[action].body as unknown as Record<string, unknown>
        for (const name of place.split('/').slice(1))
          schema = (name === '0' ? schema['items'] : (schema['properties'] as Record<string, unknown>)[name]) as never
        expect(schema, `${action} ${place}`).toBeDefined()
      }
    }
    expect(places(generatedForm('make-offer').fields(dispute))).toEqual(
      expect.arrayContaining(['/note', '/offer_type', '/offer_amount']),
    )
  })
})
