import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: { readonly target: string[]; readonly failureSummary: string }[]
}

type Scheme = 'light' | 'dark'

/** The rules of axe that see colours. Between light and dark a page of ours differs in nothing else. */
const colours = ['color-contrast', 'link-in-text-block']

async function violations(page: Page, runOnly?: readonly string[]): Promise<Violation[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  return (await page.evaluate(`axe.run(${options}).then(({ violations }) => violations)`)) as Violation[]
}

const worded = (found: readonly Violation[], where: string) =>
  found.map(({ id, impact, nodes }) =>
    `${where}: ${id} (${impact}): ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`.slice(
      0,
      600,
    ),
  )

/** What axe finds on a page in light and in dark. Loaded once: what has no colour is looked for in one of them. */
async function inBothSchemes(page: Page, first: Scheme, where: string): Promise<string[]> {
  const second = first === 'light' ? 'dark' : 'light'
  await page.emulateMedia({ colorScheme: first })
  const found = worded(await violations(page), `${first}${where}`)
  await page.emulateMedia({ colorScheme: second })
  return [...found, ...worded(await violations(page, colours), `${second}${where}`)]
}

/** What keeps anybody from reading a page that is open, as it stands, in light and in dark. */
export const barriersOn = (page: Page): Promise<string[]> => inBothSchemes(page, 'light', '')

/** Buttons that are wider than what holds them lie over each other. */
const covered = `[...document.querySelectorAll('.actions > *')]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.trim())`

/** Where a row shows more or fewer cells than its table has headers, each is read out under the name of another. */
const unnamed = `[...document.querySelectorAll('table:has(thead)')].filter((one) => one.checkVisibility()).flatMap((table) => {
  const shown = (row) => [...row.cells].filter((cell) => getComputedStyle(cell).display !== 'none').length
  const names = shown(table.tHead.rows[0])
  const rows = [...table.tBodies[0].rows].filter((row) => !row.querySelector('[colspan]') && shown(row) !== names)
  return rows.slice(0, 1).map((row) => shown(row) + ' cells under ' + names + ' names: ' + row.textContent.trim().slice(0, 60))
})`

/** The same on a wide window and on a narrow one, and where the page is wider than either. */
export async function flawsOf(page: Page): Promise<string[]> {
  const flaws: string[] = []
  for (const [width, first] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    const taken = Number(await page.evaluate('document.documentElement.scrollWidth'))
    if (taken > width) flaws.push(`${taken} pixels wide at ${width}`)
    for (const name of (await page.evaluate(covered)) as string[]) flaws.push(`${name} is covered at ${width}`)
    for (const row of (await page.evaluate(unnamed)) as string[]) flaws.push(`${row} at ${width}`)
    flaws.push(...(await inBothSchemes(page, first, ` at ${width}`)))
  }
  return flaws
}
