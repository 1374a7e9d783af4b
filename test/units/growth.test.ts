import { describe, expect, it } from 'vitest'
import { growthOf, limits, type Sample } from '../../lab/harness/growth.ts'

const flat = {
  heapMb: 50,
  buffersMb: 30,
  memoryMb: 180,
  printingMb: 90,
  descriptors: 50,
  connections: 16,
  queueMb: 0.3,
  queueIndexMb: 0.3,
}

/** An hour with a sample a third of a minute, in which each is what it is given to be. */
const hour = (more: (minute: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 180 }, (_, i) => {
    const minute = (i + 1) / 3
    const sales = Math.round(minute * 60)
    return { minute, sales, ...flat, tablesKb: sales * 25, indexesKb: sales * 12, ...more(minute) }
  })
const above = (more: (minute: number) => Partial<Sample>) =>
  growthOf(hour(more))
    .filter(({ isBounded }) => !isBounded)
    .map(({ key }) => key)

describe('What grew in a soak', () => {
  it('is nothing where all is level once it is warm, whatever the machine does for a while', () => {
    const jump = (minute: number) => (minute > 40 && minute < 46 ? 60 : 0)
    expect(
      above((minute) => ({
        heapMb: 50 + Math.min(minute, 20) + (Math.round(minute * 3) % 7),
        memoryMb: 150 + Math.min(minute, 20) * 3 + jump(minute),
        descriptors: 50 + jump(minute),
        queueMb: 0.3 + jump(minute),
      })),
    ).toEqual([])
  })

  it('is each that goes on growing, by itself', () => {
    for (const { key, max, isPerSale, isLevel } of limits)
      expect(
        above((minute) => {
          const grown = flat[key as keyof typeof flat] + (minute / 30) * max * 1.1
          return { [key]: isPerSale ? minute * 60 * max * 1.1 : isLevel ? max + 1 : grown }
        }),
      ).toEqual([key])
  })

  it('is everything where nothing was looked at', () => {
    expect(growthOf([]).every(({ isBounded }) => !isBounded)).toBe(true)
  })
})
