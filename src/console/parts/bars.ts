import { type Html, html } from '../../http/html.ts'

const WIDTH = 6
const HEIGHT = 48
/** However little there was, it can be seen. */
const LEAST = 1.5

/** Columns that need neither scripts nor colour to be read: what went well below, what did not above, apart. */
export function bars(values: readonly (readonly [fine: number, bad: number])[], label: string): Html {
  const most = Math.max(1, ...values.map(([fine, bad]) => fine + bad))
  const tall = (n: number) => (n === 0 ? 0 : Math.max(LEAST, (n / most) * (HEIGHT - 4)))
  const column = (kind: string, i: number, from: number, height: number) =>
    height > 0 &&
    html`<rect class="${kind}" x="${i * WIDTH}" y="${(HEIGHT - from - height).toFixed(1)}" width="${WIDTH - 2}" height="${height.toFixed(1)}"/>`
  return html`<svg class="bars" viewBox="0 0 ${values.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${values.map(
    ([fine, bad], i) => {
      const below = tall(fine)
      return html`${column('fine', i, 0, below)}${column('bad', i, below > 0 ? below + 1 : 0, tall(bad))}`
    },
  )}</svg>`
}
