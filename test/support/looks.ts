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

/** What is lower than a pointer hits, 24 pixels, or a finger, 40; also in what unfolds above the page. A row that is a link is hit anywhere. */
const low = `[null, ...document.querySelectorAll('[popover]')].flatMap((above) => {
  above?.showPopover()
  const isTouched = matchMedia('(pointer: coarse), (max-width: 40rem)').matches
  const isInLine = (one) => getComputedStyle(one).display === 'inline' &&
    (!isTouched || [...one.parentElement.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''))
  const found = [...(above ?? document).querySelectorAll('a, button, summary, select, textarea, input:not([type=hidden]), label:has(input)')]
    .filter((one) => one.checkVisibility() && !one.matches('.skip, label input') && !isInLine(one))
    .filter((one) => (one.matches('.open') ? one.closest('tr') : one).getBoundingClientRect().height < (isTouched ? 39.5 : 24))
  above?.hidePopover()
  return found
}).map((one) => (one.textContent.trim() || one.getAttribute('aria-label') || one.name || one.className).slice(0, 60))`

/** What is hard to press on a page that is open, as it stands, but for links in a sentence. */
export const hardToPress = async (page: Page): Promise<string[]> =>
  [...new Set((await page.evaluate(low)) as string[])].map((name) => `${name} is low`)

/** What keeps anybody from reading and using a page that is open, as it stands, in light and in dark. */
export const barriersOn = async (page: Page): Promise<string[]> => [
  ...(await hardToPress(page)),
  ...(await inBothSchemes(page, 'light', '')),
]

/** Buttons that are wider than what holds them lie over each other, and a name is cut; on a phone a long one has to be. */
const covered = `[...document.querySelectorAll(innerWidth < 768 ? '.actions > *' : '.actions > *, .account b')]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.trim())`

/** Where a row shows more or fewer cells than its table has headers, each is read out under the name of another. */
const unnamed = `[...document.querySelectorAll('table:has(thead)')].filter((one) => one.checkVisibility()).flatMap((table) => {
  const shown = (row) => [...row.cells].filter((cell) => getComputedStyle(cell).display !== 'none').length
  const names = shown(table.tHead.rows[0])
  const rows = [...table.tBodies[0].rows].filter((row) => !row.querySelector('[colspan]') && shown(row) !== names)
  return rows.slice(0, 1).map((row) => shown(row) + ' cells under ' + names + ' names: ' + row.textContent.trim().slice(0, 60))
})`

/** A column in which hardly a letter fits stands as a pole of letters, and in a field as narrow nobody sees what they type. */
const squeezed = `[...document.querySelectorAll('td, .find input')].filter((one) => one.checkVisibility()).filter((one) => {
  const { width } = one.getBoundingClientRect()
  return one.matches('input') ? width < 80 : one.textContent.trim().length > 8 && width < 40
}).map((one) => (one.textContent.trim() || one.getAttribute('aria-label')).slice(0, 60))`

/** A table that is wider than its sheet lies over what stands beside that. */
const overlying = `[...document.querySelectorAll('.sheet table')].filter((one) => one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().right > one.closest('.sheet').getBoundingClientRect().right + 1)
  .map((one) => one.textContent.trim().slice(0, 60))`

/** What does not fit into a window of this width. */
async function misfits(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 })
  const taken = Number(await page.evaluate('document.documentElement.scrollWidth'))
  const each = async (looked: string) => (await page.evaluate(looked)) as string[]
  return [
    ...(taken > width ? [`${taken} pixels wide at ${width}`] : []),
    ...(await each(covered)).map((name) => `${name} is covered at ${width}`),
    ...(await each(squeezed)).map((text) => `${text} is squeezed at ${width}`),
    ...(await each(overlying)).map((text) => `${text} lies over its sheet at ${width}`),
    ...(await each(unnamed)).map((row) => `${row} at ${width}`),
    ...(await hardToPress(page)).map((flaw) => `${flaw} at ${width}`),
  ]
}

/** The same on a wide window and on a narrow one, and where the page is wider than these or than one in between. */
export async function flawsOf(page: Page): Promise<string[]> {
  const flaws = await misfits(page, 1280)
  for (const [width, first] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    flaws.push(...(await misfits(page, width)))
    flaws.push(...(await inBothSchemes(page, first, ` at ${width}`)))
  }
  return flaws
}
