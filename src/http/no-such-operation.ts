import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../kernel/problem.ts'
import { nearest } from '../kernel/spelling.ts'
import type { AnyRoute } from './route.ts'

const PATH_SHOWN_MAX = 200

/**
 * The refusal of an address that no operation has, with the one that was probably meant. One that exists, but not with
 * this method, says which methods it takes.
 */
export function makeNoSuchOperation(routes: readonly AnyRoute[]): (method: string, url: string) => Problem {
  const known = routes.filter(({ url }) => !url.includes('*')).map(({ url }) => wordsOf(url))
  const addresses = addressesOf(routes)
  return (method, url) => {
    const path = url.split('?', 1)[0]!.slice(0, PATH_SHOWN_MAX)
    const methods = addresses.find(({ words }) => isAt(words, wordsOf(path)))?.methods
    if (methods && !methods.has(method))
      return new Problem(405, 'METHOD_NOT_ALLOWED', [], { headers: { allow: [...methods].join(', ') } })
    const meant = meantBy(path, known)
    const suggestion = meant === undefined ? ' /docs lists all operations.' : ` Did you mean ${meant}?`
    return new Problem(404, 'RESOURCE_NOT_FOUND', [
      {
        issue: 'NO_SUCH_OPERATION',
        description: `There is no operation ${method} ${path}.${suggestion}`,
        location: 'path',
      },
    ])
  }
}

interface Address {
  readonly url: string
  readonly words: readonly string[]
  /** The methods for which there are operations. */
  readonly own: AnyRoute['method'][]
  /** The same, and the methods that the router adds. */
  readonly methods: Set<string>
}

/** Every address with its methods. Addresses with more fixed words come before those with parameters. */
function addressesOf(routes: readonly AnyRoute[]): readonly Address[] {
  const addresses = new Map<string, Address>()
  for (const { url, method } of routes) {
    const address = addresses.get(url) ?? { url, words: wordsOf(url), own: [], methods: new Set() }
    addresses.set(url, address)
    address.own.push(method)
    address.methods.add(method)
    if (method === 'GET') address.methods.add('HEAD')
  }
  return [...addresses.values()].sort((a, b) => parametersOf(a) - parametersOf(b))
}

/**
 * Addresses and methods that another operation would wrongly take: for example GET of an address that only takes POST, if
 * the route beside it has a parameter in the same place. The router has to be told to refuse these.
 */
export function captured(routes: readonly AnyRoute[]): { method: AnyRoute['method']; url: string }[] {
  const addresses = addressesOf(routes)
  return addresses.flatMap(({ url, words, methods }) => {
    const others = addresses.filter((other) => other.url !== url && isAt(other.words, words))
    const taken = new Set(others.flatMap((other) => other.own))
    return [...taken].filter((method) => !methods.has(method)).map((method) => ({ method, url }))
  })
}

const wordsOf = (path: string) => path.split('/').filter(Boolean)
const isOpen = (word: string | undefined) => word === '*' || word?.startsWith(':') === true
const parametersOf = ({ words }: Address) => words.filter(isOpen).length

/** Whether an address made of these words matches this path. */
function isAt(words: readonly string[], path: readonly string[]): boolean {
  if (words.at(-1) === '*')
    return path.length >= words.length && words.slice(0, -1).every((word, i) => isOpen(word) || word === path[i])
  return words.length === path.length && words.every((word, i) => isOpen(word) || word === path[i])
}

/**
 * How an unknown address, or a known one with a wrong method, is refused if it is beside those of people's pages: as a page
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

/** The known address that is nearest: one that only differs in spelling, or else one that has more words before these. */
function meantBy(path: string, known: readonly (readonly string[])[]): string | undefined {
  const given = wordsOf(path)
  const spelt = known.filter((words) => words.length === given.length).map((words) => respell(given, words))
  const [closest] = spelt.filter((one) => one !== undefined).sort((a, b) => a.changes - b.changes)
  if (closest) return closest.path
  const longer = known.find((words) => words.length > given.length && words.join('/').endsWith(given.join('/')))
  return given.length > 0 && longer ? `/${longer.join('/').replace(/:(\w+)/g, '{$1}')}` : undefined
}

/** The given words, spelt as in the known address. Undefined if they are other words. */
function respell(given: readonly string[], words: readonly string[]): { path: string; changes: number } | undefined {
  let changes = 0
  const respelt = words.map((word, i) => {
    if (word.startsWith(':') || word === given[i]) return given[i]
    changes++
    return nearest(given[i]!, [word])
  })
  return respelt.includes(undefined) ? undefined : { path: `/${respelt.join('/')}`, changes }
}
