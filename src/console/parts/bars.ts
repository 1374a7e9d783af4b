import { type Content, type Html, html } from '../../http/html.ts'
import { sheet } from './parts.ts'

const WIDTH = 6
const HEIGHT = 48
/** The least height of a column, so that it can be seen however little there was. */
const LEAST = 1.5

/** What stands in a column: below what went well or came in, above what did not or went out. */
export type Column = readonly [below: number, above: number]

/** Columns that need neither scripts nor colour to be read: what is above stands apart. */
function bars(values: readonly Column[], label: string, above: 'bad' | 'out'): Html {
  const most = Math.max(1, ...values.map(([fine, bad]) => fine + bad))
  const tall = (n: number) => (n === 0 ? 0 : Math.max(LEAST, (n / most) * (HEIGHT - 4)))
  const column = (kind: string, i: number, from: number, height: number) =>
    height > 0 &&
    html`<rect class="${kind}" x="${i * WIDTH}" y="${(HEIGHT - from - height).toFixed(1)}" width="${WIDTH - 2}" height="${height.toFixed(1)}"/>`
  return html`<svg class="bars" viewBox="0 0 ${values.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${values.map(
    ([fine, bad], i) => {
      const below = tall(fine)
      return html`${column('fine', i, 0, below)}${column(above, i, below > 0 ? below + 1 : 0, tall(bad))}`
    },
  )}</svg>`
}

interface Chart {
  readonly title: string
  readonly columns: readonly Column[]
  /** All of it in a sentence, also for those who do not see the columns. */
  readonly said: string
  readonly from: Content
  readonly to: Content
  /** What stands above is trouble, unless this says that it is what went out. */
  readonly above?: 'bad' | 'out'
}

/** A span of time as columns, with what they add up to; nothing when nothing happened. */
export function chart({ title, columns, said, from, to, above = 'bad' }: Chart): Content {
  if (columns.every(([below, over]) => below + over === 0)) return undefined
  return sheet(
    title,
    html`${bars(columns, `${title}: ${said}`, above)}<p class="axis"><span>${from}</span><span>${to}</span></p>`,
    { aside: html`<span class="soft">${said}</span>`, className: 'charted' },
  )
}
