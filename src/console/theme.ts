import { cookieOf } from '../http/cookies.ts'
import { isTheme, type Theme } from './frame.ts'

const COOKIE = 'console-theme'
const YEAR_SECONDS = 365 * 86_400

/** What somebody chose in this browser. When they chose nothing, it is as the system says. */
export const themeIn = ({ cookie }: { readonly cookie?: unknown }): Theme => {
  const chosen = cookieOf(cookie as string | undefined, COOKIE)
  return isTheme(chosen) ? chosen : 'system'
}

export const themeCookie = (chosen: string | undefined): string =>
  `${COOKIE}=${isTheme(chosen) ? chosen : 'system'}; Path=/console; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`
