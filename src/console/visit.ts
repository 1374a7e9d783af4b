import type { Reader, Transact } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import { RateLimit } from '../http/limits/rate-limit.ts'
import { Answer, type AnyRoute, type FreeParts, route } from '../http/route.ts'
import type { Instant } from '../kernel/clock.ts'
import type { Money } from '../kernel/money.ts'
import { forbidden } from '../kernel/problem.ts'
import { type Static, type TSchema, Type } from '../kernel/type.ts'
import type { Service } from '../room.ts'
import { type Access, declare, isOwnMatter, mayOf, requireMay } from './access.ts'
import { addressOf, PageUrls } from './addresses.ts'
import { backTo, toSignIn } from './back.ts'
import { type Typed, withPlainBreaks } from './forms/fields.ts'
import { type Drawn, frame, type Surroundings } from './frame.ts'
import { isOfSecondClick } from './once.ts'
import type { Asked, Operations, Ordered, Outcome, Refusal } from './operate.ts'
import { isOwnOrigin } from './own-origin.ts'
import { type Times, timesIn } from './parts/time.ts'
import { makeRefusal } from './refusal.ts'
import { noticeCookie, noticeGone, noticeIn, pageAnswer, seeOther } from './respond.ts'
import { confirmAnswer, confirmPerson, type Held, sendAnswer, signedOutAnswer } from './sign-in/confirm.ts'
import { isTokenOf, PLACE_FIELD, placeOf, TOKEN_FIELD, tokenFor, withTokens } from './sign-in/form-tokens.ts'
import type { Arrived } from './sign-in/onlooker.ts'
import { PASSKEY_FIELD } from './sign-in/passkey-form.ts'
import { themeIn } from './theme.ts'
import type { Onlooker, SignedIn } from './who.ts'

export const tag = 'Console'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Somebody at a page: who looks, at what, and what they may ask for. */
export interface Visit<Params extends TSchema = TSchema, Query extends TSchema = TSchema> {
  readonly who: Onlooker
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly headers: Headers
  /** The address that the visit came from. */
  readonly address: string
  readonly db: Reader
  readonly now: string
  readonly times: Times
  look<Body>(operation: string, asked?: Asked): Promise<Body>
  operate(operation: string, ordered?: Omit<Ordered, 'address'>): Promise<Outcome>
  /** For operations that ask for no token. */
  operateOpenly(operation: string, ordered?: Omit<Ordered, 'address'>): Promise<Outcome>
  /** Does a unit of work in the name of the onlooker, for what no operation does. The audit log names them. */
  readonly change: Transact
  /** What is different when the webhooks of another app of the account are looked at. */
  byWayOf(appId: string): Pick<Visit, 'who' | 'look' | 'operate' | 'change'>
  /** Refuses somebody who asks for all of something again and again. */
  limitAsking(): void
}

/** A form that was sent. */
export interface Sent<Params extends TSchema = TSchema> extends Visit<Params> {
  readonly typed: Typed
  readonly files: readonly UploadedFile[]
  /** Leads to a page, with a sentence that the page says first. */
  lead(to: string, notice?: string): Answer
  /** The same when what was asked for was not done; the sentence looks like a refusal. */
  turnBack(to: string, why: string): Answer
  /** Draws the page again, with a form as it was left. */
  again(drawn: Drawn): Promise<Answer>
}

export interface ConsoleParts {
  readonly service: Service
  readonly operations: Operations
  now(): Instant
  /** The time that sign-ins and forms live on. */
  realNow(): Instant
  /** Tells who looks; undefined for somebody who must sign in first. */
  onlooker(db: Reader, arrived: Arrived): Promise<Onlooker | undefined>
  surroundings(
    db: Reader,
    who: Onlooker,
  ): Promise<Pick<Surroundings, 'timepiece' | 'waiting' | 'unread' | 'failing' | 'parked' | 'faults'>>
}

const shared = {
  tag,
  scopes: 'public',
  reads: 'free',
  // Looking does not count as something that happens; what a form does is a request of its own.
  watches: true,
  produces: ['text/html', 'text/event-stream', '*/*'],
  success: { 200: Type.String() },
} as const

interface PageDefinition<Params extends TSchema, Query extends TSchema> extends Access {
  readonly url: string
  readonly operation: string
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  draw(visit: Visit<Params, Query>): Promise<Drawn | Answer>
}

