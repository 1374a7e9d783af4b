import { describe, expect, it } from 'vitest'
import { disputePhrases } from '../../src/payer/words/dispute-mail.ts'
import { caseWords, words } from '../../src/payer/words/index.ts'
import { languages } from '../../src/payer/words/languages.ts'
import { mailPhrases } from '../../src/payer/words/mail.ts'
import { merchantPhrases } from '../../src/payer/words/merchant-mail.ts'

const catalogues = { words, caseWords, mailPhrases, merchantPhrases, disputePhrases }

/** Every text of a catalogue by the path to it. */
const textsOf = (catalogue: object, path = ''): [path: string, text: string][] =>
  Object.entries(catalogue).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : textsOf(value as object, `${path}${key}.`),
  )
const valuesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()

describe.each(Object.entries(catalogues))('The catalogue %s', (_, catalogue) => {
  const english = new Map(textsOf(catalogue.en))

  it('is there in every language', () => {
    expect(Object.keys(catalogue).sort()).toEqual([...languages].sort())
  })

  it.each(languages)('has every text, with the same values to fill in: %s', (language) => {
    const texts = new Map(textsOf(catalogue[language]))

    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort())
    for (const [path, text] of texts) {
      expect(text.trim(), path).not.toBe('')
      expect(valuesIn(text), path).toEqual(valuesIn(english.get(path)!))
    }
  })
})
