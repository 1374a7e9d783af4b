import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { newLiveWorld } from '../support/live.ts'

/** Only with a replica. */
const ofReplica = ['in_use', 'lag_seconds', 'lag_bytes', 'reads_total'].map((name) => `quittance_replica_${name}`)

it('Every figure of ours stands in the list of what to watch, and no other', async () => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const world = await newLiveWorld()
  const { text } = await world.call('GET', '/metrics')
  await world.close()

  const told = [...page.matchAll(/`(quittance_[a-z_]+)`/g)].map(([, name]) => name!)
  const shown = [...text.matchAll(/^# TYPE (quittance_\w+)/gm)].map(([, name]) => name!)
  expect([...new Set(told)].toSorted()).toEqual([...shown, ...ofReplica].toSorted())
})
