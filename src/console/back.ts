import type { Answer } from '../http/route.ts'
import type { Typed } from './forms/fields.ts'
import { seeOther } from './respond.ts'

/** The address of a page as it was asked for. When its query makes it too long, the query is left out. */
export function backTo(path: string, query: unknown = {}): string {
  const words = new URLSearchParams(query as Record<string, string>)
  const asked = words.size > 0 ? `${path}?${words}` : path
  return asked.length <= BACK_LENGTH_MAX ? asked : path
}

/** Leads to the ways in, which lead back to a page as it was asked for. */
export const toSignIn = (path: string, query?: unknown): Answer =>
  seeOther(`/console/sign-in?${new URLSearchParams({ back: backTo(path, query) })}`)

/** The longest address that can be gone back to. */
export const BACK_LENGTH_MAX = 500

/** The page to go back to. Only an address of the console is accepted; otherwise a form could lead to another site. */
export const backIn = (typed: Typed): string => {
  const { back = '/console' } = typed
  return /^\/console(?:[/?][\w\-./?=&%:+,~*]*)?$/.test(back) ? back : '/console'
}
