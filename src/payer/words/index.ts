import { de } from './de.ts'
import { en, type Words } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { Language } from './languages.ts'

export const words: Readonly<Record<Language, Words>> = { en, de, fr, es, ja }

/** Says a phrase in the reader's language: say('dueOn', { date }). */
export type Say = (phrase: keyof Words, values?: Readonly<Record<string, string>>) => string

export const sayIn =
  (language: Language): Say =>
  (phrase, values = {}) =>
    words[language][phrase].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

export type { Words }
