/** Markup that is safe to send. Nothing else reaches a page unescaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

export type Content = Html | string | number | bigint | false | null | undefined | readonly Content[]

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => named[character]!)

/**
 * Markup with values in it: html`<p>${text}</p>`. Every value is escaped unless it is markup itself, so there is no way
 * to forget it; attributes must be quoted. `false`, `null` and `undefined` print nothing, arrays print their parts.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0]!
  for (let i = 0; i < values.length; i++) text += printed(values[i]) + strings[i + 1]!
  return new Html(text)
}

function printed(value: Content): string {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return value.map(printed).join('')
}

/** An address that a page may link to: only http or https, and nothing that could run as a script. */
export function linkable(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

/** Text with its line breaks kept. */
export const paragraphs = (text: string): Html[] =>
  text.split(/\r\n|\r|\n/).map((line, i) => html`${i > 0 && html`<br>`}${line}`)
