import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../kernel/problem.ts'
import { nearest } from '../kernel/spelling.ts'
import type { AnyRoute } from './route.ts'

const PATH_SHOWN_MAX = 200

/** The refusal of an address that no operation has, with the one that was probably meant. */
export function makeNoSuchOperation(routes: readonly AnyRoute[]): (method: string, url: string) => Problem {
  const known = routes.filter(({ url }) => !url.includes('*')).map(({ url }) => url.split('/').slice(1))
  return (method, url) => {
    const path = url.split('?', 1)[0]!.slice(0, PATH_SHOWN_MAX)
    const meant = meantBy(path, known)
    const suggestion = meant === undefined ? ' /docs lists those there are.' : ` Did you mean ${meant}?`
    return new Problem(404, 'RESOURCE_NOT_FOUND', [
      {
        issue: 'NO_SUCH_OPERATION',
        description: `There is no operation ${method} ${path}.${suggestion}`,
        location: 'path',
      },
    ])
  }
}

/**
 * How an address that no operation has, or not with this method, is refused beside those of people's pages: as a page
 * too, when a browser asks.
 */
export function makePageFor(routes: readonly AnyRoute[]): (request: Asked) => AnyRoute['refusal'] {
  const pages = new Map(routes.flatMap(({ url, refusal }) => (refusal ? [[folderOf(url), refusal] as const] : [])))
  return ({ url, headers }) => (/\btext\/html\b/i.test(headers.accept ?? '') ? pages.get(folderOf(url)) : undefined)
}

interface Asked {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

const folderOf = (url: string) => /^\/+[^/?]*/.exec(url)?.[0].replace(/^\/+/, '')

/** The known address that differs least: in the spelling of its words, or by what stands before or behind it. */
function meantBy(path: string, known: readonly (readonly string[])[]): string | undefined {
  const given = path.split('/').filter(Boolean)
  const spelt = known.filter((words) => words.length === given.length).map((words) => respell(given, words))
  const [closest] = spelt.filter((one) => one !== undefined).sort((a, b) => a.changes - b.changes)
  if (closest) return closest.path
  const longer = known.find((words) => words.length > given.length && words.join('/').endsWith(given.join('/')))
  return given.length > 0 && longer ? `/${longer.join('/').replace(/:(\w+)/g, '{$1}')}` : undefined
}

/** What was given with its words spelt as the known address spells them; undefined when they are other words. */
function respell(given: readonly string[], words: readonly string[]): { path: string; changes: number } | undefined {
  let changes = 0
  const respelt = words.map((word, i) => {
    if (word.startsWith(':') || word === given[i]) return given[i]
    changes++
    return nearest(given[i]!, [word])
  })
  return respelt.includes(undefined) ? undefined : { path: `/${respelt.join('/')}`, changes }
}
