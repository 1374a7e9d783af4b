import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { newLiveWorld } from '../support/live.ts'

/** Only with a replica. */
const ofReplica = ['in_use', 'lag_seconds', 'lag_bytes', 'reads_total'].map((name) => `quittance_replica_${name}`)

interface Alarms {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}

it('Every figure that an alarm asks for is one of ours, with the labels that it asks for', async () => {
  const { groups } = parse(readFileSync(new URL('../../docs/alarms.yml', import.meta.url), 'utf8')) as Alarms
  const world = await newLiveWorld()
  await world.call('GET', '/readyz')
  const { text } = await world.call('GET', '/metrics')
  await world.close()

  expect(text).toContain('quittance_webhook_attempts_total{outcome="given_up",answer="5xx"} 0\n')
  const rules = groups.flatMap((group) => group.rules)
  expect(rules.length).toBeGreaterThan(10)
  const shown = new Set([...ofReplica, ...[...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!)])
  for (const { alert, expr } of rules)
    for (const [, name, labels = ''] of expr.matchAll(/\b((?:quittance|nodejs)_\w+)(?:\{([^}]*)\})?/g)) {
      const figure = name!.replace(/_(bucket|count)$/, '')
      expect([alert, shown.has(figure)]).toEqual([alert, true])
      // Prometheus adds the job. Each other is there before its first case, which would be no increase otherwise.
      for (const [, label] of labels.matchAll(/(\w+)=/g))
        if (label !== 'job') expect(text).toMatch(new RegExp(`^${name}\\{.*${label}="`, 'm'))
    }
})

it('Every figure of ours stands in the list of what to watch, and no other', async () => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const world = await newLiveWorld()
  const { text } = await world.call('GET', '/metrics')
  await world.close()

  const told = [...page.matchAll(/`(quittance_[a-z_]+)`/g)].map(([, name]) => name!)
  const shown = [...text.matchAll(/^# TYPE (quittance_\w+)/gm)].map(([, name]) => name!)
  expect([...new Set(told)].toSorted()).toEqual([...shown, ...ofReplica].toSorted())
})
