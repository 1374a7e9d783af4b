import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
}

const SHOWN = 40

/** What the service spent its time on: the share of the token check, and the functions that took most themselves. */
export function printProfile(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  if (files.length === 0) return 'No profile was written.\n'
  const profile = JSON.parse(readFileSync(join(folder, files[0]!), 'utf8')) as CpuProfile
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const hits = new Map<number, number>()
  for (const sample of profile.samples) hits.set(sample, (hits.get(sample) ?? 0) + 1)

  const self = new Map<string, number>()
  const inclusive = new Map<string, number>()
  let busy = 0
  /** Counts a sample once for each function on its stack, however often it stands there. */
  const walk = (id: number, above: ReadonlySet<string>): void => {
    const { callFrame, children = [] } = nodes.get(id)!
    const { functionName, url, lineNumber } = callFrame
    if (functionName === '(idle)' || functionName === '(program)') return
    const name = `${functionName || '(anonymous)'} ${shortened(url)}:${lineNumber + 1}`
    const count = hits.get(id) ?? 0
    const stack = new Set(above).add(name)
    busy += count
    self.set(name, (self.get(name) ?? 0) + count)
    for (const each of stack) inclusive.set(each, (inclusive.get(each) ?? 0) + count)
    for (const child of children) walk(child, stack)
  }
  walk(profile.nodes[0]!.id, new Set())
  const within = (start: string) => [...inclusive].find(([name]) => name.startsWith(start))?.[1] ?? 0

  const line = ([name, count]: readonly [string, number]) =>
    `${((count / busy) * 100).toFixed(1).padStart(5)} %  ${name}`
  const most = (counts: ReadonlyMap<string, number>, is: (name: string) => boolean) =>
    [...counts]
      .filter(([name]) => is(name))
      .sort((a, b) => b[1] - a[1])
      .slice(0, SHOWN)
      .map(line)
      .join('\n')
  return `Of the time the service was busy (${busy} samples):
${line(['the token check with all it calls', within('authenticate dist/')])}

Our functions, with all they call until they first wait:
${most(inclusive, (name) => name.includes(' dist/'))}

All functions, without what they call:
${most(self, () => true)}
`
}

const shortened = (url: string) => url.replace(/^.*\/(node_modules|dist)\//, '$1/').replace(/^node_modules\//, '')
