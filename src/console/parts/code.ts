import { type Content, type Html, html } from '../../http/html.ts'
import { icon } from './icons.ts'

interface CodeOptions {
  readonly label: string
  /** What is wrong, by the JSON pointer of the place. */
  readonly marks?: ReadonlyMap<string, string>
  readonly numbers?: boolean
}

/** JSON line by line, with what is wrong written where it is wrong, as a compiler would. */
export function json(value: unknown, { label, marks = new Map(), numbers = true }: CodeOptions): Html {
  const out: Html[] = []
  const pad = (depth: number) => '  '.repeat(depth)
  const put = (content: Content, pointer?: string, depth = 0) => {
    const wrong = pointer === undefined ? undefined : marks.get(pointer)
    out.push(html`<span class="line${wrong !== undefined && ' bad'}">${content}
</span>`)
    if (wrong !== undefined)
      out.push(
        html`<span class="why"><span class="seen-not">Problem: </span><span class="indent">${pad(depth)}</span>${wrong}</span>`,
      )
  }
  const walk = (node: unknown, depth: number, key: string | undefined, comma: string, pointer: string): void => {
    const name = key === undefined ? '' : html`<span class="jk">${JSON.stringify(key)}</span>: `
    if (node === null || typeof node !== 'object') {
      const kind = typeof node === 'string' ? 'js' : 'jn'
      put(html`${pad(depth)}${name}<span class="${kind}">${JSON.stringify(node)}</span>${comma}`, pointer, depth)
      return
    }
    const isList = Array.isArray(node)
    const entries = Object.entries(node)
    const [open, close] = isList ? ['[', ']'] : ['{', '}']
    if (entries.length === 0) {
      put(html`${pad(depth)}${name}${open}${close}${comma}`, pointer, depth)
      return
    }
    put(html`${pad(depth)}${name}${open}`, pointer, depth)
    entries.forEach(([k, v], i) => {
      const escaped = k.replaceAll('~', '~0').replaceAll('/', '~1')
      walk(v, depth + 1, isList ? undefined : k, i < entries.length - 1 ? ',' : '', `${pointer}/${escaped}`)
    })
    put(html`${pad(depth)}${close}${comma}`)
  }
  walk(value, 0, undefined, '', '')
  return region(label, numbers ? 'numbered' : '', out)
}

const region = (label: string, kind: string, content: Content): Html =>
  html`<pre class="code ${kind}" tabindex="0" role="region" aria-label="${label}"><code>${content}</code></pre>`

/** Text, shown as it is. */
export const plain = (text: string, label: string): Html => region(label, '', text)

/** Commands to copy, whose lines stay whole. */
export const program = (text: string, label: string): Html =>
  html`<div class="copied">${region(label, 'program', html`<span data-value>${text}</span>`)}<button class="copy" type="button" data-copy>${icon('copy')}<span class="seen-not">Copy: ${label}</span></button></div>`

export const headerList = (entries: readonly (readonly [name: string, value: string])[], label: string): Html =>
  html`<dl class="headers" aria-label="${label}">${entries.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`

/** A body as it was sent: shown as JSON when it is JSON, and as text otherwise. */
export function bodyOf(text: string, label: string, marks?: ReadonlyMap<string, string>): Html {
  try {
    return json(JSON.parse(text), { label, ...(marks && { marks }) })
  } catch {
    return plain(text, label)
  }
}
