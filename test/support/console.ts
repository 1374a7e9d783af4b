import { type Eyes, eyes } from '../../src/console/who.ts'
import type { World } from './world.ts'

type Fields = Readonly<Record<string, string>>

/** Somebody at the console without a browser: what a page says, and what its forms send. */
export function consoleOf(world: World, as: Eyes = 'merchant') {
  const cookie = `console-eyes=${as}`
  const host = 'localhost:8080'
  return {
    name: eyes[as].label,
    /** What the page that a form led to says first, and how. */
    async told({ location, headers }: { location: string; headers: Record<string, unknown> }) {
      const [notice] = String(headers['set-cookie']).split(';')
      const { text } = await world.call('GET', location, undefined, {
        headers: { cookie: `${cookie}; ${notice}`, host },
      })
      const [, tone, role, said] = /<div class="notice (\w+)" role="(\w+)"[^>]*><p>(.*?)<\/p>/s.exec(text) ?? []
      return { tone, role, said }
    },
    async page(path: string, status = 200): Promise<string> {
      const response = await world.call('GET', path, undefined, { headers: { cookie, host } })
      if (response.status !== status)
        throw new Error(`${path} answered ${response.status}: ${response.text.slice(0, 500)}`)
      return response.text
    },
    /** Sends a form as a browser does, and follows where it leads. */
    async send(path: string, fields: Fields | Buffer = {}, headers: Record<string, string> = {}) {
      const payload = Buffer.isBuffer(fields) ? fields : new URLSearchParams(fields).toString()
      const response = await world.call('POST', path, payload, {
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

/** A form with files, as a browser sends it. */
export function withFiles(fields: Fields, files: Readonly<Record<string, Buffer>>) {
  const boundary = 'boundary-of-a-form'
  const part = (head: string, body: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ])
  const payload = Buffer.concat([
    ...Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value)),
    ...Object.entries(files).map(([name, bytes]) =>
      part(`name="file"; filename="${name}"\r\ncontent-type: image/png`, bytes),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** Where the forms of a page lead. */
export const formsIn = (markup: string): string[] =>
  [...markup.matchAll(/<form class="stack" method="post" action="([^"]*)"/g)].map(([, action]) => action!)

/** An invoice of one line, as it is typed at the console. */
export const written = {
  '/items/0/name': 'A chair',
  '/items/0/quantity': '2',
  '/items/0/unit_amount/value': '49.50',
  '/items/0/tax/percent': '10',
  '/detail/currency_code': 'USD',
}
