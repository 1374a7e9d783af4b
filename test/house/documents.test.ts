import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

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

describe('What the documents name', () => {
  for (const document of [...documents, 'examples/shop/README.md', 'lab/README.md'])
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
      const from = document.startsWith('docs/') ? 'docs/' : ''
      const isThere = (path: string) => ['', 'src/', from].some((folder) => existsSync(`${root}/${folder}${path}`))
      expect(pathsIn(read(document)).filter((path) => !isThere(path))).toEqual([])
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
