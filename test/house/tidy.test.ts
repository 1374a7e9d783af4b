import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const LINES_MAX = 300

/** Who may import whom, beside itself. `config`, `room` and `version` at the root are for everyone. */
const arrows: Record<string, readonly string[]> = {
  kernel: [],
  // What users install beside the service; it shares nothing with it.
  client: [],
  outbound: ['kernel'],
  database: ['kernel'],
  jobs: ['kernel', 'database'],
  http: ['kernel', 'database'],
  accounts: ['kernel', 'database', 'jobs', 'http'],
  audit: ['kernel', 'database', 'jobs', 'http', 'accounts'],
  invariants: ['kernel', 'database', 'jobs', 'disputes', 'invoices'],
  moves: ['kernel', 'database'],
  cells: ['kernel', 'database', 'http', 'accounts'],
  people: ['kernel', 'database', 'accounts', 'http', 'invoices'],
  backup: ['kernel', 'database', 'invariants', 'webhooks'],
  ledger: ['kernel', 'database', 'jobs', 'http', 'accounts'],
  invoices: ['kernel', 'database', 'jobs', 'http', 'accounts', 'ledger'],
  disputes: ['kernel', 'database', 'jobs', 'http', 'accounts', 'ledger'],
  webhooks: ['kernel', 'database', 'jobs', 'http', 'accounts', 'ledger', 'outbound'],
  scenarios: ['kernel', 'http', 'outbound'],
  payer: ['kernel', 'database', 'jobs', 'http', 'accounts', 'ledger', 'outbound', 'invoices', 'disputes'],
}
const forEveryone = ['config', 'room', 'version']

/**
 * Folders that only think: they decide from what they are handed and reach nothing. What they may import beside
 * themselves; the check of a value against its schema is as pure as they are.
 */
const pure: Record<string, readonly string[]> = {
  'disputes/machine/': ['kernel/', 'disputes/schema/', 'http/validation/'],
  'webhooks/dispatch/': ['kernel/', 'webhooks/schema.ts'],
  'invoices/sums/': ['kernel/', 'invoices/schema/'],
}

