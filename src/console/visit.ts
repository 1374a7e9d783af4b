import type { Reader, Transact } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import { html } from '../http/html.ts'
import { Answer, type AnyRoute, route } from '../http/route.ts'
import { forbidden, type Problem } from '../kernel/problem.ts'
import { type Static, type TSchema, Type } from '../kernel/type.ts'
import { isOwnOrigin } from '../payer/page/form-token.ts'
import type { Service } from '../room.ts'
import type { Typed } from './forms/fields.ts'
import { alone, type Drawn, frame, type Surroundings } from './frame.ts'
import type { Asked, Operations, Ordered, Outcome } from './operate.ts'
import { type Times, timesIn } from './parts/time.ts'
import { noticeCookie, noticeGone, noticeIn, noticeName, pageAnswer, seeOther } from './respond.ts'
import { cookieOf, type Onlooker } from './who.ts'

export const tag = 'Console'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Somebody at a page: who looks, at what, and what they may ask for. */
export interface Visit<Params extends TSchema = TSchema, Query extends TSchema = TSchema> {
  readonly who: Onlooker
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly headers: Headers
  readonly db: Reader
  readonly now: string
  readonly times: Times
  look<Body>(operation: string, asked?: Asked): Promise<Body>
  operate(operation: string, ordered?: Omit<Ordered, 'address'>): Promise<Outcome>
  /** For operations that ask for no token. */
  operateOpenly(operation: string, ordered?: Omit<Ordered, 'address'>): Promise<Outcome>
  /** A unit of work by whoever looks, for what no operation does. The audit log names them. */
  readonly change: Transact
}

/** A form that was sent. */
export interface Sent<Params extends TSchema = TSchema> extends Visit<Params> {
  readonly typed: Typed
  readonly files: readonly UploadedFile[]
  /** Where it came from. */
  readonly address: string
  /** To a page, with a sentence that it says first. */
  lead(to: string, notice?: string): Answer
  /** The page again, with a form as it was left. */
  again(drawn: Drawn): Promise<Answer>
}

export interface ConsoleParts {
  readonly service: Service
  readonly operations: Operations
  now(): string
  /** Who looks; refuses whoever may not. */
  onlooker(db: Reader, headers: Headers): Promise<Onlooker>
  surroundings(db: Reader, who: Onlooker): Promise<Pick<Surroundings, 'timepiece' | 'waiting'>>
}

const shared = {
  tag,
  scopes: 'public',
  reads: 'free',
  environment: 'sandbox',
  // Looking is not something that happens; what a form does is a request of its own.
  watches: true,
  produces: ['text/html', '*/*'],
  success: { 200: Type.String() },
} as const

interface PageDefinition<Params extends TSchema, Query extends TSchema> {
  readonly url: string
  readonly operation: string
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  draw(visit: Visit<Params, Query>): Promise<Drawn | Answer>
}

interface FormDefinition<Params extends TSchema> {
  readonly url: string
  readonly operation: string
  readonly summary: string
  readonly params?: Params
  take(sent: Sent<Params>): Promise<Answer>
}

const FormBody = Type.Unsafe<Typed>({ type: 'object' })

/** What is told of a refusal that has no form to stand beside. */
const refusals: Readonly<Record<number, readonly [title: string, text: string]>> = {
  403: ['Not for you', 'Whoever you look as may not see or do this.'],
  404: ['Nothing here', 'There is nothing at this address for whoever you look as.'],
  413: ['Too large', 'What was sent is larger than is taken.'],
  429: ['Too many requests', 'Wait a moment and load the page again.'],
  500: ['Something went wrong', 'It is our mistake, and it was logged.'],
  503: ['Not at the moment', 'The service is busy or starting; load the page again in a moment.'],
}

const refusal = ({ status, details, message }: Problem): Answer => {
  const [title, text] = refusals[status] ?? ['This cannot be done', message]
  return pageAnswer(
    status,
    alone(
      title,
      html`<div class="sheet"><h1>${title}</h1><p>${text}</p>${details.map(({ description }) => html`<p class="hint">${description}</p>`)}<p class="below"><a href="/console">Back to the console</a></p></div>`,
    ),
  )
}

/** Pages and forms of the console, as routes like any other. */
export function makePages({ service, operations, now, onlooker, surroundings }: ConsoleParts) {
  type Given = { params: unknown; query: unknown; headers: Headers; address: string; transact: Transact }
  async function visitOf(db: Reader, given: Given) {
    const { params, query, headers, address, transact: change } = given
    const who = await onlooker(db, headers)
    const time = now()
    const visit: Visit = {
      ...{ who, params: params as never, query: query as never, headers, db, now: time, change },
      times: timesIn(who.zone, time),
      look: (operation, asked) => operations.look(who.caller, operation, asked),
      operate: (operation, ordered = {}) => operations.operate(who.caller, operation, { ...ordered, address }),
      operateOpenly: (operation, ordered = {}) => operations.operate(undefined, operation, { ...ordered, address }),
    }
    return visit
  }

  async function framed({ db, who, headers }: Visit, path: string, drawn: Drawn): Promise<Answer> {
    const notice = noticeIn(cookieOf(headers['cookie'] as string | undefined, noticeName))
    const around = { ...(await surroundings(db, who)), who, path, notice }
    return pageAnswer(drawn.status ?? 200, frame(drawn, around), notice === undefined ? undefined : noticeGone)
  }

  /** The address of a page, from the url of its route. */
  const pathOf = (url: string, params: unknown) =>
    url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))

  return {
    page<Params extends TSchema, Query extends TSchema>(definition: PageDefinition<Params, Query>): AnyRoute {
      const { draw, ...rest } = definition
      return route({
        ...shared,
        ...rest,
        method: 'GET',
        refusal,
        async handle({ db, params, query, headers, address, transact }) {
          const visit = await visitOf(db, { params, query: query ?? {}, headers, address, transact })
          const drawn = await draw(visit as Visit<Params, Query>)
          return drawn instanceof Answer ? drawn : framed(visit, pathOf(rest.url, params), drawn)
        },
      })
    },
    form<Params extends TSchema>({ take, ...rest }: FormDefinition<Params>): AnyRoute {
      return route({
        ...shared,
        ...rest,
        method: 'POST',
        accepts: ['multipart', 'application/x-www-form-urlencoded'],
        body: FormBody,
        prepare: (body) => body,
        refusal,
        async handle({ db, params, body, files, headers, address, transact }) {
          // No page of somebody else's may send a form of ours.
          if (!isOwnOrigin(headers, service)) throw forbidden('This form was sent from another page than ours.')
          const visit = await visitOf(db, { params, query: {}, headers, address, transact })
          return take({
            ...(visit as Visit<Params>),
            typed: body,
            address,
            files: files.filter(({ fileName, bytes }) => fileName !== '' || bytes.length > 0),
            lead: (to, notice) => seeOther(to, notice === undefined ? undefined : noticeCookie(notice)),
            again: (drawn) => framed(visit, pathOf(rest.url, params), drawn),
          })
        },
      })
    },
  }
}
export type Pages = ReturnType<typeof makePages>

/** Only a place of the console is gone back to. */
export const backIn = (typed: Typed): string => {
  const { back = '/console' } = typed
  return /^\/console(?:[/?][\w\-./?=&%:+,~]*)?$/.test(back) ? back : '/console'
}
