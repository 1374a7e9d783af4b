import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Watch, type Watched } from '../../src/kernel/watch.ts'

interface Named extends Watched {
  readonly name: string
}

describe('A watch', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const item = (name: string): Named => ({ name, since: performance.now() })

  it('tells of each that is late, when it is, and of none that ended', async () => {
    const late: [name: string, at: number][] = []
    const began = performance.now()
    const watch = new Watch<Named>(100, ({ name }) => late.push([name, performance.now() - began]))
    const [a, b] = [item('a'), item('b')]
    watch.begin(a)
    watch.begin(b)
    await vi.advanceTimersByTimeAsync(50)
    watch.begin(item('c'))
    watch.end(b)

    await vi.advanceTimersByTimeAsync(49)
    expect(late).toEqual([])
    await vi.advanceTimersByTimeAsync(500)
    expect(late).toEqual([
      ['a', 100],
      ['c', 150],
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has one timer at most, also while those who are told begin something else', async () => {
    let told = 0
    const watch = new Watch<Named>(100, () => {
      if (++told < 50) for (const name of ['again', 'and again']) watch.begin(item(name))
    })
    watch.begin(item('first'))
    for (let i = 0; i < 20; i++) {
      await vi.advanceTimersByTimeAsync(100)
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
    }
    expect(told).toBeGreaterThan(50)
  })
})