const banned: [pattern: RegExp, instead: string, except?: RegExp][] = [
  [/\bDate\.now\(|new Date\(\)/, 'tx.now or the clock', /(kernel\/clock|client\/webhooks)\.ts$/],
  [/randomUUID\(/, 'tx.newId or the ids'],
  [/Math\.random\(/, 'tx.newId or the ids', /database\/(retry|migrate)\.ts$|webhooks\//],
  [/: any\b|as any\b|<any>/, 'a real type'],
  [/@ts-ignore|@ts-nocheck/, 'a real type'],
  [/FIXME|TODO|console\.log/, 'nothing: finish it before merging'],
  [
    /\bfetch\(|from 'node:https?'|from 'axios'/,
    'src/outbound',
    /src\/(outbound|client|testing|http\/plain-response)\b|import type/,
  ],
  [/from 'undici'|import\('undici'\)/, 'src/outbound/http.ts', /src\/outbound\/http\.ts$/],
  [/from 'typebox/, 'kernel/type.ts: the library takes long to load', /kernel\/type\.ts$/],
  [/export default/, 'a named export'],
  [/^enum |export enum /m, 'a union of literals'],
]

const root = fileURLToPath(new URL('../../src', import.meta.url))
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const room = (path: string) => path.split('/')[0]!.replace(/\.tsx?$/, '')
const lines = (text: string) => text.split('\n').length
const targets = ({ path, text }: { path: string; text: string }) =>
  [...text.matchAll(/(?:from|import|import\() ?'(\.\.?\/[^']+)'/g)].map(([, target]) =>
    posix.join(posix.dirname(path), target!),
  )

/** Scenarios that look into a table, and why no operation and no command can tell. */
const readTables: Record<string, string> = {
  'accounts/access.test.ts': 'a secret is nowhere in what is kept; a commit is held up between two statements',
  'cells/across.test.ts': 'a subscription that an earlier database of a cell made is no operation of ours',
  'command-line/backup.test.ts': 'a database that holds something else is made',
  'console/desk.test.ts': 'books of more than two pages are put there',
  'console/invoices.test.ts': 'the job of a bulk is lost; a thousand invoices are copied in the database',
  'console/operator.test.ts': 'jobs that failed for good are put there',
  'console/people.test.ts': 'more people than a page shows are put there',
  'console/zones.test.ts': 'movements on both sides of a midnight are put there',
  'disputes/compensation.test.ts': 'what the service spends stands in its own book alone',
  'disputes/money.test.ts': 'the books of a merchant, of which reporting shows the balance and what is withheld',
  'invoices/list.test.ts': 'a thousand invoices are copied in the database',
  'payer/gateway.test.ts': 'the clock of a live service cannot be moved, so jobs are; why one failed',
  'payer/logo.test.ts': 'which copies of logos are kept; that no job is left',
  'payer/mail.test.ts': 'why a job failed that will be tried again',
  'sandbox/requests.test.ts': 'what is masked is masked before it is kept',
  'sandbox/worlds.test.ts': 'a role that may do less is made',
  'webhooks/metrics.test.ts': 'a delivery is made late',
  'webhooks/subscriptions.test.ts': 'a secret is nowhere in what is kept',
}

describe('Scenarios', () => {
  it('ask what a user can ask, and read no table but for a reason', () => {
    const folder = fileURLToPath(new URL('../scenarios', import.meta.url))
    const readers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.test.ts'))
      .filter((path) => /database\.(query|rows?)\b|admin\.query/.test(readFileSync(join(folder, path), 'utf8')))
    expect(readers.toSorted()).toEqual(Object.keys(readTables))
  })
})

describe('The house is tidy', () => {
  for (const { path, text } of files)
    it(path, () => {
      // A table that is printed is as long as what it prints.
      if (path !== 'client/api.ts')
        expect(lines(text), `longer than ${LINES_MAX} lines: is it one thing?`).toBeLessThanOrEqual(LINES_MAX)
      for (const [pattern, instead, except] of banned) {
        const offending = text.split('\n').filter((line) => pattern.test(line) && !/^import type/.test(line))
        if (!except?.test(`src/${path}`)) expect(offending, `use ${instead}`).toEqual([])
      }
      const allowed = arrows[room(path)]
      if (!allowed) return
      for (const target of targets({ path, text })) {
        const to = room(target)
        const isFine = to === room(path) || allowed.includes(to) || forEveryone.includes(to)
        expect(isFine, `${room(path)} may not import ${to} (${target})`).toBe(true)
      }
    })

  for (const [folder, allowed] of Object.entries(pure))
    it(`${folder} is pure`, () => {
      const within = files.filter(({ path }) => path.startsWith(folder))
      expect(within).not.toEqual([])
      for (const file of within)
        expect(
          targets(file).filter((target) => ![folder, ...allowed].some((place) => target.startsWith(place))),
          `${file.path} reaches out of its folder`,
        ).toEqual([])
    })

  it('goes in no circles, not even of types', () => {
    const imports = new Map(files.map((file) => [file.path, targets(file)]))
    const done = new Set<string>()
    const circleFrom = (path: string, way: readonly string[]): readonly string[] | undefined => {
      if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
      if (done.has(path)) return undefined
      for (const target of imports.get(path) ?? []) {
        const circle = circleFrom(target, [...way, path])
        if (circle) return circle
      }
      done.add(path)
      return undefined
    }
    expect(files.map(({ path }) => circleFrom(path, [])).find((circle) => circle !== undefined)).toBeUndefined()
  })

  it('lets rooms hand in their settings, and nobody fetch them', () => {
    const importsOf = (path: string) => targets(files.find((file) => file.path === path)!)
    const ofRooms = files.map(({ path }) => path).filter((path) => /^[\w-]+\/settings\.ts$/.test(path))
    const isKernel = (target: string) => target.startsWith('kernel/')

    expect(importsOf('config.ts').filter((target) => !isKernel(target))).toEqual([])
    for (const path of ofRooms)
      expect(importsOf(path).filter((target) => target !== 'config.ts' && !isKernel(target))).toEqual([])
    const gathered = importsOf('settings.ts').filter((target) => target !== 'config.ts' && !isKernel(target))
    expect(gathered.toSorted()).toEqual(ofRooms.toSorted())
  })

  it('has every room in the table of arrows', () => {
    const wired = [
      'app',
      'clocks',
      'foundation',
      'index',
      'kept-code',
      'main',
      'metrics',
      'readiness',
      'rooms',
      'settings',
      'compatibility',
      'printed',
      'printed-client',
      'reference',
      'cli',
      'console',
      'routes',
      'sandbox',
      'testing',
      'wiring',
      ...forEveryone,
    ]
    const unknown = [...new Set(files.map(({ path }) => room(path)))].filter(
      (name) => !(name in arrows) && !wired.includes(name),
    )
    expect(unknown).toEqual([])
  })
})
