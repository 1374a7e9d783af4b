import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProcessorShare } from '../../src/http/limits/processor-share.ts'

const MS_PER_SECOND = 100

describe('A share of the processor', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('keeps nobody for more than five seconds, whatever a single call took', async () => {
    const share = new ProcessorShare()
    const first = await share.take('large', MS_PER_SECOND)
    first.worked.spent(60_000)
    first.end()
    // Somebody else is at work all the time.
    await share.take('other', MS_PER_SECOND)
    let isServed = false
    void Promise.resolve(share.take('large', MS_PER_SECOND)).then(() => {
      isServed = true
    })

    await vi.advanceTimersByTimeAsync(4_900)
    expect(isServed).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    expect(isServed).toBe(true)
  })
})
