import type { Account } from '../../accounts/schema.ts'

/** Languages the page, the mails and the PDF are printed in. */
export const languages = ['en', 'de', 'fr', 'es', 'ja'] as const
export type Language = (typeof languages)[number]

export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
}

/** A language that we have, and a tag for the formats of money and dates that go with it. */
export interface Locale {
  readonly language: Language
  /** As BCP 47 writes it: `de-AT`. */
  readonly tag: string
}

const isLanguage = (text: string): text is Language => languages.some((language) => language === text)

/**
 * The first wish that we can fulfil. A region is kept for its formats: `de-AT` is German with Austrian figures. Other parts
 * of a wish are dropped, and so is a region without formats of its own, because the memory for locales must not grow with
 * what is asked.
 */
export function chooseLocale(...wishes: readonly (string | undefined)[]): Locale {
  for (const wish of wishes) {
    if (wish === undefined || !/^[A-Za-z]{2}(-[A-Za-z0-9]{2,8}){0,3}$/.test(wish)) continue
    const language = wish.slice(0, 2).toLowerCase()
    if (isLanguage(language)) return { language, tag: tagOf(wish, language) }
  }
  return { language: 'en', tag: 'en-US' }
}

/** The language of a merchant or a person: the one they chose, or the one most people in their country speak. */
export function accountLocale({ language, country_code }: Pick<Account, 'language' | 'country_code'>): Locale {
  const region = country_code === 'C2' ? 'CN' : country_code
  const { language: spoken } = new Intl.Locale('und', { region }).maximize()
  return chooseLocale(language, `${spoken}-${region}`)
}

/** The languages that a browser asks for, best first. A language of quality 0 is one that its reader does not read. */
export function acceptedLanguages(header: string | undefined): string[] {
  return (header ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(/\s*;\s*q=/i)
      return { tag, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

/** Tags by language and region, of which there are at most a few thousand pairs. */
const locales = new Map<string, string>()

function tagOf(wish: string, language: Language): string {
  const region = /-([A-Z]{2}|[0-9]{3})(?:-|$)/.exec(wish.toUpperCase())?.[1]
  const tag = region === undefined ? language : `${language}-${region}`
  let locale = locales.get(tag)
  if (locale === undefined) {
    const known = new Intl.NumberFormat(tag).resolvedOptions().locale
    locale = known === 'en' ? 'en-US' : known
    locales.set(tag, locale)
  }
  return locale
}
