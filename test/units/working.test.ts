import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { answerTo, letOthersIn, workFor } from '../../src/kernel/working.ts'

const counting = () => ({
  times: 0,
  spent() {
    this.times++
  },
})

describe('Work', () => {
  it('is counted for whom it is done until the event loop turns, and again from an answer on', async () => {
    const [first, second] = [counting(), counting()]
    let answer = () => {}
    const ask = async () => {
      workFor(first)
      await answerTo<number>((answered) => {
        answer = () => answered(undefined, 1)
      })
      await Promise.resolve()
    }
    const done = ask()
    await turn()
    expect(first.times).toBe(1)

    workFor(second)
    await turn()
    await turn()
    expect([first.times, second.times]).toEqual([1, 1])

    answer()
    await done
    await turn()
    expect([first.times, second.times]).toEqual([2, 1])
  })

  it('that goes on with an answer from outside is counted whole', async () => {
    const timing = () => ({
      ms: 0,
      spent(ms: number) {
        this.ms += ms
      },
    })
    const [atOnce, later] = [timing(), timing()]
    const busy = (ms: number) => {
      for (const until = performance.now() + ms; performance.now() < until; );
    }
    workFor(atOnce)
    busy(20)
    await turn()
    const ask = async () => {
      workFor(later)
      await answerTo<number>((answered) => setImmediate(() => answered(undefined, 1)))
      busy(20)
    }
    await ask()
    await turn()

    // How much of the time is ours depends on the machine, and is the same for both.
    expect(later.ms / atOnce.ms).toBeGreaterThan(0.5)
  })

  it('in parts lets others in between them, and goes on for the same', async () => {
    const [first, second] = [counting(), counting()]
    const order: string[] = []
    const inParts = async () => {
      workFor(first)
      order.push('first')
      await letOthersIn()
      order.push('first again')
    }
    const done = inParts()
    process.nextTick(() => {
      workFor(second)
      order.push('second')
    })
    await done
    await turn()

    expect(order).toEqual(['first', 'second', 'first again'])
    expect([first.times, second.times]).toEqual([2, 1])
  })

  it('of one is not that of another who follows in the same turn', async () => {
    const [first, second] = [counting(), counting()]
    workFor(first)
    workFor(second)
    workFor(first)
    await turn()

    expect([first.times, second.times]).toEqual([2, 1])
  })
})
