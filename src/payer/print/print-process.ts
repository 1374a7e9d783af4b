import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type LogoImage, readLogo } from '../logo/image.ts'
import { type SheetSource, sheetOf } from '../sheet/sheet.ts'
import type { Locale } from '../words/languages.ts'
import { invoicePdf } from './pdf.ts'

/** An invoice to be printed. */
export interface PrintOrder {
  readonly source: SheetSource
  readonly locale: Locale
  readonly address: string
  readonly logo?: LogoImage | undefined
}

/** What the process is asked for. */
export type Work = { readonly print: PrintOrder } | { readonly readLogo: Uint8Array }
export type ProcessOrder = { readonly id: number } & Work

/**
 * What was made or why it failed, and the processor time it took. The first order loads fonts for all others, so it counts
 * as none.
 */
export type ProcessAnswer = { readonly id: number; readonly processorMs: number } & (
  | { readonly pdf: Uint8Array }
  | { readonly logo: LogoImage }
  | { readonly error: string }
)

/** Makes way for others that want a processor, with every thread that the engine has started so far. */
function giveWay(niceness: number): void {
  if (niceness === 0) return
  try {
    setPriority(niceness)
    if (process.platform === 'linux')
      for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness)
  } catch {
    // Not every system lets a process do this. Then it prints with the usual priority.
  }
}

async function make(work: Work) {
  if ('readLogo' in work) return { logo: readLogo(work.readLogo) }
  const { source, locale, address, logo } = work.print
  return { pdf: await invoicePdf(sheetOf(source, locale), { address, now: source.now, logo }) }
}

giveWay(Number(process.argv[2]))
// Signals to the whole group are for the process that started this one. This one ends with the channel, even if the other is
// killed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
let isFirst = true
process.on('message', async ({ id, ...work }: ProcessOrder) => {
  const before = process.cpuUsage()
  const made = await make(work as Work).catch((error: unknown) => ({ error: String(error) }))
  const { user, system } = process.cpuUsage(before)
  const processorMs = isFirst ? 0 : (user + system) / 1_000
  isFirst = false
  process.send?.({ id, processorMs, ...made } satisfies ProcessAnswer)
})
