import { parentPort } from 'node:worker_threads'
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

/** What the thread is asked for. */
export type ThreadOrder = { readonly id: number } & ({ readonly print: PrintOrder } | { readonly readLogo: Uint8Array })

export type ThreadAnswer = { readonly id: number } & (
  | { readonly pdf: Uint8Array }
  | { readonly logo: LogoImage }
  | { readonly error: string }
)

const say = (answer: ThreadAnswer) => parentPort?.postMessage(answer)

parentPort?.on('message', async (order: ThreadOrder) => {
  const { id } = order
  try {
    if ('readLogo' in order) say({ id, logo: readLogo(order.readLogo) })
    else {
      const { source, locale, address, logo } = order.print
      say({ id, pdf: await invoicePdf(sheetOf(source, locale), { address, now: source.now, logo }) })
    }
  } catch (error) {
    say({ id, error: String(error) })
  }
})
