import { type Eyes, eyes } from '../../src/console/who.ts'
import type { World } from './world.ts'

type Fields = Readonly<Record<string, string>>

/** Somebody at the console without a browser: what a page says, and what its forms send. */
export function consoleOf(world: World, as: Eyes = 'merchant') {
  const cookie = `console-eyes=${as}`
  const host = 'localhost:8080'
  return {
    name: eyes[as].label,
    async page(path: string, status = 200): Promise<string> {
      const response = await world.call('GET', path, undefined, { headers: { cookie, host } })
      if (response.status !== status)
        throw new Error(`${path} answered ${response.status}: ${response.text.slice(0, 500)}`)
      return response.text
    },
    /** Sends a form as a browser does, and follows where it leads. */
    async send(path: string, fields: Fields = {}, headers: Record<string, string> = {}) {
      const response = await world.call('POST', path, new URLSearchParams(fields).toString(), {
        headers: {
          cookie,
          host,
          origin: `http://${host}`,
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
      })
      return {
        status: response.status,
        location: String(response.headers['location'] ?? ''),
        text: response.text,
        headers: response.headers,
      }
    },
  }
}

/** Where the forms of a page lead. */
export const formsIn = (markup: string): string[] =>
  [...markup.matchAll(/<form class="stack" method="post" action="([^"]*)"/g)].map(([, action]) => action!)
