import { setTimeout as pause } from 'node:timers/promises'
import { FaultyProxy, type Weather } from '../../test/support/faulty-proxy.ts'
import type { BadDay } from './scene.ts'

const weathers: readonly Weather[] = ['hangs', 'closes', 'resets', 'starting up']

/** What happens between the services and the database. */
function networkDay(): BadDay {
  let proxy: FaultyProxy | undefined
  return {
    name: 'network',
    what: ({ isReduced }) =>
      `the network to the database stalls and leaves connections half-open, closes and resets them, ${isReduced ? 3 : 20} s each`,
    async way(ground, server) {
      proxy = await FaultyProxy.before(server.url)
      ground.onClose(() => proxy!.close())
      return proxy.url(server.url)
    },
    async run({ lab }) {
      for (const weather of weathers) {
        proxy!.set(weather)
        await pause(lab.isReduced ? 3_000 : 20_000)
        proxy!.set('fine')
        await pause(3_000)
      }
      return ''
    },
  }
}

export const networkDays = [networkDay()]
