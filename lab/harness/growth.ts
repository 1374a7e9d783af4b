/** What a service and its database have at one moment of a soak. */
export interface Sample {
  readonly minute: number
  /** Sales that were begun so far. */
  readonly sales: number
  /** What is still in use after a collection: objects, and the buffers beside them. */
  readonly heapMb: number
  readonly buffersMb: number
  /** What the process has from the system, collected or not. */
  readonly memoryMb: number
  /** Of the processes beside it that print. */
  readonly printingMb: number
  readonly descriptors: number
  readonly connections: number
  /** Of the tables that are emptied as they are filled. */
  readonly queueMb: number
  readonly queueIndexMb: number
  /** Of all tables and all indexes: these grow with the work. */
  readonly tablesKb: number
  readonly indexesKb: number
}

interface Limit {
  readonly name: string
  readonly key: keyof Sample
  /** So much more in the second half of the time; of what grows with the work, for each sale of that half. */
  readonly max: number
  readonly isPerSale?: boolean
  /** For what fills a place of a known size: so much in all. */
  readonly isLevel?: boolean
}

/** A kilobyte and a half that every sale leaves behind in a process is too much of the first within an hour. */
export const limits: readonly Limit[] = [
  { name: 'MB of objects in use after a collection', key: 'heapMb', max: 5 },
  // Printed invoices are kept while they take no more than 32 MB, which are full after some 2,700.
  { name: 'MB of buffers', key: 'buffersMb', max: 48, isLevel: true },
  { name: 'MB of the process', key: 'memoryMb', max: 20 },
  { name: 'MB of its printers', key: 'printingMb', max: 20 },
  { name: 'descriptors', key: 'descriptors', max: 5 },
  { name: 'connections', key: 'connections', max: 3 },
  { name: 'MB of queue tables', key: 'queueMb', max: 0.5 },
  { name: 'MB of their indexes', key: 'queueIndexMb', max: 0.5 },
  { name: 'kB of all tables a sale', key: 'tablesKb', max: 45, isPerSale: true },
  { name: 'kB of all indexes a sale', key: 'indexesKb', max: 25, isPerSale: true },
]

export interface Growth extends Limit {
  readonly grew: number
  readonly isBounded: boolean
}

/**
 * How much each grew in the second half: the median of the slopes between any two samples of it. A peak, or a stretch in which the
 * machine did something else, is in few of the pairs; what grows all the time is in all of them.
 */
export function growthOf(samples: readonly Sample[]): Growth[] {
  const half = samples.slice(Math.floor(samples.length / 2))
  const minutes = (half.at(-1)?.minute ?? 0) - (half[0]?.minute ?? 0)
  return limits.map((limit) => {
    if (limit.isLevel) {
      const most = half.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...half.map((sample) => sample[limit.key]))
      return { ...limit, grew: most, isBounded: most <= limit.max }
    }
    const slope = medianSlope(half, limit.isPerSale ? 'sales' : 'minute', limit.key)
    const grew = limit.isPerSale ? slope : slope * minutes
    return { ...limit, grew, isBounded: grew <= limit.max }
  })
}

function medianSlope(samples: readonly Sample[], by: keyof Sample, key: keyof Sample): number {
  const slopes: number[] = []
  for (const [i, a] of samples.entries())
    for (const b of samples.slice(i + 1)) if (b[by] > a[by]) slopes.push((b[key] - a[key]) / (b[by] - a[by]))
  return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? Number.POSITIVE_INFINITY
}

/** In words: what it was when the second half began, what it grew by in it, and what was allowed. */
export function growthSaid(samples: readonly Sample[], growth: readonly Growth[]): string {
  const from = samples[Math.floor(samples.length / 2)]
  return growth
    .map(({ name, key, grew, max, isPerSale, isLevel }) => {
      if (isLevel) return `${grew.toFixed(1)} ${name} (at most ${max})`
      const change = `${grew < 0 ? '−' : '+'}${Math.abs(grew).toFixed(1)}`
      return isPerSale
        ? `${change} ${name} (at most ${max})`
        : `${from?.[key].toFixed(1)} ${change} ${name} (at most +${max})`
    })
    .join(', ')
}
