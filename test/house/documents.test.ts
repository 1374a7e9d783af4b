import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadRows } from '../../bench/harness/rows.ts'
import { commands } from '../../src/cli/commands/index.ts'
import { flagOf } from '../../src/config.ts'
import { settings } from '../../src/settings.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(`${root}/docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'lab/README.md',
  'bench/README.md',
  'bench/NOTES.md',
  'examples/shop/README.md',
]

/** Paths of our own files as documents write them: from the root, or from `src`. */
const pathsIn = (text: string) =>
  [...text.matchAll(/(?<![\w./:-])((?:[\w-]+\/)+[\w.-]+\.(?:ts|sql|md|json|mjs))\b/g)].map(([, path]) => path!)

const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '')

/** The anchors that a page of ours has where it is shown: its headings in small letters, with dashes for blanks. */
const anchorsIn = (text: string) =>
  [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** What stands behind the name of the program, up to where its words end. */
const typedIn = (text: string) =>
  [...text.matchAll(/(?:`|^|\$ |npx |= )quittance (?=[a-z])([^`\n#|]+)/gm)].map(([, words]) => words!.trim())

const shared = ['json', 'help', 'version', ...Object.values(settings).map(({ variable }) => flagOf(variable))]

/** The first words are a command, or with dots behind them some, and the flags are such as it takes. */
function isCommand(typed: string): boolean {
  const [words = '', ...flags] = typed.split(/(?<= )--/)
  const meant = commands.filter(({ name }) => `${words} `.startsWith(`${name} `))
  if (/^[a-z]+( …|$)/.test(words) && commands.some(({ name }) => name.startsWith(`${words.split(' ')[0]} `)))
    return true
  return meant.some(({ options = {} }) =>
    flags.every((flag) => [...shared, ...Object.keys(options)].includes(/^[a-z-]*/.exec(flag)![0])),
  )
}

describe('What the documents name', () => {
  for (const document of documents)
    it(`is where their links lead: ${document}`, () => {
      const links = [...prose(read(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
      const dead = links.filter((link) => {
        const [path, anchor] = link.split('#')
        const file = path ? posix.join(posix.dirname(document), path) : document
        return !existsSync(`${root}/${file}`) || (anchor !== undefined && !anchorsIn(read(file)).includes(anchor))
      })
      expect(dead).toEqual([])
    })

  for (const document of documents)
    it(`is there: ${document}`, () => {
      const from = document.includes('/') ? `${posix.dirname(document)}/` : ''
      const isThere = (path: string) => ['', 'src/', from].some((folder) => existsSync(`${root}/${folder}${path}`))
      expect(pathsIn(read(document)).filter((path) => !isThere(path))).toEqual([])
    })

  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
  for (const document of documents)
    it(`can be typed: ${document}`, () => {
      const run = [...read(document).matchAll(/\bnpm run (?:-s |--silent )?([\w:]+)/g)].map(([, name]) => name!)
      expect(run.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
      expect(typedIn(read(document)).filter((words) => !isCommand(words))).toEqual([])
    })

  it('has every room in the drawing of the house', () => {
    const drawing = read('ARCHITECTURE.md').split('```')[1]!
    const drawn = new Set([...drawing.matchAll(/([\w-]+)\//g)].map(([, name]) => name))
    const rooms = readdirSync(`${root}/src`, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory() && !entry.parentPath.endsWith('machine'))
      .map(({ name }) => name)
    expect([...new Set(rooms)].filter((name) => !drawn.has(name))).toEqual([])
  })
})

it('What the proof says is required and aimed at is what the bench goes by', async () => {
  const told = [...read('docs/proof.md').matchAll(/^\| ([a-z-]+) \|(?: [^|]* \|){8} +([\d.]*) +\| +([\d.]*) +\|/gm)]
  const rows = await loadRows()
  const numbers = ([, name, required, goal]: RegExpMatchArray) => [name, Number(required || 0), Number(goal || 0)]
  expect(told.map(numbers)).toEqual(
    told.map(([, name]) => {
      const { required = 0, goal = 0 } = rows.find((row) => row.name === name) ?? {}
      return [name, required, goal]
    }),
  )
  expect(told.map(([, name]) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

describe('The changelog', () => {
  const sections = ['When you upgrade', 'Security', 'New', 'Faster', 'Mended']
  const groups = [
    'Invoices',
    'Disputes',
    'Webhooks',
    'Payments and pages',
    'Sandbox and testing',
    'Console',
    'Command line',
    'Running it live',
    'Documents',
  ]
  const headings = (mark: string, text: string) =>
    [...text.matchAll(new RegExp(`^${mark} (.+)$`, 'gm'))].map(([, name]) => name!)

  it('has its sections, and their groups, in one order', () => {
    for (const version of read('CHANGELOG.md').split(/^## /m).slice(1)) {
      const found = headings('###', version)
      expect(found).toEqual(sections.filter((name) => found.includes(name)))
      for (const section of version.split(/^### /m).slice(1)) {
        const within = headings('####', section)
        expect(within).toEqual(groups.filter((name) => within.includes(name)))
      }
    }
  })

  it('has no more under one heading than somebody reads', () => {
    for (const part of read('CHANGELOG.md').split(/^##+ /m).slice(1))
      expect(part.match(/^- /gm)?.length ?? 0, part.split('\n')[0]).toBeLessThanOrEqual(40)
  })
})
