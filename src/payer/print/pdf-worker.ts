import { parentPort } from 'node:worker_threads'
import { type LogoImage, readLogo } from '../logo/image.ts'
import { type SheetSource, sheetOf } from '../sheet/sheet.ts'
import type { Tongue } from '../words/languages.ts'
import { invoicePdf } from './pdf.ts'

/** An invoice to be printed. */
export interface PrintOrder {
  readonly source: SheetSource
  readonly tongue: Tongue
  readonly address: string
  readonly logo?: LogoImage | undefined
}

/** What the press is asked for. */
export type PressOrder = { readonly id: number } & ({ readonly print: PrintOrder } | { readonly develop: Uint8Array })

export type Pressed = { readonly id: number } & (
  | { readonly pdf: Uint8Array }
  | { readonly logo: LogoImage }
  | { readonly error: string }
)

const say = (pressed: Pressed) => parentPort?.postMessage(pressed)

parentPort?.on('message', async (order: PressOrder) => {
  const { id } = order
  try {
    if ('develop' in order) say({ id, logo: readLogo(order.develop) })
    else {
      const { source, tongue, address, logo } = order.print
      say({ id, pdf: await invoicePdf(sheetOf(source, tongue), { address, now: source.now, logo }) })
    }
  } catch (error) {
    say({ id, error: String(error) })
  }
})
