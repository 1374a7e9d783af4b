import { makeOperations, type OperationParts } from '../console/operate.ts'
import { heading } from '../console/parts/parts.ts'
import { assetAnswer, pageAnswer, partAnswer } from '../console/respond.ts'
import type { Reader, Transact } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import { html } from '../http/html.ts'
import { Answer } from '../http/route.ts'
import { type DialectName, dialects } from '../kernel/dialect.ts'
import { notFound, type Problem } from '../kernel/problem.ts'
import { catalogueOf, type Described } from './catalogue.ts'
import { describeWhole, examplesAt } from './describe.ts'
import { assets, digest, frame, type Sheet } from './frame.ts'
import { errorsPage, foundList, overviewPage, searchPage } from './list-pages.ts'
import { operationPage } from './operation-page.ts'
import { makeSearch, type Search } from './search.ts'
import { canBeTried, firstAttempt, outcome, outcomePage, payloadOf, tokenOf, tryForm, trying } from './try-it.ts'

/** How a page is to be shown. */
export interface Wish {
  readonly dialect?: DialectName | undefined
  /** The client id of whoever tries. */
  readonly as?: string | undefined
}

export interface Tried {
  readonly typed: Readonly<Record<string, string>>
  readonly files: readonly UploadedFile[]
  readonly address: string
  readonly host: string
  /** Only the answer, for a script to put into the page. */
  readonly part: boolean
}

export type Library = ReturnType<typeof openLibrary>

/** The document of the API and all of its pages, made when somebody first asks for one. */
export function openLibrary(parts: OperationParts, publicUrl: string) {
  const { service } = parts
  const isSandbox = service.environment === 'sandbox'
  const routes = parts.routes()
  const api = describeWhole(routes, publicUrl)
  const catalogue = catalogueOf(api, routes, examplesAt(publicUrl))
  const operations = makeOperations(parts)
  let search: Search | undefined
  const find = (query: string) => {
    search ??= makeSearch(catalogue)
    return search(query)
  }
  const ownDialect = service.dialect.name
  const searchOf = ({ dialect }: Wish) => (dialect === undefined || dialect === ownDialect ? '' : `?dialect=${dialect}`)
  const page = (sheet: Sheet, wish: Wish = {}): Answer =>
    pageAnswer(200, frame(sheet, { catalogue, isSandbox, search: searchOf(wish) }))

  function operationOf(id: string): Described {
    const found = catalogue.byId.get(id)
    if (!found) throw notFound('The operation')
    return found
  }

  const personOf = (operation: Described, { as }: Wish) =>
    trying.find(({ client }) => client === as) ??
    trying.find(({ client }) => client === operation.example?.as) ??
    trying[0]!

  return {
    refused({ status, message, details }: Problem): Answer {
      const title = status === 404 ? 'Nothing here' : 'This cannot be shown'
      const said = status === 404 ? 'No operation has this name.' : (details[0]?.description ?? message)
      const content = html`${heading(title, { sub: said })}<p><a href="/docs">Every operation there is</a></p>`
      return pageAnswer(status, frame({ title, content }, { catalogue, isSandbox, search: '' }))
    },
    // As bytes: to write a megabyte of text anew for everybody takes longer than all else.
    openapi: new Answer(200, Buffer.from(JSON.stringify(api)), { 'content-type': 'application/json; charset=utf-8' }),
    asset(name: string, asked: string): Answer {
      const asset = assets.get(name)
      if (!asset) throw notFound('The file')
      return assetAnswer(asset, asked === digest)
    },
    overview(wish: Wish): Answer {
      const content = overviewPage(catalogue, { publicUrl, isSandbox, search: searchOf(wish) })
      return page({ title: 'API reference', content, here: 'overview' }, wish)
    },
    errors: (wish: Wish): Answer =>
      page({ title: 'Errors', content: errorsPage(searchOf(wish)), here: 'errors' }, wish),
    search(query: string, wish: Wish): Answer {
      const content = searchPage(query, find(query), searchOf(wish))
      return page({ title: query === '' ? 'Search' : `Search: ${query}`, content, searched: query }, wish)
    },
    searchPart: (query: string, wish: Wish): Answer => partAnswer(foundList(find(query), searchOf(wish)).text),
    async operation(id: string, wish: Wish, transact: Transact, db: Reader): Promise<Answer> {
      const operation = operationOf(id)
      const dialect = dialects[wish.dialect ?? ownDialect]
      const reading = { catalogue, dialect, publicUrl }
      const shown = { title: operation.summary, here: id }
      if (!isSandbox || !canBeTried(operation))
        return page({ ...shown, content: operationPage(operation, reading, undefined) }, wish)
      const person = personOf(operation, wish)
      const needsToken = operation.scopes !== undefined
      const token = needsToken ? await tokenOf(operations.route('createAccessToken'), person.client, transact) : ''
      const attempt = await firstAttempt(operation, { operations, db, person, token, dialect })
      const form = tryForm(operation, { attempt, person: person.client, search: searchOf(wish) })
      const told = { ...reading, ...(needsToken && token && { authorization: attempt.authorization }) }
      return page({ ...shown, content: operationPage(operation, told, form) }, wish)
    },
    async tried(id: string, wish: Wish, { typed, files, address, host, part }: Tried): Promise<Answer> {
      const operation = operationOf(id)
      if (!canBeTried(operation)) throw notFound('The operation')
      const value = (name: string) => typed[`parameter.${name}`] ?? ''
      const given = operation.parameters.filter(({ name, in: place }) => place !== 'header' && value(name) !== '')
      const of = (place: string) =>
        Object.fromEntries(given.filter((one) => one.in === place).map(({ name }) => [name, value(name)]))
      const { body = '', authorization = '' } = typed
      const payload = payloadOf(operation, body, files)
      const answer = await parts.inner.call(parts.server(), undefined, {
        route: operation.route,
        address,
        params: of('path'),
        query: of('query'),
        ...(payload && { payload }),
        headers: {
          host,
          accept: 'application/json, */*;q=0.1',
          ...(authorization !== '' && { authorization: authorization.replace(/[\r\n]/g, ' ') }),
        },
      })
      const debugId = String(answer.headers[service.dialect.debugIdHeader.toLowerCase()])
      const shown = outcome(answer, debugId)
      if (part) return partAnswer(shown.text)
      const attempt = {
        authorization,
        body,
        parameters: Object.fromEntries(given.map(({ name }) => [name, value(name)])),
      }
      const form = tryForm(operation, { attempt, person: '', search: searchOf(wish) })
      return page({ title: operation.summary, content: outcomePage(operation, shown, form), here: id }, wish)
    },
  }
}
