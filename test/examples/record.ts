import { Receiver } from '../support/receiver.ts'
import { newWorld } from '../support/world.ts'
import { disputing } from './disputing.ts'
import { invoicing, paying } from './invoicing.ts'
import { live, pages } from './pages.ts'
import { Recorder } from './recorder.ts'
import { sandbox, service } from './sandbox.ts'
import { webhooks } from './webhooks.ts'

/** Lives through everything the API can do, always in the same way, and tells each call with its answer. */
export async function recordExamples(): Promise<string> {
  const recorder = new Recorder()
  const receiver = await Receiver.open()
  const world = await newWorld({
    settings: { SEED: '7', PUBLIC_URL: 'http://127.0.0.1:8080', RATE_LIMIT_PER_MINUTE: '0' },
  })
  try {
    const show = recorder.in(world)
    await service(show)
    await invoicing(world, show)
    await paying(world, show)
    await disputing(world, show)
    await webhooks(world, show, receiver, recorder)
    await pages(world, show, recorder)
    await sandbox(world, show)
  } finally {
    await world.close()
    await receiver.close()
  }
  await live(recorder)
  return `${JSON.stringify(recorder.examples(), null, 1)}\n`
}