/** A form that gives money away. Support may give only so much, and for anybody else giving more than that is grave. */
export interface Gift<Params extends TSchema> {
  amount(sent: Sent<Params>): Promise<Money | undefined>
  /** Draws the page again, with the form as it was left and why it was not taken. */
  refuse(sent: Sent<Params>, refusal: Refusal): Promise<Drawn>
}

interface FormDefinition<Params extends TSchema> extends Access {
  readonly url: string
  readonly operation: string
  readonly summary: string
  readonly params?: Params
  /** In live it asks for a passkey or single sign-on of the last five minutes. */
  readonly isGrave?: boolean
  readonly gives?: Gift<Params> | undefined
  /** What its page says to somebody who sent it a second time, when all was done already. */
  readonly twice?: string
  /** The address of that page, if it is not the page above the form's own address. */
  readonly twiceAt?: string
  take(sent: Sent<Params>): Promise<Answer>
}

/** Where a page was drawn, and the address that leads there again. */
type Place = Pick<Surroundings, 'path' | 'back'>

const FormBody = Type.Unsafe<Typed>({ type: 'object' })

/** How often the people of one account may ask for all of something within a minute. */
const ASKING_PER_MINUTE = 20

const DONE_ALREADY = 'It was done already; nothing was done twice.'

/** Pages and forms of the console, as routes like any other. */
export function makePages({ service, operations, now, realNow, onlooker, surroundings }: ConsoleParts) {
  const urls = new PageUrls()
  const refusal = makeRefusal(service, urls)
  const asking = new RateLimit(ASKING_PER_MINUTE, ASKING_PER_MINUTE)
  type Given = FreeParts & Arrived & { params: unknown; query: unknown }

  /** Lets in whoever may use a page or form; undefined for somebody who must sign in first. */
  async function visitOf(access: Access, given: Given): Promise<Visit | undefined> {
    const { db, params, query, headers, address } = given
    const who = await onlooker(db, given)
    if (!who) return undefined
    if (who.person) requireMay(who, mayOf(access))
    const time = now()
    const asked = { params: params as never, query: query as never, headers, address, db, now: time }
    const visit: Visit = {
      ...asked,
      ...waysOf(who, given),
      times: timesIn(who.zone, time),
      operateOpenly: (operation, ordered = {}) => operations.operate(undefined, operation, { ...ordered, address }),
      byWayOf: (appId) => waysOf({ ...who, caller: { ...who.caller, appId } }, given),
      limitAsking: () => void asking.take(who.caller.accountId),
    }
    return visit
  }

  /** What somebody can ask for, in their own name. */
  const waysOf = (
    who: Onlooker,
    { address, transactAs }: Given,
  ): Pick<Visit, 'who' | 'look' | 'operate' | 'change'> => ({
    who,
    look: (operation, asked) => operations.look(who.caller, operation, asked),
    operate: (operation, ordered = {}) => operations.operate(who.caller, operation, { ...ordered, address }),
    change: transactAs(who.caller),
  })

  async function framed({ db, who, headers }: Visit, { path, back }: Place, drawn: Drawn): Promise<Answer> {
    const notice = noticeIn(headers['cookie'] as string | undefined)
    const set = { path, back, notice, theme: themeIn(headers), name: service.settings.consoleName }
    const around = { ...(await surroundings(db, who)), who, ...set }
    const markup = tokened(who, path, frame(drawn, around))
    return pageAnswer(drawn.status ?? 200, markup, notice && noticeGone(notice))
  }

  /** What each form takes, by the pattern of its address. */
  const forms: { readonly address: RegExp; readonly access: Access }[] = []

  /** Only forms that the onlooker may send are drawn, each with a token. */
  function tokened({ person, may }: Onlooker, path: string, markup: string): string {
    if (!person) return markup
    const tokenOf = (action: string) => {
      const taken = forms.find(({ address }) => address.test(action.split('?', 1)[0]!))
      if (taken && !mayOf(taken.access).some(may)) return undefined
      return tokenFor(service.settings.secrets!, person.session, action, realNow())
    }
    return withTokens(markup, path, tokenOf, placeOf(person))
  }

  /**
   * A form changes nothing when its page was drawn for another login, for another purpose, too long ago or at another place: of
   * two tabs, one may have been left at the account where somebody worked before.
   */
  function isDrawnFor(person: SignedIn, access: Access, { path, typed }: Held): boolean {
    const token = typed[TOKEN_FIELD] ?? ''
    if (!isTokenOf(service.settings.secrets!, person.session, path, token, realNow())) return false
    return isOwnMatter(access) || typed[PLACE_FIELD] === placeOf(person)
  }

  /**
   * The answer that holds a form up which is not taken yet; undefined for one that is taken. What the form brought is kept,
   * unless it is something that people do about themselves.
   */
  function heldUp(access: Access, held: Held, who: Onlooker | undefined): Answer | undefined {
    if (!who) return isOwnMatter(access) ? toSignIn('/console') : signedOutAnswer(service, held)
    if (!who.person || isDrawnFor(who.person, access, held)) return undefined
    if (isOwnMatter(access))
      throw forbidden('This form was drawn for somebody else or too long ago. Load its page again.')
    return sendAnswer(service, held, { person: who.person, now: realNow() })
  }

  /** Asks once more who it is before something grave; undefined when there is nothing to ask. */
  async function askedAgain<Params extends TSchema>(
    { isGrave, gives }: FormDefinition<Params>,
    sent: Sent<Params>,
    held: Held,
  ): Promise<Answer | undefined> {
    const { person } = sent.who
    if (!person) return undefined
    const given = await gives?.amount(sent)
    const isMuch = given !== undefined && Number(given.value) > service.settings.consoleRefundLimit
    if (isMuch && person.role === 'support') {
      const message = `Support gives back ${service.settings.consoleRefundLimit} at most; ask an admin of the account.`
      const refusal = { name: 'NOT_AUTHORIZED', message, debug_id: '–' }
      return sent.again({ ...(await gives!.refuse(sent, refusal)), status: 403 })
    }
    if ((!isGrave && !isMuch) || person.isFresh) return undefined
    if (sent.typed[PASSKEY_FIELD]) return confirmPerson(service, sent, person, realNow())
    return confirmAnswer(service, held, { person, now: realNow() })
  }

  return {
    page<Params extends TSchema, Query extends TSchema>(definition: PageDefinition<Params, Query>): AnyRoute {
      const { draw, may: _, liveOnly: __, ...rest } = definition
      urls.add(rest.url)
      const made = route({
        ...shared,
        ...rest,
        method: 'GET',
        refusal,
        async handle(given) {
          const path = addressOf(rest.url, given.params)
          const visit = await visitOf(definition, { ...given, query: given.query ?? {} })
          if (!visit) return toSignIn(path, given.query)
          const drawn = await draw(visit as Visit<Params, Query>)
          return drawn instanceof Answer ? drawn : framed(visit, { path, back: backTo(path, given.query) }, drawn)
        },
      })
      return declare(definition, made)
    },
    form<Params extends TSchema>(definition: FormDefinition<Params>): AnyRoute {
      const { take, may: _, liveOnly: __, isGrave: ___, gives: ____, ...sendable } = definition
      const { twice = DONE_ALREADY, twiceAt, ...rest } = sendable
      const made = route({
        ...shared,
        ...rest,
        method: 'POST',
        accepts: ['multipart', 'application/x-www-form-urlencoded'],
        body: FormBody,
        prepare: (body) => body,
        refusal,
        async handle(given) {
          const { params, headers } = given
          const typed = withPlainBreaks(given.body)
          const path = addressOf(rest.url, params)
          // A page of somebody else's must not send a form of ours.
          if (!isOwnOrigin(headers, service)) throw forbidden('This form was sent from another page than ours.')
          const files = given.files.filter(({ fileName, bytes }) => fileName !== '' || bytes.length > 0)
          const back = addressOf(urls.of(rest.url), params)
          const held: Held = { path, typed, files, theme: themeIn(headers), what: rest.summary, back }
          const visit = await visitOf(definition, { ...given, query: {} })
          const waits = heldUp(definition, held, visit?.who)
          if (!visit || waits) return waits
          const sent: Sent<Params> = {
            ...(visit as Visit<Params>),
            typed,
            files,
            lead: (to, text) => seeOther(to, text === undefined ? undefined : noticeCookie({ tone: 'good', text })),
            turnBack: (to, text) => seeOther(to, noticeCookie({ tone: 'bad', text })),
            again: (drawn) => framed(visit, { path, back }, drawn),
          }
          try {
            return (await askedAgain(definition, sent, held)) ?? (await take(sent))
          } catch (error) {
            if (!(await isOfSecondClick(error, sent))) throw error
            return sent.lead(twiceAt ?? back, twice)
          }
        },
      })
      forms.push({ address: new RegExp(`^${rest.url.replace(/:\w+/g, '[^/]+')}$`), access: definition })
      return declare(definition, made)
    },
  }
}
export type Pages = ReturnType<typeof makePages>
