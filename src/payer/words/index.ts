import { de, deCase } from './de.ts'
import { type CaseWords, en, enCase, type Words } from './en.ts'
import { es, esCase } from './es.ts'
import { fr, frCase } from './fr.ts'
import { ja, jaCase } from './ja.ts'
import type { Language } from './languages.ts'

export const words: Readonly<Record<Language, Words>> = { en, de, fr, es, ja }
export const caseWords: Readonly<Record<Language, CaseWords>> = {
  en: enCase,
  de: deCase,
  fr: frCase,
  es: esCase,
  ja: jaCase,
}

type Values = Readonly<Record<string, string>>

/** A phrase with its values filled in. Places without a value become empty. */
export const fill = (phrase: string, values: Values) =>
  phrase.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

/** Says a phrase in the reader's language: say('dueOn', { date }). */
export type Say<Phrases = Words> = (phrase: keyof Phrases, values?: Values) => string
export type SayCase = Say<CaseWords>

const saying =
  <Phrases extends Readonly<Record<keyof Phrases, string>>>(of: Readonly<Record<Language, Phrases>>) =>
  (language: Language): Say<Phrases> =>
  (phrase, values = {}) =>
    fill(of[language][phrase], values)

export const sayIn = saying(words)
export const sayCaseIn = saying(caseWords)

export type { CaseWords, Words }
