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
  let busy = 0
  for (const { id, callFrame } of profile.nodes) {
    const count = hits.get(id) ?? 0
    if (callFrame.functionName === '(idle)' || callFrame.functionName === '(program)') continue
    busy += count
    const name = `${callFrame.functionName || '(anonymous)'} ${shortened(callFrame.url)}:${callFrame.lineNumber + 1}`
    self.set(name, (self.get(name) ?? 0) + count)
  }
  const total = (id: number): number =>
    (hits.get(id) ?? 0) + (nodes.get(id)?.children ?? []).reduce((sum, child) => sum + total(child), 0)
  const within = (isRoot: (url: string, name: string) => boolean): number => {
    const search = (id: number): number => {
      const node = nodes.get(id)!
      if (isRoot(node.callFrame.url, node.callFrame.functionName)) return total(id)
      return (node.children ?? []).reduce((sum, child) => sum + search(child), 0)
    }
    return search(profile.nodes[0]!.id) / busy
  }

  const percent = (share: number) => `${(share * 100).toFixed(1).padStart(5)} %`
  const top = [...self].sort((a, b) => b[1] - a[1]).slice(0, SHOWN)
  return `Of the time the service was busy (${busy} samples):
${percent(within((url, name) => url.endsWith('/accounts/authenticate.js') && name === 'authenticate'))}  the token check with all it calls

By function, without what it calls:
${top.map(([name, count]) => `${percent(count / busy)}  ${name}`).join('\n')}
`
}

const shortened = (url: string) => url.replace(/^.*\/(node_modules|dist)\//, '$1/').replace(/^node_modules\//, '')
