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

/** What it made, or why not, and what that took of a processor. The first loads fonts for all that follow, at nobody's cost. */
export type ProcessAnswer = { readonly id: number; readonly processorMs: number } & (
  | { readonly pdf: Uint8Array }
  | { readonly logo: LogoImage }
  | { readonly error: string }
)

/** Leaves the processors to others when they want them, with every thread that the engine has started by now. */
function giveWay(niceness: number): void {
  if (niceness === 0) return
  try {
    setPriority(niceness)
    if (process.platform === 'linux')
      for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness)
  } catch {
    // Not everywhere may a process say so; then it prints like any other.
  }
}

async function make(work: Work) {
  if ('readLogo' in work) return { logo: readLogo(work.readLogo) }
  const { source, locale, address, logo } = work.print
  return { pdf: await invoicePdf(sheetOf(source, locale), { address, now: source.now, logo }) }
}

giveWay(Number(process.argv[2]))
// Whatever is sent to all of the service is for the one who started us. The channel ends when that one does, also when killed.
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
