import { parseCookie } from 'cookie'

/** The value of one of the cookies that a browser sent. */
export const cookieOf = (cookies: string | undefined, name: string): string | undefined =>
  cookies === undefined ? undefined : parseCookie(cookies)[name]
