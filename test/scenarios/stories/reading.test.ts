import { describe, expect, it } from 'vitest'
import { readScenario, type ScenarioError } from '../../../src/scenarios/read.ts'

const story = (steps: string) => `title: A story
about: About nothing.
people:
  seller: sandbox-merchant
steps:
${steps}`

function mistakes(text: string): readonly string[] {
  try {
    readScenario(text, 'mine.yaml')
  } catch (error) {
    return (error as ScenarioError).problems
  }
  throw new Error('nothing was wrong with it')
}

describe('A scenario that is not right', () => {
  it('is refused with line, column, what was expected and what was found', () => {
    expect(mistakes(story("  - { step: pay, says: 'Pays.', call: createSandboxTransactoin, as: seller }"))).toEqual([
      'mine.yaml:6:39: expected the name of an operation, found "createSandboxTransactoin". Did you mean createSandboxTransaction?',
    ])
    expect(mistakes(story("  - { step: pay, says: 'Pays.', call: showDispute, as: buyer }"))).toEqual([
      'mine.yaml:6:56: expected one of seller, found "buyer".',
      'mine.yaml:6:5: expected path.id, which showDispute needs, found nothing.',
    ])
    expect(mistakes(story("  - { step: rest, says: 'Rests.', wait: three days }"))).toEqual([
      'mine.yaml:6:41: expected an ISO 8601 duration such as P20D, found "three days".',
    ])
    expect(mistakes(story("  - { step: rest, says: 'Rests.', wiat: P1D }"))[0]).toMatch(
      /^mine\.yaml:6:41: expected one of step, says, .*, found wiat\. Did you mean wait\?$/,
    )
    expect(
      mistakes(story("  - step: rest\n    says: 'Rests.'\n    wait: P1D\n    expect: { events: [INVOICE.PAID] }")),
    ).toEqual(['mine.yaml:9:23: expected the name of an event, found "INVOICE.PAID".'])
  })

  it('names events that there are, among those that came about and among those that were received', () => {
    const expecting = (expected: string) =>
      story(`  - step: rest\n    says: 'Rests.'\n    wait: P1D\n    expect: { ${expected} }`)
    const sent = 'INVOICING.INVOICE.SENT'
    expect(mistakes(expecting(`events: [${sent}], received: { ${sent}: 1, INVOICE.PAID: 2 }`))).toEqual([
      'mine.yaml:9:102: expected the name of an event, found "INVOICE.PAID".',
    ])
    expect(mistakes(expecting('events: [INVOICE.SENT], received: { INVOICE.PAID: 2 }'))).toEqual([
      'mine.yaml:9:23: expected the name of an event, found "INVOICE.SENT".',
      'mine.yaml:9:65: expected the name of an event, found "INVOICE.PAID".',
    ])
  })

  it('adds durations to the time, and nothing else', () => {
    const waits = (until: string) => story(`  - { step: rest, says: R., wait_until: '\${${until}}' }`)
    for (const added of ['20D', 'tomorrow', 'P', 'PT'])
      expect(mistakes(waits(`now + ${added}`))).toEqual([
        `mine.yaml:6:41: expected an ISO 8601 duration such as P20D behind the plus, found \${now + ${added}}.`,
      ])
    expect(() => readScenario(waits('now + P20D'), 'mine.yaml')).not.toThrow()
  })

  it('may only refer to what came earlier', () => {
    const steps = `  - { step: show, says: Shows., call: showDispute, path: { id: '\${open.id}' } }
  - { step: show, says: Again., wait: P1D }`
    expect(mistakes(story(steps))).toEqual([
      'mine.yaml:6:58: expected an earlier step behind $, found ${open.id}.',
      'mine.yaml:7:13: expected a name that no earlier step has, found show.',
    ])
  })

  it('names people by texts, and what stands elsewhere by what came before it', () => {
    const people = (given: string) =>
      story('  - { step: rest, says: R., wait: P1D }').replace('sandbox-merchant', given)
    expect(mistakes(people('{ client_id: a, for: 1234567890123 }'))).toEqual([
      'mine.yaml:4:11: expected a client id, or client_id, client_secret and for as texts, found {"client_id":"a","for":1234567890123}.',
    ])
    expect(mistakes(people('*shop'))).toEqual(['mine.yaml:4:11: expected &shop before *shop, and not around it.'])
    expect(mistakes(people('&shop { client_id: *shop }'))).toEqual([
      'mine.yaml:4:30: expected &shop before *shop, and not around it.',
    ])
  })

  it('does not become many times as large by aliases of aliases', () => {
    const tenfold = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join(', ')}]`
    const bomb = [tenfold('a', 'x'), tenfold('b', '*a'), tenfold('c', '*b'), tenfold('d', '*c')].join('\n')
    expect(mistakes(bomb)).toEqual([
      'mine.yaml:1:1: expected every & to be repeated at most 100 times, those inside others counted, found more.',
    ])
  })

  it('is told every mistake at once, and those of YAML itself', () => {
    expect(mistakes('title: [\n')[0]).toMatch(/^mine\.yaml:2:1: /)
    expect(mistakes('steps: []\npeople: {}\n')).toHaveLength(4)
  })
})
